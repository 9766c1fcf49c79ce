import { LRUCache } from 'lru-cache'
import type { Pool } from 'pg'
import { inBatches, MANY_ROWS } from '../../database/statement.ts'
import { asFailure, GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { createTask, enqueue, type Task, type WorkingProcess } from '../../jobs/job.ts'
import { MAX_CONCURRENT_JOBS } from '../../jobs/runner.ts'
import { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { DeliverySite, SiteId } from '../../sites/connection.ts'
import type { FoundSite } from '../../sites/health/load-site.ts'
import { createSiteTraffic, type SiteTraffic } from '../../wordpress/traffic/site-traffic.ts'
import { siteWorkerJob, soloJob } from '../jobs.ts'
import { logHeldDeliveries } from '../ledger/notifications.ts'
import { holdForOwner, stopForOwner } from '../ledger/outage.ts'
import { holdForUnknownSites } from '../maintenance/unknown-site.ts'
import type { SiteWorkerContext } from './attempt.ts'
import { attemptSolo, type Checkpoint, workSite } from './site-worker.ts'

type SiteTaskDependencies = Omit<SiteWorkerContext, 'heartbeat' | 'lock' | 'stopping'> & {
  load(site: SiteId): Promise<FoundSite | null>
}

/** The jobs that move a site's deliveries: one site worker at a time, in this process and beyond (ledger/claim.ts). */
export function siteTasks(
  { load, ...needs }: SiteTaskDependencies,
  { heartbeat, stopping }: WorkingProcess,
): Task[] {
  const { pool, log, timing } = needs
  /** Sites that this process works on, each with whether another job of it came meanwhile. */
  const working = new Map<string, boolean>()
  const lock = new SharedExclusiveLock()
  const withTraffic = siteTraffics()
  /** The site, or why its password cannot be read: nothing but the operator or the owner can mend that. */
  const opened = ({ open }: FoundSite): DeliverySite | GalleyError => {
    try {
      return withTraffic(open())
    } catch (error) {
      return asFailure(error)
    }
  }
  const context = async () => ({ ...needs, heartbeat: await heartbeat, lock, stopping })
  /** The site, where something may be sent to it now; else what waits for it is told why. */
  const ready = async (id: SiteId): Promise<{ site: DeliverySite; probing: boolean } | null> => {
    const found = await load(id)
    if (found === null) {
      await holdForUnknownSites(pool, log)
      return null
    }
    const { readiness, connectedAs } = found
    if (readiness === 'needs_owner')
      await inBatches(MANY_ROWS, async () => {
        const held = await holdForOwner(pool, id)
        logHeldDeliveries(log, held)
        return held.length
      })
    if (readiness === 'needs_owner' || readiness === 'resting') return null
    const site = opened(found)
    if (!(site instanceof GalleyError)) return { site, probing: readiness === 'probing' }
    logHeldDeliveries(log, (await stopForOwner(pool, id, connectedAs, site)) ?? [])
    return null
  }
  /** @returns whether the site worker must come round again */
  const work = async (id: SiteId): Promise<boolean> => {
    const found = await ready(id)
    if (found === null) return false
    const checkpoint: Checkpoint = {
      async site() {
        const now = await load(id)
        const opens = now?.readiness === 'open' ? opened(now) : null
        return opens instanceof GalleyError ? null : opens
      },
      isWanted: () => working.size >= MAX_CONCURRENT_JOBS,
    }
    return workSite(await context(), found.site, { probing: found.probing, checkpoint })
  }
  return [
    createTask(siteWorkerJob, async ({ accountId, siteId: id }) => {
      const key = `${accountId}:${id}`
      if (working.has(key)) {
        working.set(key, true)
        return
      }
      working.set(key, false)
      let more = false
      try {
        more = await work({ accountId, id })
      } finally {
        more ||= working.get(key) === true
        working.delete(key)
        if (more) await queueSiteWorker(pool, { accountId, id })
      }
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

/** Milliseconds that a delivery waits to be alone in its process. Doubled with each try: the others may take as long as the last wait. */
export const soloTimeoutMs = (tries: number, { aloneWithinMs }: Pick<Timing, 'aloneWithinMs'>): number =>
  aloneWithinMs * 2 ** Math.min(tries, MAX_DOUBLINGS)

/** After a try that was given up the others go on for so many times as long as they stood still for it. */
const SOLO_BACKOFF_FACTOR = 2

/** Queues a site's worker behind the others'. One that waits keeps its place; one that runs comes round once more. */
export const queueSiteWorker = (pool: Pool, { accountId, id: siteId }: SiteId): Promise<void> =>
  enqueue(pool, siteWorkerJob, { accountId, siteId })

/** Sites whose traffic is kept: more than a process works on at once. */
const MAX_CACHED_SITES = 2_000

/** Milliseconds after which that of a site which nobody asked for is dropped. */
const TRAFFIC_TTL_MS = 60 * 60_000

/** One way of requests for each site of this process, so that all its deliveries together keep to what the site takes. */
function siteTraffics(): (site: DeliverySite) => DeliverySite {
  const kept = new LRUCache<string, SiteTraffic>({
    max: MAX_CACHED_SITES,
    ttl: TRAFFIC_TTL_MS,
    updateAgeOnGet: true,
  })
  return (site) => {
    const { accountId, id, client, connectedAs, settings } = site
    const { concurrency, batch } = settings
    const { username, sealedPassword } = connectedAs
    const key = JSON.stringify([accountId, id, client.site.restRoot, username, sealedPassword])
    const traffic = kept.get(key) ?? createSiteTraffic({ concurrency, batch })
    traffic.concurrency = concurrency
    traffic.batch = batch
    kept.set(key, traffic)
    return { ...site, client: client.with({ traffic }) }
  }
}
