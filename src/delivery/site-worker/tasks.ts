import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import type { ByteBudget } from '../../bytes/index.ts'
import { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { createTask, enqueue, type Task, type WorkingProcess } from '../../jobs/job.ts'
import { MAX_CONCURRENT_JOBS } from '../../jobs/runner.ts'
import { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { Logger } from '../../log/log.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { DeliverySite, SiteId } from '../../sites/connection.ts'
import type { FoundSite } from '../../sites/health/load-site.ts'
import type { UpstreamClient } from '../../upstream/ask.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'
import { createSiteTraffic, type SiteTraffic } from '../../wordpress/traffic/index.ts'
import { siteWorkerJob, soloJob } from '../jobs.ts'
import { logHeldDeliveries } from '../ledger/notifications.ts'
import { holdForOwner, stopForOwner } from '../ledger/pause-and-resume.ts'
import { holdForUnknownSites } from '../maintenance/unknown-site.ts'
import { attemptSolo, type Checkpoint, workSite } from './site-worker.ts'

interface SiteTaskDependencies {
  pool: Pool
  outbound: Outbound
  findStored: FindStoredFile
  upstreams: UpstreamClient
  budget: ByteBudget
  log: Logger
  timing: Timing
  load(site: SiteId): Promise<FoundSite | null>
}

/** The jobs that move a site's deliveries. Its site worker has a queue of its own, so a site has one at a time. */
export function siteTasks(
  { pool, outbound, findStored, upstreams, budget, log, timing, load }: SiteTaskDependencies,
  { heartbeat, stopping }: WorkingProcess,
): Task[] {
  /** Under way in this process. */
  let working = 0
  const lock = new SharedExclusiveLock()
  const traffics = new SiteTrafficCache()
  /** The site, or why its password cannot be read: nothing but the operator or the owner can mend that. */
  const opened = ({ open }: FoundSite): DeliverySite | GalleyError => {
    try {
      return traffics.withTraffic(open())
    } catch (error) {
      if (error instanceof GalleyError) return error
      throw error
    }
  }
  const context = async () => ({
    pool,
    outbound,
    findStored,
    upstreams,
    budget,
    log,
    timing,
    heartbeat: await heartbeat,
    lock,
    stopping,
  })
  /** The site, where something may be sent to it now; else what waits for it is told why. */
  const ready = async (id: SiteId): Promise<{ site: DeliverySite; probing: boolean } | null> => {
    const found = await load(id)
    if (found === null) {
      await holdForUnknownSites(pool, log)
      return null
    }
    const { state, connectedAs } = found
    if (state.waitsForOwner) logHeldDeliveries(log, await holdForOwner(pool, id))
    if (state.waitsForOwner || state.resting) return null
    const site = opened(found)
    if (!(site instanceof GalleyError)) return { site, probing: state.probing }
    logHeldDeliveries(log, (await stopForOwner(pool, id, connectedAs, site)) ?? [])
    return null
  }
  return [
    createTask(siteWorkerJob, async ({ accountId, siteId: id }) => {
      const found = await ready({ accountId, id })
      if (found === null) return
      const checkpoint: Checkpoint = {
        async site() {
          const now = await load({ accountId, id })
          const opens = now === null || now.state.probing || now.state.resting ? null : opened(now)
          return opens instanceof GalleyError ? null : opens
        },
        isWanted: () => working >= MAX_CONCURRENT_JOBS,
      }
      working += 1
      const { site, probing } = found
      const more = await workSite(await context(), site, { probing, checkpoint }).finally(() => {
        working -= 1
      })
      if (more) await queueSiteWorker(pool, { accountId, id })
    }),
    createTask(soloJob, async ({ accountId, siteId: id, tries }) => {
      const move = async () => {
        const found = await ready({ accountId, id })
        if (found !== null) await attemptSolo(await context(), found.site, found)
      }
      const patienceMs = soloTimeoutMs(tries, timing)
      if (await lock.exclusive(move, AbortSignal.timeout(patienceMs))) return
      const againInMs = SOLO_BACKOFF_FACTOR * patienceMs
      log.warn(
        { site: id, tries: tries + 1, patienceMs, againInMs },
        'a delivery that must be alone is postponed: others take longer',
      )
      await enqueue(pool, soloJob, { accountId, siteId: id, tries: tries + 1 }, againInMs)
    }),
  ]
}

/** Tries that were given up after which the patience grows no more: with the standard first one, 16 minutes. */
const MAX_DOUBLINGS = 4

/**
 * Milliseconds that a delivery which is to be done alone waits for the others of its process, none of which begins
 * meanwhile. Twice as long after each try that was given up: a wait as long as the one before would find others that take
 * as long again, and so on for ever.
 */
export const soloTimeoutMs = (tries: number, { aloneWithinMs }: Pick<Timing, 'aloneWithinMs'>): number =>
  aloneWithinMs * 2 ** Math.min(tries, MAX_DOUBLINGS)

/** After a try that was given up the others go on for so many times as long as they stood still for it. */
const SOLO_BACKOFF_FACTOR = 2

/**
 * Queues a site's worker behind those of the other sites. One that waits already keeps its place in the line;
 * one that is running comes round once more.
 */
export const queueSiteWorker = (pool: Pool, { accountId, id: siteId }: SiteId): Promise<void> =>
  enqueue(pool, siteWorkerJob, { accountId, siteId })

/** Sites whose traffic is kept: more than a process works on at once. */
const MAX_CACHED_SITES = 2_000

/** Milliseconds after which that of a site which nobody asked for is dropped. */
const TRAFFIC_TTL_MS = 60 * 60_000

/**
 * How requests go out to the sites of this process: one way for each, whoever asks, so that all its deliveries together
 * keep to what the site takes.
 */
export class SiteTrafficCache {
  readonly #kept = new LRUCache<string, SiteTraffic>({
    max: MAX_CACHED_SITES,
    ttl: TRAFFIC_TTL_MS,
    updateAgeOnGet: true,
  })

  /** The site, spoken to in the way of this process and as its settings say now. One that was connected anew begins anew. */
  withTraffic(site: DeliverySite): DeliverySite {
    return { ...site, client: site.client.with({ traffic: this.#of(site) }) }
  }

  #of({ accountId, id, client, connectedAs, settings: { concurrency, batch } }: DeliverySite): SiteTraffic {
    const { username, sealedPassword } = connectedAs
    const key = JSON.stringify([accountId, id, client.site.restRoot, username, sealedPassword])
    const traffic = this.#kept.get(key) ?? createSiteTraffic({ concurrency, batch })
    traffic.concurrency = concurrency
    traffic.batch = batch
    this.#kept.set(key, traffic)
    return traffic
  }
}
