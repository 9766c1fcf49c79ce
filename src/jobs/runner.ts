import { EventEmitter } from 'node:events'
import {
  Logger as GraphileLogger,
  makeWorkerUtils,
  parseCronItems,
  type Runner,
  run,
  type WorkerEvents,
} from 'graphile-worker'
import pRetry from 'p-retry'
import type { Pool, PoolClient } from 'pg'
import { CONNECTION_REFUSED_STATES, databaseFailure } from '../database/errors.ts'
import { GalleyError, tryLater } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { Heartbeat, type Timing } from './heartbeat.ts'
import { createTimedTask, type RoomWork, type Task, type WorkFactory } from './job.ts'
import { RunningJobs, startSweeper } from './sweep.ts'

/** Jobs of a process at once; high, since they wait for sites and a hanging one keeps its place. */
export const MAX_CONCURRENT_JOBS = 1_000

interface JobRunnerOptions {
  pool: Pool
  log: Logger
  timing: Timing
  onLost: (error: GalleyError) => void
  /** Cuts off the requests of work that was given back, so that it ends before the database is closed. */
  cutOff: () => Promise<void>
}

export interface JobRunner {
  /** Why this process does no work; undefined where it works. */
  problem(): Promise<GalleyError | undefined>
  stopAccepting(): void
  /** Lets work finish until the deadline, releases the rest, and closes everything. */
  stop(deadline: AbortSignal): Promise<void>
}

/** Starts the runner, heartbeat and sweeper of this process. */
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
  const stopSweeper = startSweeper({ pool, heartbeat, running, timing, log, sweeps })
  const beside = Promise.all(
    work.map(async ({ beside }) => beside?.().catch((err) => log.error({ err }, 'a part of the work ended'))),
  )
  return {
    problem: async () => lost ?? (heartbeat.late ? heartbeatLate() : undefined),
    stopAccepting() {
      stopping.abort()
      // If it is killed before it ends, the work under way is no failure.
      heartbeat.stopping().catch((err) => log.warn({ err }, 'could not record that this process is stopping'))
    },
    async stop(deadline) {
      stopping.abort()
      const others = Promise.all([stopSweeper(), beside])
      await Promise.race([others, over(deadline)])
      // Without the database nothing can be released; others take over what this process held.
      const ended = Promise.race([Promise.all([runner.stop(), others]), queue.abandoned]).then(() => true)
      if (!(await Promise.race([ended, over(deadline)]))) {
        log.warn('deliveries under way are given back: they did not end in time')
        await heartbeat.giveBack()
        await options.cutOff()
        await ended
      }
      heartbeat.stop()
    },
  }
}

const heartbeatLate = (): GalleyError =>
  tryLater(
    'QUEUE_STANDS_STILL',
    'Not ready: this process could not renew its heartbeat in the database, and others take over what it delivers.',
    { retryAfterMs: 5000 },
  )

const over = (deadline: AbortSignal): Promise<false> =>
  new Promise((resolve) => {
    if (deadline.aborted) resolve(false)
    deadline.addEventListener('abort', () => resolve(false))
  })

/** graphile-worker ends itself when a newer version changes the queue's tables. */
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
  // Leases carry graphile-worker's worker id, so that one heartbeat covers both.
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
    taskList: Object.fromEntries(tasks.map(({ name, run }) => [name, running.counting(run)])),
    parsedCronItems: parseCronItems(
      tasks.flatMap(({ name, timetable: match }) => (match === undefined ? [] : [{ task: name, match }])),
    ),
  })
  return { runner, heartbeat: await alive, work }
}

/** Jobs wait for sites and not the database, so few connections suffice. */
const ABOUT_POOL_SIZE = 'having maxPoolSize'

/** graphile-worker's log lines, one level lower. */
const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else if (level === 'warning' && !message.includes(ABOUT_POOL_SIZE)) log.warn(message)
    else log.trace(message)
  })

/** Milliseconds between tries, doubled each time. */
const CONNECT_BACKOFF = { minTimeout: 100, maxTimeout: 2_000, unref: true }

/** Milliseconds that a stopping process waits for an absent database. */
const SHUTDOWN_WAIT_MS = 5_000

interface QueuePool {
  pool: Pool
  /** Resolves when the process must end and the database stays away. */
  abandoned: Promise<void>
}

/**
 * The pool for graphile-worker, which ends the process where it cannot record that a job has ended, except for a few SQLSTATEs
 * (0.17 and 0.18: RETRYABLE_ERROR_CODES). So this pool waits for a connection as long as it takes, and gives transient errors a
 * code that is retried.
 */
export function createQueuePool(pool: Pool, stopping: AbortSignal): QueuePool {
  let late = false
  stopping.addEventListener('abort', () => {
    setTimeout(() => {
      late = true
    }, SHUTDOWN_WAIT_MS).unref()
  })
  let giveUp = () => {}
  const abandoned = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const connection = () =>
    pRetry(() => pool.connect(), {
      ...CONNECT_BACKOFF,
      retries: Number.POSITIVE_INFINITY,
      shouldRetry: () => !late && !pool.ending,
    }).then(withRetryableErrors, () => {
      giveUp()
      // A rejection would be unhandled.
      return new Promise<never>(() => {})
    })
  const connect = (callback?: Parameters<Pool['connect']>[0]) =>
    callback === undefined ? connection() : pool.connect(callback)
  return { pool: withMethod(pool, 'connect', connect), abandoned }
}

const withRetryableErrors = (client: PoolClient): PoolClient =>
  withMethod(client, 'query', async (...query: [string]) => {
    try {
      return await client.query(...query)
    } catch (error) {
      throw asRetryable(error)
    }
  })

function asRetryable(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const trouble = databaseFailure(error)
  if (trouble === 'refused' || trouble === 'conflict') return error
  return Object.assign(new Error(error.message, { cause: error }), { code: CONNECTION_REFUSED_STATES.notNow })
}

function withMethod<Target extends object>(target: Target, name: keyof Target, method: unknown): Target {
  return new Proxy(target, {
    get(_, key) {
      if (key === name) return method
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}

/** Retries exhausted jobs, which nobody else may plan, and removes empty queues; timed jobs come again. */
export const cleanQueueTask = (pool: Pool): Task =>
  createTimedTask('clean_queue', '47 3 * * *', async () => {
    await pool.query(RESET_EXHAUSTED)
    const utils = await makeWorkerUtils({ pgPool: pool })
    await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS', 'GC_JOB_QUEUES'] })
    await utils.release()
  })

const RESET_EXHAUSTED = `
  SELECT FROM graphile_worker.reschedule_jobs(ARRAY(
    SELECT id FROM graphile_worker.jobs WHERE key IS NOT NULL AND attempts >= max_attempts AND locked_at IS NULL
  ), run_at => now(), attempts => 0)`
