import { makeWorkerUtils, type TaskList } from 'graphile-worker'
import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import type { Heartbeat } from '../../jobs/heartbeat.ts'
import { runCheck } from '../../sites/health/checks.ts'
import { examineAfterFailure } from '../../sites/health/doctor.ts'
import { type FoundSite, loadSite } from '../../sites/health/load-site.ts'
import { holdForOwner, stopForOwner } from '../../sites/health/outage.ts'
import { resumeSite } from '../../sites/health/resume.ts'
import type { SiteId } from '../../sites/registry.ts'
import { finishRemoval } from '../../sources/removal.ts'
import { counted } from '../../text.ts'
import { tidy } from '../maintenance/orphans.ts'
import { thin } from '../maintenance/retention.ts'
import { holdForUnknownSites } from '../maintenance/unknown-site.ts'
import type { DeliverySite } from '../steps/context.ts'
import { Company } from './company.ts'
import { type Lookout, moveAlone, pump } from './site-worker.ts'
import { queuePump } from './wake.ts'
import type { DeliveryWorkerOptions } from './worker.ts'

/** Sites a process serves at once. One that hangs keeps one of them busy until its time-out, so there are many. */
export const PUMPS = 1_000

/** Milliseconds after which a removed source is looked at again that a delivery still needs an event of. */
const REMOVAL_LOOK_MS = 3_600_000

/** Of any version: callers number their sites as they like. */
const id = z.guid()

const siteSchema = z
  .object({ accountId: id, siteId: id })
  .transform(({ accountId, siteId }) => ({ accountId, id: siteId }))
const tidySchema = z.object({ deliveryId: id, tries: z.int().min(0).default(0) })
const checkSchema = z.object({ checkId: id })
const sourceSchema = z.object({ sourceId: id })

/** The jobs of the queue, by name. The pump of a site has a queue of its own, so a site has one at a time. */
export function createTasks(
  {
    database: { prisma, pool },
    outbound,
    budget,
    keyring,
    log,
    timing,
    retentionDays,
  }: DeliveryWorkerOptions,
  alive: Promise<Heartbeat>,
  stopping: AbortSignal,
): TaskList {
  /** Under way in this process. */
  let pumps = 0
  const load = (site: SiteId) => loadSite({ prisma, keyring, outbound, timing }, site)
  const company = new Company()
  const context = async () => ({
    pool,
    outbound,
    budget,
    log,
    timing,
    heartbeat: await alive,
    company,
    stopping,
  })
  /** The site, where something may be sent to it now; else what waits for it is told why. */
  const ready = async (id: SiteId): Promise<{ site: DeliverySite; probing: boolean } | null> => {
    const found = await load(id)
    if (found === null) {
      await holdForUnknownSites(pool)
      return null
    }
    const { state, connectedAs } = found
    if (state.waitsForOwner) await holdForOwner(pool, id)
    if (state.waitsForOwner || state.resting) return null
    const site = opened(found)
    if (!(site instanceof GalleyError)) return { site, probing: state.probing }
    await stopForOwner(pool, id, connectedAs, site)
    return null
  }
  return {
    async pump(payload) {
      const id = siteSchema.parse(payload)
      const found = await ready(id)
      if (found === null) return
      const lookout: Lookout = {
        async site() {
          const now = await load(id)
          const opens = now === null || now.state.probing ? null : opened(now)
          return opens instanceof GalleyError ? null : opens
        },
        isWanted: () => pumps >= PUMPS,
      }
      pumps += 1
      const { site, probing } = found
      const more = await pump(await context(), site, { probing, lookout }).finally(() => {
        pumps -= 1
      })
      if (more) await queuePump(pool, id)
    },
    async alone(payload) {
      const id = siteSchema.parse(payload)
      const move = async () => {
        const found = await ready(id)
        if (found !== null) await moveAlone(await context(), found.site, found)
      }
      // Where others take longer, the sweep comes back to it.
      await company.alone(move, timing.aloneWithinMs)
    },
    async tidy(payload) {
      const siteOf = async (site: SiteId) => {
        const found = await load(site)
        if (found?.state.resting || found?.state.waitsForOwner) return 'rests'
        return found?.open() ?? null
      }
      await tidy({ pool, log, timing, siteOf }, tidySchema.parse(payload))
    },
    async check_sites(payload) {
      const resume = (site: SiteId) => resumeSite(pool, site)
      await runCheck(
        { prisma, pool, keyring, outbound, resume },
        checkSchema.parse(payload).checkId,
        stopping,
      )
    },
    async remove_source(payload, { addJob }) {
      const { sourceId } = sourceSchema.parse(payload)
      if (await finishRemoval(prisma, sourceId, stopping)) return
      await addJob('remove_source', { sourceId }, { runAt: new Date(Date.now() + REMOVAL_LOOK_MS) })
    },
    async examine_site(payload) {
      await examineAfterFailure({ prisma, keyring, outbound, log }, siteSchema.parse(payload))
    },
    async retention() {
      if (retentionDays > 0) {
        const thinned = await thin(pool, retentionDays)
        log.info(thinned, `purged what is older than ${counted(retentionDays, 'day')}`)
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
