import type { Pool } from 'pg'

/**
 * Starts a site's deliveries again after it was connected or reconnected: forgets its trouble, and queues what
 * was held because the site was unknown or waited for its owner. Deliveries that a person trashed, deleted or
 * changed stay held.
 *
 * @returns how many deliveries go on
 */
export async function resumeSite(
  pool: Pool,
  { accountId, siteId }: { accountId: string; siteId: string },
): Promise<number> {
  const { rows } = await pool.query<{ resumed: number }>(
    `WITH before AS (
       SELECT id, account_id, trouble ->> 'code' AS code FROM site WHERE id = $1 AND account_id = $2 FOR UPDATE
     ), cleared AS (
       UPDATE site SET trouble = NULL, trouble_count = 0, paused_until = NULL FROM before WHERE site.id = before.id
     ), resumed AS (
       UPDATE delivery d SET status = 'queued', due_at = now(), error = NULL, attempts = 0, updated_at = now()
       FROM before
       WHERE d.site_id = before.id AND d.account_id = before.account_id AND d.status = 'held'
         AND d.error ->> 'code' IN ('site_unknown', before.code)
       RETURNING d.id
     ), noted AS (
       INSERT INTO delivery_step (delivery_id, step, outcome, detail)
       SELECT id, 'plan', 'queued', 'the site was connected' FROM resumed
     ), pump AS (
       SELECT graphile_worker.add_job('pump', json_build_object('siteId', $1::uuid), queue_name => $1::text,
         job_key => 'pump:' || $1, job_key_mode => 'preserve_run_at')
       WHERE EXISTS (SELECT 1 FROM resumed)
     )
     SELECT (SELECT count(*)::int FROM resumed) AS resumed, (SELECT count(*) FROM pump)`,
    [siteId, accountId],
  )
  return rows[0]?.resumed ?? 0
}
