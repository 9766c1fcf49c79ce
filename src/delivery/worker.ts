import { EventEmitter } from 'node:events'
import { Logger as GraphileLogger, type Runner, run, type WorkerEvents } from 'graphile-worker'
import { z } from 'zod'
import type { Database } from '../database/index.ts'
import type { Logger } from '../log.ts'
import type { Outbound } from '../outbound/index.ts'
import type { Keyring } from '../secrets/index.ts'
import { Heartbeat } from './heartbeat.ts'
import { loadSite } from './load-site.ts'
import { pump } from './pump.ts'
import { holdForUnknownSite } from './site-trouble.ts'
import { Sweeper } from './sweep.ts'
import { queuePump } from './wake.ts'

/** Sites a process serves at once. One that hangs keeps one of them busy until its time-out, so there are many. */
const PUMPS = 1_000

export interface DeliveryWorkerOptions {
  database: Database
  outbound: Outbound
  keyring: Keyring
  log: Logger
}

export interface DeliveryWorker {
  /** Lets what is under way finish, then releases everything. */
  stop(): Promise<void>
}

const payloadSchema = z.object({ siteId: z.uuid() })

/** Starts moving deliveries: the pumps, the heartbeat and the sweeper of this process. */
export async function startDeliveryWorker(options: DeliveryWorkerOptions): Promise<DeliveryWorker> {
  const {
    database: { pool },
    log,
  } = options
  const stopping = new AbortController()
  const { runner, heartbeat } = await startPumps(options, stopping.signal)
  const sweeper = new Sweeper(pool, log)
  return {
    async stop() {
      stopping.abort()
      await sweeper.stop()
      await runner.stop()
      heartbeat.stop()
    },
  }
}

async function startPumps(
  { database: { prisma, pool }, outbound, keyring, log }: DeliveryWorkerOptions,
  stopping: AbortSignal,
): Promise<{ runner: Runner; heartbeat: Heartbeat }> {
  const events: WorkerEvents = new EventEmitter()
  // The leases carry the id under which graphile-worker locks this process's jobs: one heartbeat covers both.
  const alive = new Promise<Heartbeat>((resolve, reject) => {
    events.once('pool:create', ({ workerPool }) => {
      Heartbeat.start(pool, workerPool.id, log).then(resolve, reject)
    })
  })
  const runner = await run({
    pgPool: pool,
    noHandleSignals: true,
    events,
    logger: graphileLogger(log),
    preset: { worker: { concurrentJobs: PUMPS, localQueue: { size: PUMPS + 1 } } },
    taskList: {
      async pump(payload) {
        const { siteId } = payloadSchema.parse(payload)
        const found = await loadSite({ prisma, keyring, outbound }, siteId)
        if (found === null) return holdForUnknownSite(pool, siteId)
        const { site, state } = found
        if (state.resting) return
        const { id: worker } = await alive
        const context = { pool, outbound, log, worker, stopping }
        const more = await pump(context, site, state)
        if (more) await queuePump(pool, siteId)
      },
    },
  })
  return { runner, heartbeat: await alive }
}

/** graphile-worker's own log lines at one level lower: a started job is no news here. */
const graphileLogger = (log: Logger): GraphileLogger =>
  new GraphileLogger(() => (level, message) => {
    if (level === 'error') log.error(message)
    else if (level === 'warning') log.warn(message)
    else log.trace(message)
  })
