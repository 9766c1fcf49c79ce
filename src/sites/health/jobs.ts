import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'

// The kinds of jobs that look at sites. What each does is registered in work.ts.

/** Of any version: callers number their sites as they like. */
const id = z.guid()

/** Sites that are checked side by side after a failure; one that hangs holds up the others of its lane. */
const LANES = 4

/** Sends the doctor to a site that failed. However often it is added, one waits, and keeps its time. */
export const checkAfterFailureJob = defineJob({
  name: 'check_site',
  payload: z.object({ accountId: id, siteId: id }),
  queue: ({ siteId }) => `('check_site:' || abs(hashtext(${siteId}::text) % ${LANES}))`,
  key: ({ accountId, siteId }) => `('check_site:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Sends the doctor to all sites of a check: as many of an account at once as it has lanes, however many it asks for. */
export const checkJob = defineJob({
  name: 'check_sites',
  payload: z.object({ checkId: id, accountId: id }),
  queue: ({ checkId, accountId }) =>
    `('check:' || ${accountId} || ':' || abs(hashtext(${checkId}::text) % ${LANES}))`,
  key: ({ checkId }) => `('check:' || ${checkId})`,
  maxAttempts: 3,
})

/** Removes old checks; planned by its timetable alone. */
export const forgetChecksJob = defineJob({ name: 'forget_checks', payload: z.object({}) })
