import type { z } from 'zod'
import { named } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Heartbeat } from './heartbeat.ts'

/** SQL expressions for the members of a payload. */
export type PayloadSql<Payload extends z.ZodObject> = { [Name in keyof z.input<Payload>]: string }

/**
 * A kind of job: what its rows in the queue have in common. Whoever plans one needs this and not what it does, which
 * the room it belongs to registers (jobs/job.ts).
 */
export interface JobType<Payload extends z.ZodObject = z.ZodObject> {
  /** As it stands in the queue, also of jobs that another version of Galley has added. */
  name: string
  /** What it is told, and read by before it runs. */
  payload: Payload
  /** Name of the queue, in SQL: of one queue one job runs at a time. Without one it runs beside all others. */
  queue?: (payload: PayloadSql<Payload>) => string
  /** In SQL: of one key one job waits, however often it is added. */
  key?: (payload: PayloadSql<Payload>) => string
  /** One that waits already keeps its place in the line. */
  keepsPlace?: boolean
  /** 25 unless given. */
  maxAttempts?: number
}

/** Says what a kind of job is; see {@link JobType}. */
export const defineJob = <Payload extends z.ZodObject>(job: JobType<Payload>): JobType<Payload> => job

/**
 * A call that adds a job, for a statement that stores what the job is about: both are stored, or neither.
 *
 * @param payload SQL expressions, each of the type that JSON is to have
 * @param inMs an SQL expression too: milliseconds from now before which it does not run
 */
export function addJob<Payload extends z.ZodObject>(
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
  inMs?: string,
): string {
  const members = Object.entries<string>(payload).map(([name, value]) => `'${name}', ${value}`)
  return call(job, `json_build_object(${members.join(', ')})`, payload, inMs)
}

/**
 * Adds a job by itself, or in the transaction that `database` is in.
 *
 * @param inMs milliseconds from now before which it does not run
 */
export async function enqueue<Payload extends z.ZodObject>(
  database: Queryable,
  job: JobType<Payload>,
  payload: z.input<Payload>,
  inMs = 0,
): Promise<void> {
  const members = Object.keys(payload).map((name) => [name, `(:payload::json ->> '${name}')`])
  const added = call(job, ':payload::json', Object.fromEntries(members) as PayloadSql<Payload>, ':inMs')
  await database.query(named(`SELECT ${added}`, { payload: JSON.stringify(payload), inMs }))
}

/** A condition: a job of this key waits and may run now, so that another need not be added. */
export const isReadyInQueue = <Payload extends z.ZodObject>(
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
): string =>
  `EXISTS (
    SELECT 1 FROM graphile_worker.jobs
    WHERE jobs.key = ${job.key?.(payload)} AND jobs.locked_at IS NULL AND jobs.attempts < jobs.max_attempts
      AND jobs.run_at <= now())`

/** A condition: a job of this key runs, or will. */
export const isQueuedOrRunning = <Payload extends z.ZodObject>(
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
): string =>
  `EXISTS (
    SELECT 1 FROM graphile_worker.jobs
    WHERE jobs.key = ${job.key?.(payload)} AND (jobs.locked_at IS NOT NULL OR jobs.attempts < jobs.max_attempts))`

/** A condition: a job of this key is in the queue, be it one that was tried too often. */
export const isInQueue = <Payload extends z.ZodObject>(
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
): string => `EXISTS (SELECT 1 FROM graphile_worker.jobs WHERE jobs.key = ${job.key?.(payload)})`

function call<Payload extends z.ZodObject>(
  { name, queue, key, keepsPlace, maxAttempts }: JobType<Payload>,
  json: string,
  payload: PayloadSql<Payload>,
  inMs: string | undefined,
): string {
  const options = [
    queue && `queue_name => ${queue(payload)}`,
    key && `job_key => ${key(payload)}`,
    keepsPlace && `job_key_mode => 'preserve_run_at'`,
    maxAttempts && `max_attempts => ${maxAttempts}`,
    inMs && `run_at => now() + ${inMs}::float8 * interval '1 millisecond'`,
  ]
  return `graphile_worker.add_job(${[`'${name}'`, json, ...options.filter(Boolean)].join(', ')})`
}

/** A kind of job and what this process does for one. */
export interface Task {
  name: string
  /** @param payload as it stands in the queue, unread */
  run(payload: unknown): Promise<void>
  /** When one is added by itself, whichever process comes first; five fields as of cron, UTC. */
  timetable: string | undefined
}

/** A task whose payload has been read by its schema when `run` sees it. */
export const createTask = <Payload extends z.ZodObject>(
  { name, payload }: JobType<Payload>,
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
export interface RoomWork {
  tasks: Task[]
  sweep?: Sweep
  /** Runs beside the queue until the process is asked to stop, and resolves when it has ended. It fails over nothing. */
  beside?: () => Promise<void>
}

/** A room, asked for its work by the process that is to do it. */
export type WorkFactory = (process: WorkingProcess) => RoomWork
