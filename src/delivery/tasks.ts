import { makeWorkerUtils, type TaskList } from 'graphile-worker'
import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { runCheck } from '../sites/checks.ts'
import type { SiteId } from '../sites/registry.ts'
import type { DeliverySite } from './delivering.ts'
import { examineAfterFailure } from './doctor.ts'
import type { Heartbeat } from './heartbeat.ts'
import { type FoundSite, loadSite } from './load-site.ts'
import { type Lookout, pump } from './pump.ts'
import { resumeSite } from './resume.ts'
import { thin } from './retention.ts'
import { holdForOwner, stopForOwner } from './site-trouble.ts'
import { tidy } from './tidy.ts'
import { holdForUnknownSites } from './unknown-site.ts'
import { hasOtherJobs, queuePump } from './wake.ts'
import type { DeliveryWorkerOptions } from './worker.ts'

/** Sites a process serves at once. One that hangs keeps one of them busy until its time-out, so there are many. */
export const PUMPS = 1_000

/** Of any version: callers number their sites as they like. */
const id = z.guid()

const siteSchema = z
  .object({ accountId: id, siteId: id })
  .transform(({ accountId, siteId }) => ({ accountId, id: siteId }))
const tidySchema = z.object({ deliveryId: id })
const checkSchema = z.object({ checkId: id })

/** The jobs of the queue, by name: `pump` and `tidy` of a site have a queue of their own, so a site has one at a time. */
export function createTasks(
  { database: { prisma, pool }, outbound, keyring, log, timing, retentionDays }: DeliveryWorkerOptions,
  alive: Promise<Heartbeat>,
  stopping: AbortSignal,
): TaskList {
  /** Under way in this process. */
  let pumps = 0
  const load = (site: SiteId) => loadSite({ prisma, keyring, outbound, timing }, site)
  return {
    async pump(payload) {
      const siteId = siteSchema.parse(payload)
      const found = await load(siteId)
      if (found === null) return holdForUnknownSites(pool)
      const { state, connectedAs } = found
      if (state.waitsForOwner) return holdForOwner(pool, siteId)
      if (state.resting) return
      const site = opened(found)
      if (site instanceof GalleyError) {
        await stopForOwner(pool, siteId, connectedAs, site)
        return
      }
      const context = { pool, outbound, log, timing, heartbeat: await alive, stopping }
      const lookout: Lookout = {
        async site() {
          const now = await load(siteId)
          const opens = now === null || now.state.probing ? null : opened(now)
          return opens instanceof GalleyError ? null : opens
        },
        isWanted: async () => pumps >= PUMPS || (await hasOtherJobs(pool, siteId)),
      }
      pumps += 1
      const more = await pump(context, site, { probing: state.probing, lookout }).finally(() => {
        pumps -= 1
      })
      if (more) await queuePump(pool, siteId)
    },
    async tidy(payload) {
      const siteOf = async (site: SiteId) => (await load(site))?.open() ?? null
      await tidy({ pool, log, timing, siteOf }, tidySchema.parse(payload).deliveryId)
    },
    async check_sites(payload) {
      const resume = (site: SiteId) => resumeSite(pool, site)
      await runCheck(
        { prisma, pool, keyring, outbound, resume },
        checkSchema.parse(payload).checkId,
        stopping,
      )
    },
    async examine_site(payload) {
      await examineAfterFailure({ prisma, keyring, outbound, log }, siteSchema.parse(payload))
    },
    async retention() {
      if (retentionDays > 0) {
        const thinned = await thin(pool, retentionDays)
        log.info(thinned, `thinned what is older than ${retentionDays} days`)
      }
      // What killed processes leave in the job queue, and the queues of sites that are gone.
      const utils = await makeWorkerUtils({ pgPool: pool })
      await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS', 'GC_JOB_QUEUES'] })
      await utils.release()
    },
  }
}

/** The site, or why its password cannot be read: nothing but the operator or the owner can mend that. */
function opened({ open }: FoundSite): DeliverySite | GalleyError {
  try {
    return open()
  } catch (error) {
    if (error instanceof GalleyError) return error
    throw error
  }
}
