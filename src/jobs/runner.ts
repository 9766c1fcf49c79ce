import { EventEmitter } from 'node:events'
import { setTimeout as wait } from 'node:timers/promises'
import {
  Logger as GraphileLogger,
  makeWorkerUtils,
  parseCronItems,
  type Runner,
  run,
  type WorkerEvents,
} from 'graphile-worker'
import type { Pool, PoolClient } from 'pg'
import { z } from 'zod'
import { CONNECTION_REFUSED_STATES, databaseFailure } from '../database/errors.ts'
import { GalleyError } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { Heartbeat, type Timing } from './heartbeat.ts'
import { createTask, defineJob, type RoomWork, type Task, type WorkFactory } from './job.ts'
import { RunningJobs, Sweeper } from './sweep.ts'

/**
 * Jobs a process works on at once. They spend their time with sites, and one that hangs keeps a place until its
 * time-out, so there are many.
 */
export const MAX_CONCURRENT_JOBS = 1_000

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
  stopAccepting(): void
  /** Lets what is under way finish until the deadline, gives the rest back, and releases everything. */
  stop(deadline: AbortSignal): Promise<void>
}

/** Starts doing what the rooms have registered: the runner, the heartbeat and the sweeper of this process. */
export async function startJobs(
  options: JobRunnerOptions,
  workers: readonly WorkFactory[],
): Promise<JobRunner> {
  const { pool, log, timing } = options
  const stopping = new AbortController()
  const running = new RunningJobs()
  const queue = createQueuePool(pool, stopping.signal)
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
    stopAccepting() {
      stopping.abort()
      // Should it be killed before it has finished, what was under way is no failure.
      heartbeat.stopping().catch((err) => log.warn({ err }, 'could not record that this process is stopping'))
    },
    async stop(deadline) {
      stopping.abort()
      await Promise.race([Promise.all([sweeper.stop(), beside]), over(deadline)])
      // With the database away, nothing could be released; the others take over what this process held.
      const ended = runner.stop().then(() => true)
      const finished = await Promise.race([ended, queue.abandoned.then(() => true), over(deadline)])
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
  workers: readonly WorkFactory[],
  pgPool: Pool,
  running: RunningJobs,
  stopping: AbortSignal,
): Promise<{ runner: Runner; heartbeat: Heartbeat; work: RoomWork[] }> {
  const events: WorkerEvents = new EventEmitter()
  // The leases carry the id under which graphile-worker locks this process's jobs: one heartbeat covers both.
  const alive = new Promise<Heartbeat>((resolve, reject) => {
    events.once('pool:create', ({ workerPool }) => {
      Heartbeat.start(pool, workerPool.id, timing, log).then(resolve, reject)
    })
  })
  const work = workers.map((worker) => worker({ heartbeat: alive, stopping }))
  const tasks = [...work.flatMap(({ tasks }) => tasks), cleanQueueTask(pool)]
  const runner = await run({
    pgPool,
    noHandleSignals: true,
    events,
    logger: graphileLogger(log),
    preset: {
      worker: { concurrentJobs: MAX_CONCURRENT_JOBS, localQueue: { size: MAX_CONCURRENT_JOBS + 1 } },
    },
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

/** Between two tries to get a connection, in milliseconds. */
const CONNECT_RETRY_MS = { first: 100, longest: 2_000 }

/** Milliseconds after which a process that is to end waits no longer for a database that is away. */
const SHUTDOWN_WAIT_MS = 5_000

/** A pool for graphile-worker. */
interface QueuePool {
  pool: Pool
  /** Resolves when the process is to end and the database stays away, so that nothing more can be written down. */
  abandoned: Promise<void>
}

/**
 * The pool as graphile-worker gets it. That writes down in the background that a job has ended, and what it cannot write
 * ends the process, but for a few SQLSTATEs, which it tries again (0.17 and 0.18: its worker does not await `completeJob`
 * and `failJob`; RETRYABLE_ERROR_CODES). A database that is away for some seconds would so end every process
 * that has a site worker under way. Here a connection is waited for, as long as it takes, and what a database in trouble says
 * has a code that is tried again.
 */
export function createQueuePool(pool: Pool, stopping: AbortSignal): QueuePool {
  let late = false
  stopping.addEventListener('abort', () => {
    setTimeout(() => {
      late = true
    }, SHUTDOWN_WAIT_MS).unref()
  })
  let giveUp = () => {}
  const gaveUp = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const connection = async (): Promise<PoolClient> => {
    for (let pause = CONNECT_RETRY_MS.first; ; pause = Math.min(pause * 2, CONNECT_RETRY_MS.longest)) {
      try {
        return withRetryableErrors(await pool.connect())
      } catch {
        if (late || pool.ending) break
        await wait(pause, undefined, { ref: false })
      }
    }
    giveUp()
    // A rejection would be the one that nobody handles.
    return new Promise(() => undefined)
  }
  const connect = (callback?: Parameters<Pool['connect']>[0]) =>
    callback === undefined ? connection() : pool.connect(callback)
  return { pool: withMethod(pool, 'connect', connect), abandoned: gaveUp }
}

/** A connection whose statements fail as {@link createQueuePool} says. */
const withRetryableErrors = (client: PoolClient): PoolClient =>
  withMethod(client, 'query', async (...query: [string]) => {
    try {
      return await client.query(...query)
    } catch (error) {
      throw asRetryable(error)
    }
  })

/** As one that graphile-worker tries again: of its codes, the one that says what is the matter. */
function asRetryable(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const trouble = databaseFailure(error)
  if (trouble === 'refused' || trouble === 'conflict') return error
  return Object.assign(new Error(error.message, { cause: error }), { code: CONNECTION_REFUSED_STATES.notNow })
}

/** `target` with one method in another's place. */
function withMethod<Target extends object>(target: Target, name: keyof Target, method: unknown): Target {
  return new Proxy(target, {
    get(_, key) {
      if (key === name) return method
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/**
 * Once a night: what was tried too often is tried anew, since nobody else may ever plan it again; and the queues of sites
 * that are gone are removed. What has no key comes by its timetable and will come again: of that, nothing is kept.
 */
export const cleanQueueTask = (pool: Pool): Task =>
  createTask(
    defineJob({ name: 'clean_queue', payload: z.object({}) }),
    async () => {
      await pool.query(RESET_EXHAUSTED)
      const utils = await makeWorkerUtils({ pgPool: pool })
      await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS', 'GC_JOB_QUEUES'] })
      await utils.release()
    },
    '47 3 * * *',
  )

const RESET_EXHAUSTED = `
  SELECT FROM graphile_worker.reschedule_jobs(ARRAY(
    SELECT id FROM graphile_worker.jobs WHERE key IS NOT NULL AND attempts >= max_attempts AND locked_at IS NULL
  ), run_at => now(), attempts => 0)`
