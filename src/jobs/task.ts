import type { z } from 'zod'
import type { Heartbeat } from './heartbeat.ts'
import type { Job } from './job.ts'

/** A kind of job and what this process does for one. */
export interface Task {
  name: string
  /** @param payload as it stands in the queue, unread */
  run(payload: unknown): Promise<void>
  /** When one is added by itself, whichever process comes first; five fields as of cron, UTC. */
  timetable: string | undefined
}

/** A task whose payload has been read by its schema when `run` sees it. */
export const task = <Payload extends z.ZodObject>(
  { name, payload }: Job<Payload>,
  run: (payload: z.output<Payload>) => Promise<void>,
  timetable?: string,
): Task => ({ name, run: async (told) => run(payload.parse(told)), timetable })

/** What a room puts right from time to time; see {@link Sweeper}. */
export interface Sweep {
  /** What dead processes left. Only asked of a process that was itself heard long enough to call others dead. */
  afterDeaths?(): Promise<void>
  /**
   * The clock of the database was put back: what was planned before seems far off, for as long as that. Nothing is to be due
   * later than if it were planned now. May be asked more than once.
   */
  afterPutBack?(): Promise<void>
  /** Twice a minute. */
  rarely?(): Promise<void>
  /** Every round, after the others. */
  always?(): Promise<void>
}

/** The process that works on jobs, as its tasks see it. */
export interface WorkingProcess {
  /** Resolves once the first beat is stored; no job runs before. */
  heartbeat: Promise<Heartbeat>
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is begun. */
  stopping: AbortSignal
}

/** What a room registers: the jobs it does, and what it puts right. */
export interface Work {
  tasks: Task[]
  sweep?: Sweep
  /** Runs beside the queue until the process is asked to stop, and resolves when it has ended. It fails over nothing. */
  beside?: () => Promise<void>
}

/** A room, asked for its work by the process that is to do it. */
export type Worker = (process: WorkingProcess) => Work
