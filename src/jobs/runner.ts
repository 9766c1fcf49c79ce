import { EventEmitter } from 'node:events'
import {
  Logger as GraphileLogger,
  parseCronItems,
  type Runner,
  run,
  type WorkerEvents,
} from 'graphile-worker'
import type { Pool } from 'pg'
import { GalleyError } from '../errors.ts'
import type { Logger } from '../log.ts'
import { cleaning } from './clean-queue.ts'
import { Heartbeat } from './heartbeat.ts'
import { queuePool } from './queue-pool.ts'
import { RunningJobs } from './running-jobs.ts'
import { Sweeper } from './sweep.ts'
import type { Task, Work, Worker } from './task.ts'
import type { Timing } from './timing.ts'

/**
 * Jobs a process works on at once. They spend their time with sites, and one that hangs keeps a place until its
 * time-out, so there are many.
 */
export const JOBS_AT_ONCE = 1_000

export interface JobRunnerOptions {
  pool: Pool
  log: Logger
  timing: Timing
  /** Called when the job queue has ended by itself, so that nothing is done any more. */
  onLost: (error: GalleyError) => void
}

export interface JobRunner {
  /** Why nothing is done by this process; undefined where it works. */
  problem(): Promise<GalleyError | undefined>
  /** Begins nothing from now on. */
  hush(): void
  /** Lets what is under way finish until the deadline, gives the rest back, and releases everything. */
  stop(deadline: AbortSignal): Promise<void>
}

/** Starts doing what the rooms have registered: the runner, the heartbeat and the sweeper of this process. */
export async function startJobs(options: JobRunnerOptions, workers: readonly Worker[]): Promise<JobRunner> {
  const { pool, log, timing } = options
  const stopping = new AbortController()
  const running = new RunningJobs()
  const queue = queuePool(pool, stopping.signal)
  const { runner, heartbeat, work } = await startRunner(
    options,
    workers,
    queue.pool,
    running,
    stopping.signal,
  )
  let lost: GalleyError | undefined
  const ended = (cause?: unknown) => {
    if (stopping.signal.aborted) return
    lost = queueEnded(cause)
    options.onLost(lost)
  }
  runner.promise.then(() => ended(), ended)
  const sweeps = work.flatMap(({ sweep }) => sweep ?? [])
  const sweeper = new Sweeper({ pool, heartbeat, running, timing, log, sweeps })
  const beside = Promise.all(
    work.map(async ({ beside }) => beside?.().catch((err) => log.error({ err }, 'a part of the work ended'))),
  )
  return {
    problem: async () => lost ?? (heartbeat.late ? heartbeatLate() : undefined),
    hush() {
      stopping.abort()
      // Should it be killed before it has finished, what was under way is no failure.
      heartbeat.stopping().catch((err) => log.warn({ err }, 'could not record that this process is stopping'))
    },
    async stop(deadline) {
      stopping.abort()
      await Promise.race([Promise.all([sweeper.stop(), beside]), over(deadline)])
      // With the database away, nothing could be released; the others take over what this process held.
      const ended = runner.stop().then(() => true)
      const finished = await Promise.race([ended, queue.gaveUp.then(() => true), over(deadline)])
      if (!finished) {
        log.warn('deliveries under way are given back: they did not end in time')
        await heartbeat.giveBack()
      }
      heartbeat.stop()
    },
  }
}

const heartbeatLate = (): GalleyError =>
  new GalleyError({
    code: 'QUEUE_STANDS_STILL',
    httpStatus: 503,
    action: 'retry',
    retryAfterMs: 5000,
    message:
      'Not ready: this process could not renew its heartbeat in the database, and others take over what it delivers.',
  })

const over = (deadline: AbortSignal): Promise<false> =>
  new Promise((resolve) => {
    if (deadline.aborted) resolve(false)
    deadline.addEventListener('abort', () => resolve(false))
  })

/** As graphile-worker does of itself when a newer version of it changes the tables of the queue. */
const queueEnded = (cause: unknown): GalleyError =>
  new GalleyError({
    code: 'queue_ended',
    httpStatus: 503,
    message:
      'The job queue of this process has stopped, so nothing more would be delivered. Start Galley again; if a newer version has upgraded this database, start that version.',
    action: 'owner',
    cause,
  })

async function startRunner(
  { pool, log, timing }: JobRunnerOptions,
  workers: readonly Worker[],
  pgPool: Pool,
  running: RunningJobs,
  stopping: AbortSignal,
): Promise<{ runner: Runner; heartbeat: Heartbeat; work: Work[] }> {
  const events: WorkerEvents = new EventEmitter()
  // The leases carry the id under which graphile-worker locks this process's jobs: one heartbeat covers both.
  const alive = new Promise<Heartbeat>((resolve, reject) => {
    events.once('pool:create', ({ workerPool }) => {
      Heartbeat.start(pool, workerPool.id, timing, log).then(resolve, reject)
    })
  })
  const work = workers.map((worker) => worker({ heartbeat: alive, stopping }))
  const tasks = [...work.flatMap(({ tasks }) => tasks), cleaning(pool)]
  const runner = await run({
    pgPool,
    noHandleSignals: true,
    events,
    logger: graphileLogger(log),
    preset: { worker: { concurrentJobs: JOBS_AT_ONCE, localQueue: { size: JOBS_AT_ONCE + 1 } } },
    taskList: running.counting(Object.fromEntries(tasks.map(({ name, run }) => [name, run]))),
    parsedCronItems: parseCronItems(tasks.flatMap(planned)),
  })
  return { runner, heartbeat: await alive, work }
}

const planned = ({ name, timetable }: Task) =>
  timetable === undefined ? [] : [{ task: name, match: timetable }]

/** Jobs spend their time with sites and not with the database, so that few connections do for many. */
const ABOUT_POOL_SIZE = 'having maxPoolSize'

/** graphile-worker's own log lines at one level lower: a started job is no news here. */
const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else if (level === 'warning' && !message.includes(ABOUT_POOL_SIZE)) log.warn(message)
    else log.trace(message)
  })
