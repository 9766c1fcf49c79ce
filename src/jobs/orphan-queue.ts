/** Sites that are tidied side by side in the whole installation; one that hangs holds up the others of its lane alone. */
const LANES = 4

/**
 * A call that plans to look for what a site finished late. In lanes of its own: nobody waits for it, and it takes no
 * pump's place. All three arguments are SQL expressions: a uuid, how often it was tried, and milliseconds from now.
 */
export const addTidy = (deliveryId: string, tries: string, waitMs: string): string =>
  `graphile_worker.add_job('tidy', json_build_object('deliveryId', ${deliveryId}, 'tries', ${tries}),
    queue_name => 'tidy:' || abs(hashtext(${deliveryId}::text) % ${LANES}), job_key => 'tidy:' || ${deliveryId},
    max_attempts => 3, run_at => now() + ${waitMs}::float8 * interval '1 millisecond')`
