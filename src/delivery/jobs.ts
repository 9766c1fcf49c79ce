import { z } from 'zod'
import { addJob, defineJob, isReadyInQueue } from '../jobs/job.ts'

// The kinds of jobs that move deliveries. What each does is registered in work.ts.

/** Of any version: callers number their sites as they like. */
const id = z.guid()

/**
 * A site as jobs name it. By its account and its id, and so is everything of it in the queue: two accounts may use the
 * same id.
 */
const site = z.object({ accountId: id, siteId: id })

/** SQL: name of the queue that the jobs of a site share. Both arguments are SQL expressions of type uuid. */
export const siteQueue = (accountId: string, siteId: string): string =>
  `(${accountId} || ':' || ${siteId}::text)`

/** SQL: key of the site's worker. Both arguments are SQL expressions of type uuid. */
export const siteWorkerKey = (accountId: string, siteId: string): string =>
  `('site_worker:' || ${accountId} || ':' || ${siteId})`

/** Moves what is due for a site. However often it is added, one waits, and keeps its place in the line. */
export const siteWorkerJob = defineJob({
  name: 'site_worker',
  payload: site,
  queue: ({ accountId, siteId }) => siteQueue(accountId, siteId),
  key: ({ accountId, siteId }) => siteWorkerKey(accountId, siteId),
  keepsPlace: true,
})

/** A call that queues a site's worker. Both arguments are SQL expressions of type uuid. */
export const addSiteWorker = (accountId: string, siteId: string): string =>
  addJob(siteWorkerJob, { accountId, siteId })

/** A condition: a site's worker waits already and may run now. Both arguments are SQL expressions of type uuid. */
export const siteWorkerQueued = (accountId: string, siteId: string): string =>
  isReadyInQueue(siteWorkerJob, { accountId, siteId })

/**
 * Moves one delivery of a site with no other beside it; one after the other in the whole installation. `tries` is how often
 * in a row it was given up, since the others took longer.
 */
export const soloJob = defineJob({
  name: 'alone',
  payload: site.extend({ tries: z.int().min(0).default(0) }),
  queue: () => "'alone'",
  key: ({ accountId, siteId }) => `('alone:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Sites that are searched side by side in the whole installation; one that hangs holds up the others of its lane alone. */
const ORPHAN_LANES = 4

/**
 * Looks for what a site finished late. In lanes of its own: nobody waits for it, and it takes no site worker's place. It is
 * tried as often as any job, since a process that is killed over it counts as a try: how often the site is asked is `tries`.
 */
export const orphansJob = defineJob({
  name: 'reconcile_orphans',
  payload: z.object({ deliveryId: id, tries: z.int().min(0).default(0) }),
  queue: ({ deliveryId }) => `('reconcile_orphans:' || abs(hashtext(${deliveryId}::text) % ${ORPHAN_LANES}))`,
  key: ({ deliveryId }) => `('reconcile_orphans:' || ${deliveryId})`,
})

/**
 * A call that plans to look for what a site finished late. All three arguments are SQL expressions: a uuid, how often it
 * was tried, and milliseconds from now.
 */
export const addOrphanCheck = (deliveryId: string, tries: string, waitMs: string): string =>
  addJob(orphansJob, { deliveryId, tries }, waitMs)

/** Purges what is old; planned by its timetable alone. */
export const retentionJob = defineJob({ name: 'retention', payload: z.object({}) })
