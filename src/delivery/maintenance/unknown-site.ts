import type { Pool } from 'pg'
import { execute, inBatches, MANY_ROWS } from '../../database/statement.ts'
import type { Logger } from '../../log/log.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { siteHoldCodes } from '../ledger/failure.ts'
import {
  deliveryNotifications,
  type HeldLogEntry,
  logHeldDeliveries,
  notifiedColumns,
} from '../ledger/notifications.ts'
import { transition, transitionAllowed } from '../ledger/state.ts'

/** Holds, visible and routable, what waits in an account for sites no longer connected, also what a dead worker left. */
export const holdForUnknownSites = (pool: Pool, log: Logger): Promise<number> =>
  inBatches(MANY_ROWS, async () => {
    const { rows } = await pool.query<HeldLogEntry>(HOLD)
    logHeldDeliveries(log, rows)
    return rows.length
  })

// From site to site, by one look at the index for each, and not through all that is due; then as much of each site as fits into
// a batch. The rows are looked up by their ids alone: with a condition on them PostgreSQL may walk all that waits for each.
const HOLD = `WITH RECURSIVE place AS (
     (SELECT account_id, site_id FROM delivery WHERE due_at IS NOT NULL ORDER BY account_id, site_id LIMIT 1)
     UNION ALL
     SELECT next.account_id, next.site_id FROM place, LATERAL (
       SELECT d.account_id, d.site_id FROM delivery d
       WHERE d.due_at IS NOT NULL AND (d.account_id, d.site_id) > (place.account_id, place.site_id)
       ORDER BY d.account_id, d.site_id LIMIT 1) next
   ), found AS (
     SELECT id, status, due_at FROM delivery WHERE id = ANY (ARRAY(
       SELECT d.id FROM place, LATERAL (
         SELECT id FROM delivery WHERE account_id = place.account_id AND site_id = place.site_id AND due_at <= now()
         ORDER BY due_at LIMIT ${MANY_ROWS}) d
       WHERE NOT EXISTS (SELECT 1 FROM site s WHERE s.account_id = place.account_id AND s.id = place.site_id)
       LIMIT ${MANY_ROWS}))
     ORDER BY account_id, site_id, document_id FOR UPDATE
   ), waiting AS (
     UPDATE delivery d SET ${transition('strand', { to: 'held' })}, error = jsonb_build_object(
       'code', 'site_unknown', 'step', 'plan', 'message', 'Site ' || d.site_id || ' is no longer connected.'
       || ' Connect it again under this id, or send the delivery to another site with a retry.')
     FROM found WHERE d.id = found.id AND found.due_at <= now() AND ${transitionAllowed('strand', 'found')}
     RETURNING ${notifiedColumns('d')}
   ), ${notifyReceivers(deliveryNotifications('waiting'))}, recorded AS (
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'plan', 'held', 'site_unknown: ' || (error ->> 'message') FROM waiting
   )
   SELECT id AS delivery, document_id AS document, site_id AS site, error ->> 'code' AS code FROM waiting`

/** Queues what is held for a site that is connected after all, or has no trouble any more: neither saw the other while both were stored. */
export const queueForKnownSites = (pool: Pool): Promise<number> =>
  inBatches(MANY_ROWS, async () => await execute(pool, QUEUE, { waitsForSite: siteHoldCodes }))

// From one reason of a site to the next, by one look at the index for each: what stays held is not read again.
const QUEUE = `WITH RECURSIVE reason AS (
     (SELECT account_id, site_id, error ->> 'code' AS code, error ->> 'step' AS step FROM delivery
      WHERE status = 'held' ORDER BY account_id, site_id, error ->> 'code', error ->> 'step' LIMIT 1)
     UNION ALL
     SELECT next.account_id, next.site_id, next.code, next.step FROM reason, LATERAL (
       SELECT d.account_id, d.site_id, d.error ->> 'code' AS code, d.error ->> 'step' AS step FROM delivery d
       WHERE d.status = 'held' AND (d.account_id, d.site_id, d.error ->> 'code', d.error ->> 'step')
         > (reason.account_id, reason.site_id, reason.code, reason.step)
       ORDER BY d.account_id, d.site_id, d.error ->> 'code', d.error ->> 'step' LIMIT 1) next
   ), found AS (
     SELECT id, status FROM delivery WHERE id = ANY (ARRAY(
       SELECT d.id FROM reason JOIN site ON site.account_id = reason.account_id AND site.id = reason.site_id, LATERAL (
         SELECT id FROM delivery d WHERE d.account_id = reason.account_id AND d.site_id = reason.site_id AND d.status = 'held'
           AND d.error ->> 'code' = reason.code AND d.error ->> 'step' = reason.step LIMIT ${MANY_ROWS}) d
       WHERE reason.code = 'site_unknown'
         OR (reason.step = 'plan' AND reason.code = ANY (:waitsForSite) AND site.trouble IS NULL)
       LIMIT ${MANY_ROWS}))
     ORDER BY account_id, site_id, document_id FOR UPDATE
   ), resumed AS (
     UPDATE delivery d SET ${transition('resume', { to: 'queued', due: 'now()' })}, error = NULL
     FROM found WHERE d.id = found.id AND ${transitionAllowed('resume', 'found')} RETURNING d.id
   )
   INSERT INTO delivery_step (delivery_id, step, outcome, detail)
   SELECT id, 'plan', 'queued', 'the site is connected' FROM resumed`
