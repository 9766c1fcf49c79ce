import { EventEmitter } from 'node:events'
import {
  Logger as GraphileLogger,
  parseCronItems,
  type Runner,
  run,
  type WorkerEvents,
} from 'graphile-worker'
import type { Pool } from 'pg'
import type { ByteBudget } from '../../bytes/index.ts'
import type { Database } from '../../database/index.ts'
import { GalleyError } from '../../errors.ts'
import { Heartbeat } from '../../jobs/heartbeat.ts'
import { queuePool } from '../../jobs/queue-pool.ts'
import { RunningJobs } from '../../jobs/running-jobs.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Logger } from '../../log.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { Keyring } from '../../secrets/index.ts'
import { Sweeper } from './sweep.ts'
import { createTasks, PUMPS } from './tasks.ts'

export interface DeliveryWorkerOptions {
  database: Database
  outbound: Outbound
  budget: ByteBudget
  keyring: Keyring
  log: Logger
  timing: Timing
  /** Days that bodies and timelines are kept; 0 for ever. */
  retentionDays: number
  /** Called when the job queue has ended by itself, so that nothing is delivered any more. */
  onLost: (error: GalleyError) => void
}

export interface DeliveryWorker {
  /** Why nothing is delivered by this process; undefined where it works. */
  problem(): Promise<GalleyError | undefined>
  /** Claims nothing from now on. */
  hush(): void
  /** Lets what is under way finish until the deadline, gives the rest back, and releases everything. */
  stop(deadline: AbortSignal): Promise<void>
}

/** Starts moving deliveries: the pumps, the heartbeat and the sweeper of this process. */
export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const {
    database: { pool },
    log,
    timing,
  } = options
  const stopping = new AbortController()
  const running = new RunningJobs()
  const queue = queuePool(pool, stopping.signal)
  const { runner, heartbeat } = await startJobs(options, queue.pool, running, stopping.signal)
  let lost: GalleyError | undefined
  const ended = (cause?: unknown) => {
    if (stopping.signal.aborted) return
    lost = queueEnded(cause)
    options.onLost(lost)
  }
  runner.promise.then(() => ended(), ended)
  const sweeper = new Sweeper({ pool, heartbeat, running, timing, log })
  return {
    problem: async () => lost ?? (heartbeat.late ? heartbeatLate() : undefined),
    hush() {
      stopping.abort()
      // Should it be killed before it has finished, what was under way is no failure.
      heartbeat.stopping().catch((err) => log.warn({ err }, 'that this process stops could not be stored'))
    },
    async stop(deadline) {
      stopping.abort()
      await Promise.race([sweeper.stop(), over(deadline)])
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
      'Not ready: this process has not been able to say in the database that it lives, and others take over what it delivers.',
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
      'The job queue of this process ended, and nothing would be delivered any more. Start Galley again; where another version of it has come to this database, start that one.',
    action: 'owner',
    cause,
  })

async function startJobs(
  options: DeliveryWorkerOptions,
  pgPool: Pool,
  running: RunningJobs,
  stopping: AbortSignal,
): Promise<{ runner: Runner; heartbeat: Heartbeat }> {
  const {
    database: { pool },
    log,
    timing,
  } = options
  const events: WorkerEvents = new EventEmitter()
  // The leases carry the id under which graphile-worker locks this process's jobs: one heartbeat covers both.
  const alive = new Promise<Heartbeat>((resolve, reject) => {
    events.once('pool:create', ({ workerPool }) => {
      Heartbeat.start(pool, workerPool.id, timing, log).then(resolve, reject)
    })
  })
  const runner = await run({
    pgPool,
    noHandleSignals: true,
    events,
    logger: graphileLogger(log),
    preset: { worker: { concurrentJobs: PUMPS, localQueue: { size: PUMPS + 1 } } },
    taskList: running.counting(createTasks(options, alive, stopping)),
    // Once a night, whichever process comes first.
    parsedCronItems: parseCronItems([{ task: 'retention', match: '17 3 * * *' }]),
  })
  return { runner, heartbeat: await alive }
}

/** Pumps spend their time with sites and not with the database, so that few connections do for many. */
const ABOUT_POOL_SIZE = 'having maxPoolSize'

/** graphile-worker's own log lines at one level lower: a started job is no news here. */
const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else if (level === 'warning' && !message.includes(ABOUT_POOL_SIZE)) log.warn(message)
    else log.trace(message)
  })
