import { z } from 'zod'
import { defineJob } from '../../jobs/job.ts'

// The kinds of jobs that look at sites. What each does is registered in work.ts.

/** Of any version: callers number their sites as they like. */
const id = z.guid()

/** Sites that are checked side by side after a failure; one that hangs holds up the others of its lane. */
const LANES = 4

/** Sends the doctor to a site that failed. However often it is added, one waits, and keeps its time. */
export const checkAfterFailureJob = defineJob({
  name: 'examine_site',
  payload: z.object({ accountId: id, siteId: id }),
  queue: ({ siteId }) => `('examine:' || abs(hashtext(${siteId}::text) % ${LANES}))`,
  key: ({ accountId, siteId }) => `('examine:' || ${accountId} || ':' || ${siteId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

/** Sends the doctor to all sites of a check. */
export const checkJob = defineJob({
  name: 'check_sites',
  payload: z.object({ checkId: id }),
  maxAttempts: 3,
})
