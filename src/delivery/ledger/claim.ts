import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { IS_ACCOUNT_ENABLED } from '../../jobs/job.ts'
import { claimedBy, LEASE_END, type LeasedTable, reclaimAbandoned } from '../../jobs/leased-work.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { addOrphanCheck } from '../jobs.ts'
import { deliveryNotifications, notifiedColumns } from './notifications.ts'
import { ABANDONED_SITES } from './ownership.ts'
import { type DeliveryRow, transition, transitionAllowed } from './state.ts'

/** Claims in a row whose process ended over them, after which a delivery is done with no other beside it. */
export const CRASHES_BEFORE_SOLO = 2

/** And after which it is left aside: the last one can have been nobody else's. */
const MAX_CRASHES = 3

const CRASH_HOLD_MESSAGE =
  "Galley's process ended three times while it worked on this delivery, the last time on nothing else, so it is left aside and the others go on. Most likely the document, one of its pictures or an answer of the site needs more memory than the process has. Send it smaller, or give the process more memory (NODE_OPTIONS=--max-old-space-size, in megabytes), then retry this delivery. The last lines of the process say how it ended."

const IS_BLAMED = `(a.died AND cardinality(w.crashed) >= ${MAX_CRASHES - 1})`

/**
 * Claimed deliveries. A death of the process is counted by the fence of the claim: the delivery may have been the cause.
 * One that is held after an unclear answer gets a search for orphans here: no later attempt settles it and plans that.
 */
export const deliveryLeases: LeasedTable = {
  table: 'delivery',
  isHeld: transitionAllowed('settle', 'w'),
  lockOrder: 'w.account_id, w.site_id, w.document_id',
  expires: 'due_at',
  free: transition('giveBack', { to: 'queued', due: 'now()' }),
  takeOver: {
    sets: `crashed = CASE WHEN a.died THEN w.crashed || w.fence ELSE w.crashed END,
      ${transition('takeOver', { when: IS_BLAMED, to: 'held' }, { to: 'queued', due: 'now()' })},
      error = CASE WHEN NOT (${IS_BLAMED}) THEN w.error ELSE jsonb_build_object(
        'code', 'process_ended', 'message', :message::text, 'step', coalesce(
          (SELECT s.step FROM delivery_step s WHERE s.delivery_id = w.id ORDER BY s.id DESC LIMIT 1), 'plan')) END`,
    returning: `${notifiedColumns('w')}, w.ambiguous_at, a.died`,
    more: `, ${notifyReceivers(deliveryNotifications('taken'))}, recorded AS (
        INSERT INTO delivery_step (delivery_id, step, outcome, detail)
        SELECT id, 'claim', CASE WHEN status = 'held' THEN 'held' ELSE 'process_ended' END,
          CASE WHEN status = 'held' THEN (error ->> 'code') || ': ' || (error ->> 'message')
            ELSE 'the process that worked on this ended' END
        FROM taken WHERE died
      )
      SELECT ${addOrphanCheck('id', '0', ':orphansAfterMs')} FROM taken
      WHERE status = 'held' AND ambiguous_at IS NOT NULL`,
  },
}

/** Takes over the deliveries of dead processes; see {@link reclaimAbandoned}. */
export const reclaimDeliveries = (
  database: Queryable,
  { deadAfterS, orphansAfterMs }: Pick<Timing, 'deadAfterS' | 'orphansAfterMs'>,
) => reclaimAbandoned(database, deliveryLeases, { deadAfterS, orphansAfterMs, message: CRASH_HOLD_MESSAGE })

/** The site of an account; both are SQL expressions of type uuid. */
interface SiteSql {
  accountId: string
  siteId: string
}

/** SQL: a process has claimed the site's deliveries. A lease ends in the future, so the index of due dates has only these. */
export const isWorkedOn = (site: SiteSql, byWhom = ''): string =>
  existsByDueDate(site, `due_at > now() AND ${transitionAllowed('settle', 'd')}${byWhom}`)

/** A condition: deliveries of the site are due, and may be claimed. */
export const isDue = (site: SiteSql): string =>
  existsByDueDate(site, `due_at <= now() AND ${transitionAllowed('claim', 'd')}`)

/** The order has PostgreSQL take the index of due dates, also of a table that was not analysed since it grew. */
const existsByDueDate = ({ accountId, siteId }: SiteSql, condition: string): string =>
  `EXISTS (SELECT FROM (
    SELECT FROM delivery d WHERE d.account_id = ${accountId} AND d.site_id = ${siteId} AND d.${condition}
    ORDER BY d.due_at LIMIT 1) found)`

export interface ClaimRequest {
  siteId: string
  accountId: string
  /** The process that will hold the lease. */
  worker: string
  /** Seconds that the claim holds without a word of that process. */
  leaseS: number
}

const CLAIM_COLUMNS = `d.id, d.account_id, d.site_id, d.document_id, d.reference, d.wanted_event_id, d.delivered_event_id, d.status,
  d.fence, d.attempts, d.site_failures, d.site_failed_at, d.reserve_intent_at, d.ambiguous_at, d.post_id, d.post_type,
  d.post_status, d.sent_hash, d.answered, d.on_loss, d.withdraw_to, d.canonical, d.replaced,
  CASE WHEN d.post_id IS NULL THEN ${ABANDONED_SITES} ELSE '{}' END AS abandoned_sites`

/** Deliveries that are claimed together at most, and move side by side. */
export const COHORT_SIZE = 20

/** Bytes that their documents and what is remembered of their posts have together, unless the first has more. */
const COHORT_BYTES = 1024 * 1024

/**
 * Takes the deliveries of a site that are due the longest, as many as may move together, and raises the fence of each. None when the
 * site is paused by hand, or another process holds deliveries of it. One whose process ended over it comes without others behind it.
 */
export const claimNext = (pool: Pool, request: ClaimRequest, most = COHORT_SIZE): Promise<DeliveryRow[]> =>
  claim(pool, request, { name: `claim-next-${most}`, which: IS_NOT_SOLO, order: 'due_at', most })

/** Takes what tells most of a site in trouble: what it never failed, or failed longest ago, so no document blocks others. */
export const claimProbe = async (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> => {
  const order = 'site_failed_at NULLS FIRST, due_at'
  const [row] = await claim(pool, request, { name: 'claim-probe', which: IS_NOT_SOLO, order, most: 1 })
  return row ?? null
}

/** Takes a delivery of a site that is to be done with no other beside it; null when none is due. */
export const claimSolo = async (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> => {
  const solo = { name: 'claim-alone', which: IS_SOLO, order: 'due_at', most: 1, besideOthers: true }
  const [row] = await claim(pool, request, solo)
  return row ?? null
}

const IS_SOLO = `cardinality(crashed) >= ${CRASHES_BEFORE_SOLO}`
const IS_NOT_SOLO = `cardinality(crashed) < ${CRASHES_BEFORE_SOLO}`

interface ClaimSelection {
  name: string
  which: string
  order: string
  /** Stands in the statement as a number: for a parameter PostgreSQL would plan as if it were any. */
  most: number
  /** Whether other processes may hold deliveries of the site meanwhile. */
  besideOthers?: boolean
}

async function claim(
  pool: Pool,
  { siteId, accountId, worker, leaseS }: ClaimRequest,
  { name, which, order, most, besideOthers = false }: ClaimSelection,
): Promise<DeliveryRow[]> {
  const others = isWorkedOn({ accountId: ':accountId', siteId: ':siteId' }, ' AND d.leased_by <> :worker')
  const { rows } = await pool.query<DeliveryRow>({
    name,
    ...named(
      `WITH due AS (
         SELECT due.id, due.due_at, due.wanted_event_id, due.answered, due.replaced, due.crashed FROM delivery due
         WHERE due.site_id = :siteId AND due.account_id = :accountId AND due.due_at <= now()
           AND ${transitionAllowed('claim', 'due')} AND ${which} AND NOT EXISTS (
             SELECT FROM site WHERE site.account_id = :accountId AND site.id = :siteId AND site.stopped_at IS NOT NULL)
           AND ${IS_ACCOUNT_ENABLED(':accountId')}${besideOthers ? '' : ` AND NOT ${others}`}
         ORDER BY ${order} LIMIT ${most} FOR UPDATE SKIP LOCKED
       ), measured AS (
         SELECT due.id, due.due_at, cardinality(due.crashed) > 0 AS suspect,
           event.traceparent,
           coalesce(octet_length(coalesce(event.confirmed_body, event.body)), 0) AS document_bytes, coalesce(pg_column_size(due.answered), 0) + coalesce(pg_column_size(due.replaced), 0) AS answered
         FROM due LEFT JOIN event ON event.id = due.wanted_event_id
       ), cohort AS (
         SELECT id, traceparent, document_bytes, row_number() OVER line AS place, bool_or(suspect) OVER line AS suspect,
           sum(document_bytes + answered) OVER line AS bytes
         FROM measured WINDOW line AS (ORDER BY due_at, id ROWS UNBOUNDED PRECEDING)
       )
       UPDATE delivery AS d SET ${claimedBy('d')},
         ${transition('claim', { to: 'delivering', due: LEASE_END })}
       FROM cohort
       WHERE d.id = cohort.id AND (cohort.place = 1 OR (cohort.bytes <= ${COHORT_BYTES} AND NOT cohort.suspect))
       RETURNING ${CLAIM_COLUMNS}, clock_timestamp() AS claimed_at, cohort.document_bytes, cohort.traceparent`,
      { siteId, accountId, worker, leaseS },
    ),
  })
  return rows
}
