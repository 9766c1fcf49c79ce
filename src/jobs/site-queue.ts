/**
 * SQL of the jobs of a site. A site is named by its account and its id, and so is everything of it in the queue: two
 * accounts may use the same id. Both arguments are SQL expressions of type uuid.
 */

/** Name of the queue that the jobs of a site share; of one queue one job runs at a time. */
export const siteQueue = (accountId: string, siteId: string): string =>
  `(${accountId} || ':' || ${siteId}::text)`

/** Key of the site's pump: however often it is added, one waits. */
export const pumpKey = (accountId: string, siteId: string): string =>
  `('pump:' || ${accountId} || ':' || ${siteId})`

/** A call that queues the site's pump; one that waits already keeps its place in the line. */
export const addPump = (accountId: string, siteId: string): string =>
  `graphile_worker.add_job('pump', json_build_object('accountId', ${accountId}, 'siteId', ${siteId}),
    queue_name => ${siteQueue(accountId, siteId)}, job_key => ${pumpKey(accountId, siteId)},
    job_key_mode => 'preserve_run_at')`
