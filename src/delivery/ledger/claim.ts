import type { Pool } from 'pg'
import { named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { LeaseKind, Timing } from '../../jobs/heartbeat.ts'
import { IS_ACCOUNT_ENABLED } from '../../jobs/unfinished-jobs.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { addOrphanCheck } from '../jobs.ts'
import { deliveryNotifications, notifiedColumns } from './notifications.ts'
import { type DeliveryRow, transition, transitionAllowed } from './state.ts'

/** Claims in a row whose process ended over them, after which a delivery is done with no other beside it. */
export const CRASHES_BEFORE_SOLO = 2

/** And after which it is left aside: the last one can have been nobody else's. */
const MAX_CRASHES = 3

const IS_BLAMED = `cardinality(c.crashed) >= ${MAX_CRASHES}`

const NOTIFICATIONS = notifyReceivers(deliveryNotifications('taken'))

const CRASH_HOLD_MESSAGE =
  "Galley's process ended three times while it worked on this delivery, the last time on nothing else, so it is left aside and the others go on. Most likely the document, one of its pictures or an answer of the site needs more memory than the process has. Send it smaller, or give the process more memory (NODE_OPTIONS=--max-old-space-size, in megabytes), then retry this delivery. The last lines of the process say how it ended."

/**
 * Queues again what nobody works on any more: its process has died, or has lost sight of it. A death is counted on the
 * delivery, by the fence of the claim: it may have been the cause. Not counted is what a process gave back, and what was
 * under way in one that was asked to stop.
 *
 * One that is held for it, and for which a site may have made something that nobody heard of, is planned to be looked for
 * (maintenance/orphans.ts): no attempt of its own will settle it and plan that.
 *
 * To be called only by a process that has itself been heard for as long as it takes to call another one dead: after a gap
 * of the database everybody's beat is old. A process that merely slept takes its death back (see {@link retractCrash}).
 */
export async function reclaimAbandoned(
  database: Queryable,
  { deadAfterS, orphansAfterMs }: Timing,
): Promise<void> {
  await database.query({
    name: 'take-over',
    ...named(
      `WITH alive AS (
        SELECT id FROM worker_process WHERE beat_at > now() - make_interval(secs => :deadAfterS)
      ), abandoned AS (
        SELECT d.id, d.fence, d.crashed, d.leased_by IS NOT NULL AND p.stopping_at IS NULL
          AND NOT EXISTS (SELECT FROM alive WHERE alive.id = d.leased_by) AS died
        FROM delivery d LEFT JOIN worker_process p ON p.id = d.leased_by
        WHERE ${transitionAllowed('takeOver', 'd')}
          AND (d.due_at <= now() OR NOT EXISTS (SELECT FROM alive WHERE alive.id = d.leased_by))
        ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d SKIP LOCKED
      ), counted AS (
        SELECT id, died, CASE WHEN died THEN crashed || fence ELSE crashed END AS crashed FROM abandoned
      ), taken AS (
        UPDATE delivery d SET crashed = c.crashed, leased_by = NULL,
          ${transition('takeOver', { when: IS_BLAMED, to: 'held' }, { to: 'queued', due: 'now()' })},
          error = CASE WHEN NOT (${IS_BLAMED}) THEN d.error ELSE jsonb_build_object(
            'code', 'process_ended', 'message', :words::text, 'step', coalesce(
              (SELECT s.step FROM delivery_step s WHERE s.delivery_id = d.id ORDER BY s.id DESC LIMIT 1), 'plan')) END
        FROM counted c WHERE d.id = c.id
        RETURNING ${notifiedColumns('d')}, d.ambiguous_at, c.died
      ), ${NOTIFICATIONS}, recorded AS (
        INSERT INTO delivery_step (delivery_id, step, outcome, detail)
        SELECT id, 'claim', CASE WHEN status = 'held' THEN 'held' ELSE 'process_ended' END,
          CASE WHEN status = 'held' THEN (error ->> 'code') || ': ' || (error ->> 'message')
            ELSE 'the process that worked on this ended' END
        FROM taken WHERE died
      )
      SELECT ${addOrphanCheck('id', '0', ':orphansAfterMs')} FROM taken WHERE status = 'held' AND ambiguous_at IS NOT NULL`,
      { deadAfterS, words: CRASH_HOLD_MESSAGE, orphansAfterMs },
    ),
  })
}

const RETRACTED = transition(
  'revive',
  { when: 'found.wrongly_held', to: 'queued', due: 'now()' },
  { stateOf: 'd.status', due: 'd.due_at' },
)

/**
 * Says that the process of this claim lives: it only slept, or had lost the database, and has found its delivery taken
 * over. The death that was counted for it was none.
 */
export async function retractCrash(
  pool: Pool,
  { id, fence }: Pick<DeliveryRow, 'id' | 'fence'>,
): Promise<void> {
  await pool.query(
    named(
      `UPDATE delivery d SET crashed = found.crashed, ${RETRACTED},
         error = CASE WHEN found.wrongly_held THEN NULL ELSE d.error END
       FROM (
         SELECT d.id, array_remove(d.crashed, :fence::int) AS crashed,
           ${transitionAllowed('revive', 'd')} AND d.error ->> 'code' = 'process_ended'
             AND cardinality(array_remove(d.crashed, :fence::int)) < ${MAX_CRASHES} AS wrongly_held
         FROM delivery d WHERE d.id = :id AND :fence::int = ANY (d.crashed) FOR UPDATE
       ) found
       WHERE d.id = found.id`,
      { id, fence },
    ),
  )
}

export interface ClaimRequest {
  siteId: string
  accountId: string
  /** The process that will hold the lease. */
  worker: string
  /** Seconds that the claim holds without a word of that process. */
  leaseS: number
}

const CLAIM_COLUMNS = `d.id, d.account_id, d.site_id, d.document_id, d.wanted_event_id, d.delivered_event_id, d.status,
  d.fence, d.attempts, d.site_failures, d.site_failed_at, d.reserve_intent_at, d.ambiguous_at, d.post_id, d.post_type,
  d.post_status, d.sent_hash, d.answered`

/** Deliveries that are claimed together at most, and move side by side. */
export const COHORT_SIZE = 10

/** Bytes that their documents and what is remembered of their posts have together, unless the first has more. */
const COHORT_BYTES = 1024 * 1024

/**
 * Takes the deliveries of a site that have been due the longest, as many as may move together. Raises the fence of each,
 * so that whoever held it before can no longer write. None when none is due, or the site is paused by hand. Never one that is to be alone
 * (delivery/ledger/claim.ts); and one whose process ended over it comes without others behind it, which would end with it.
 */
export const claimNext = (pool: Pool, request: ClaimRequest, most = COHORT_SIZE): Promise<DeliveryRow[]> =>
  claim(pool, request, { name: `claim-next-${most}`, which: IS_NOT_SOLO, order: 'due_at', most })

/**
 * Takes the delivery that tells most about a site in trouble: one that the site never failed, or else the one that it
 * failed longest ago. A document that itself breaks the site is thereby no obstacle to the others.
 */
export const claimProbe = async (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> => {
  const order = 'site_failed_at NULLS FIRST, due_at'
  const [row] = await claim(pool, request, { name: 'claim-probe', which: IS_NOT_SOLO, order, most: 1 })
  return row ?? null
}

/** Takes a delivery of a site that is to be done with no other beside it; null when none is due. */
export const claimSolo = async (pool: Pool, request: ClaimRequest): Promise<DeliveryRow | null> => {
  const [row] = await claim(pool, request, { name: 'claim-alone', which: IS_SOLO, order: 'due_at', most: 1 })
  return row ?? null
}

const IS_SOLO = `cardinality(crashed) >= ${CRASHES_BEFORE_SOLO}`
const IS_NOT_SOLO = `cardinality(crashed) < ${CRASHES_BEFORE_SOLO}`

/** Which deliveries a claim takes. */
interface ClaimSelection {
  /** Of the prepared statement. */
  name: string
  /** A condition. */
  which: string
  order: string
  /** Stands in the statement as a number: for a parameter PostgreSQL would plan as if it were any. */
  most: number
}

async function claim(
  pool: Pool,
  { siteId, accountId, worker, leaseS }: ClaimRequest,
  { name, which, order, most }: ClaimSelection,
): Promise<DeliveryRow[]> {
  const { rows } = await pool.query<DeliveryRow>({
    name,
    ...named(
      `WITH due AS (
         SELECT due.id, due.due_at, due.wanted_event_id, due.answered, due.crashed FROM delivery due
         WHERE due.site_id = :siteId AND due.account_id = :accountId AND due.due_at <= now()
           AND ${transitionAllowed('claim', 'due')} AND ${which} AND NOT EXISTS (
             SELECT FROM site WHERE site.account_id = :accountId AND site.id = :siteId AND site.stopped_at IS NOT NULL)
           AND ${IS_ACCOUNT_ENABLED(':accountId')}
         ORDER BY ${order} LIMIT ${most} FOR UPDATE SKIP LOCKED
       ), measured AS (
         SELECT due.id, due.due_at, cardinality(due.crashed) > 0 AS suspect,
           event.traceparent,
           coalesce(octet_length(coalesce(event.confirmed_body, event.body)), 0) AS document_bytes, coalesce(pg_column_size(due.answered), 0) AS answered
         FROM due LEFT JOIN event ON event.id = due.wanted_event_id
       ), cohort AS (
         SELECT id, traceparent, document_bytes, row_number() OVER line AS place, bool_or(suspect) OVER line AS suspect,
           sum(document_bytes + answered) OVER line AS bytes
         FROM measured WINDOW line AS (ORDER BY due_at, id ROWS UNBOUNDED PRECEDING)
       )
       UPDATE delivery AS d SET fence = d.fence + 1, leased_by = :worker,
         ${transition('claim', { to: 'delivering', due: 'now() + make_interval(secs => :leaseS)' })}
       FROM cohort
       WHERE d.id = cohort.id AND (cohort.place = 1 OR (cohort.bytes <= ${COHORT_BYTES} AND NOT cohort.suspect))
       RETURNING ${CLAIM_COLUMNS}, clock_timestamp() AS claimed_at, cohort.document_bytes, cohort.traceparent`,
      { siteId, accountId, worker, leaseS },
    ),
  })
  return rows
}

/** The leases of claimed deliveries: `due_at` of one that is `delivering` is when its claim ends by itself. */
export const deliveryLeases: LeaseKind = {
  async renew(pool, leases, { leaseS, deadAfterS }) {
    const { rows } = await pool.query<{ id: string }>({
      name: 'renew-leases',
      ...named(
        `UPDATE delivery d SET due_at = now() + make_interval(secs => :leaseS)
         FROM (
           SELECT d.id FROM unnest(:ids::uuid[], :fences::int[]) AS held (id, fence)
           JOIN delivery d ON d.id = held.id AND d.fence = held.fence AND d.status = 'delivering'
           ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d
         ) held
         WHERE d.id = held.id
         RETURNING d.id`,
        { ids: leases.map(({ id }) => id), fences: leases.map(({ fence }) => fence), leaseS },
      ),
      // One that is stored later than this proves nothing any more, and must not keep a connection from the next.
      query_timeout: deadAfterS * 1000,
    })
    return new Set(rows.map(({ id }) => id))
  },

  async giveBack(pool, worker, leases) {
    await pool.query(
      named(
        `WITH given AS (
           SELECT id FROM delivery d
           WHERE d.leased_by = :worker AND ${transitionAllowed('giveBack', 'd')} AND d.id = ANY (:ids::uuid[])
           ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE
         )
         UPDATE delivery d SET ${transition('giveBack', { to: 'queued', due: 'now()' })}, leased_by = NULL
         FROM given WHERE d.id = given.id`,
        { worker, ids: leases.map(({ id }) => id) },
      ),
    )
  },
}
