import type { Pool } from 'pg'
import type { ByteBudget } from '../../bytes/index.ts'
import { GalleyError } from '../../errors.ts'
import { enqueue } from '../../jobs/job.ts'
import { JOBS_AT_ONCE } from '../../jobs/runner.ts'
import { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import { type Task, task, type WorkingProcess } from '../../jobs/task.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Logger } from '../../log.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import type { FoundSite } from '../../sites/health/load-site.ts'
import type { SiteId } from '../../sites/site-id.ts'
import type { Upstreams } from '../../upstream/ask.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'
import { aloneJob, siteWorkerJob } from '../jobs.ts'
import { logHeld } from '../ledger/log-held.ts'
import { holdForOwner, stopForOwner } from '../ledger/stop.ts'
import { holdForUnknownSites } from '../maintenance/unknown-site.ts'
import { patienceAlone, REST_OF_OTHERS } from './alone.ts'
import { attemptAlone, type Checkpoint, workSite } from './site-worker.ts'
import { Traffics } from './traffics.ts'
import { queueSiteWorker } from './wake.ts'

export interface SiteTaskNeeds {
  pool: Pool
  outbound: Outbound
  findStored: FindStoredFile
  upstreams: Upstreams
  budget: ByteBudget
  log: Logger
  timing: Timing
  load(site: SiteId): Promise<FoundSite | null>
}

/** The jobs that move a site's deliveries. Its site worker has a queue of its own, so a site has one at a time. */
export function siteTasks(
  { pool, outbound, findStored, upstreams, budget, log, timing, load }: SiteTaskNeeds,
  { heartbeat, stopping }: WorkingProcess,
): Task[] {
  /** Under way in this process. */
  let working = 0
  const lock = new SharedExclusiveLock()
  const traffics = new Traffics()
  /** The site, or why its password cannot be read: nothing but the operator or the owner can mend that. */
  const opened = ({ open }: FoundSite): DeliverySite | GalleyError => {
    try {
      return traffics.through(open())
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
    if (state.waitsForOwner) logHeld(log, await holdForOwner(pool, id))
    if (state.waitsForOwner || state.resting) return null
    const site = opened(found)
    if (!(site instanceof GalleyError)) return { site, probing: state.probing }
    logHeld(log, (await stopForOwner(pool, id, connectedAs, site)) ?? [])
    return null
  }
  return [
    task(siteWorkerJob, async ({ accountId, siteId: id }) => {
      const found = await ready({ accountId, id })
      if (found === null) return
      const checkpoint: Checkpoint = {
        async site() {
          const now = await load({ accountId, id })
          const opens = now === null || now.state.probing || now.state.resting ? null : opened(now)
          return opens instanceof GalleyError ? null : opens
        },
        isWanted: () => working >= JOBS_AT_ONCE,
      }
      working += 1
      const { site, probing } = found
      const more = await workSite(await context(), site, { probing, checkpoint }).finally(() => {
        working -= 1
      })
      if (more) await queueSiteWorker(pool, { accountId, id })
    }),
    task(aloneJob, async ({ accountId, siteId: id, tries }) => {
      const move = async () => {
        const found = await ready({ accountId, id })
        if (found !== null) await attemptAlone(await context(), found.site, found)
      }
      const patienceMs = patienceAlone(tries, timing)
      if (await lock.exclusive(move, AbortSignal.timeout(patienceMs))) return
      const againInMs = REST_OF_OTHERS * patienceMs
      log.warn(
        { site: id, tries: tries + 1, patienceMs, againInMs },
        'a delivery that must be alone is postponed: others take longer',
      )
      await enqueue(pool, aloneJob, { accountId, siteId: id, tries: tries + 1 }, againInMs)
    }),
  ]
}
