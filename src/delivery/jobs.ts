import { z } from 'zod'
import { addJob, defineJob, isReadyInQueue, laneOf } from '../jobs/job.ts'

// The kinds of jobs that move deliveries. What each does is registered in work.ts.

/** Of any version: callers number their sites as they like. */
const id = z.guid()

/** A site as jobs name it: by its account too, since two accounts may use the same id. */
const site = z.object({ accountId: id, siteId: id })

/** Moves what is due for a site. One waits, however often it is added; a second beside a running one leaves it the site. */
export const siteWorkerJob = defineJob({
  name: 'site_worker',
  payload: site,
  key: ({ accountId, siteId }) => `('site_worker:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
})

/** A call that queues a site's worker. Both arguments are SQL expressions of type uuid. */
export const addSiteWorker = (accountId: string, siteId: string): string =>
  addJob(siteWorkerJob, { accountId, siteId })

/** A condition: a site's worker waits already and may run now. Both arguments are SQL expressions of type uuid. */
export const siteWorkerQueued = (accountId: string, siteId: string): string =>
  isReadyInQueue(siteWorkerJob, { accountId, siteId })

/** Moves one delivery of a site alone in the installation. `tries`: how often in a row the others took too long. */
export const soloJob = defineJob({
  name: 'alone',
  payload: site.extend({ tries: z.int().min(0).default(0) }),
  queue: () => "'alone'",
  key: ({ accountId, siteId }) => `('alone:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Starts again what else was held because a source's upstream refused Galley, a batch at a time. */
export const resumeSourceJob = defineJob({
  name: 'resume_source',
  payload: z.object({ accountId: id, id }),
  key: ({ id }) => `('resume_source:' || ${id})`,
})

/** Sites whose posts are looked at side by side in the whole installation. */
const PUBLIC_CHECK_LANES = 8

/** Looks at the posts of a site that went public, as a stranger. Nobody waits for it, and it takes no site worker's place. */
export const publicCheckJob = defineJob({
  name: 'public_check',
  payload: site,
  queue: ({ siteId }) => `('public_check:' || ${laneOf(siteId, PUBLIC_CHECK_LANES)})`,
  key: ({ accountId, siteId }) => `('public_check:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Sites that are searched side by side in the whole installation; one that hangs holds up the others of its lane alone. */
const ORPHAN_LANES = 4

/** Looks for what a site finished late. Repeated as any job after a killed process; `tries` counts looks at the site. */
export const orphansJob = defineJob({
  name: 'reconcile_orphans',
  payload: z.object({ deliveryId: id, tries: z.int().min(0).default(0) }),
  queue: ({ deliveryId }) => `('reconcile_orphans:' || ${laneOf(deliveryId, ORPHAN_LANES)})`,
  key: ({ deliveryId }) => `('reconcile_orphans:' || ${deliveryId})`,
})

/** Plans to look for what a site finished late. SQL expressions: a uuid, how often it was tried, milliseconds from now. */
export const addOrphanCheck = (deliveryId: string, tries: string, waitMs: string): string =>
  addJob(orphansJob, { deliveryId, tries }, waitMs)
