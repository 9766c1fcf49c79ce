import type { Pool } from 'pg'
import { waitsForSite } from './resume.ts'

/**
 * Holds, visible and routable, all that waits for sites that are no longer connected: in the account that the delivery
 * belongs to. What a dead worker left in its midst is among it.
 */
export async function holdForUnknownSites(pool: Pool): Promise<void> {
  await pool.query(
    `WITH waiting AS (
       UPDATE delivery d SET status = 'held', due_at = NULL, updated_at = now(), error = jsonb_build_object(
         'code', 'site_unknown', 'step', 'plan', 'message', 'Site ' || d.site_id || ' is no longer connected.'
         || ' Connect it again under this id, or send the delivery to another site with a retry.')
       WHERE d.due_at <= now()
         AND NOT EXISTS (SELECT 1 FROM site s WHERE s.id = d.site_id AND s.account_id = d.account_id)
       RETURNING d.id, d.error
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'plan', 'held', 'site_unknown: ' || (error ->> 'message') FROM waiting`,
  )
}

/**
 * Queues what is held for a site that is connected after all, or that has no trouble any more: its webhook was being
 * stored, or held, while the site was being connected, and neither saw the other. Only a site's trouble holds a delivery
 * at its `plan`.
 */
export async function queueForKnownSites(pool: Pool): Promise<void> {
  await pool.query(
    // By account first: the held ones of an account are few beside all that a site has had.
    `WITH resumed AS (
       UPDATE delivery d SET status = 'queued', due_at = now(), error = NULL, updated_at = now()
       FROM (
         SELECT held.id FROM account
         JOIN delivery held ON held.account_id = account.id AND held.status = 'held'
         JOIN site ON site.id = held.site_id AND site.account_id = account.id
         WHERE held.error ->> 'code' = 'site_unknown'
           OR (held.error ->> 'step' = 'plan' AND held.error ->> 'code' = ANY ($1) AND site.trouble IS NULL)
       ) found
       WHERE d.id = found.id AND d.status = 'held' RETURNING d.id
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'plan', 'queued', 'the site is connected' FROM resumed`,
    [waitsForSite],
  )
}
