import type { OnLoss } from '../../contract/delivery.ts'
import { isUniqueViolation } from '../../database/errors.ts'
import { queryRows } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { conflict, type GalleyError, refusal } from '../../errors.ts'
import { addSiteWorker, siteWorkerQueued } from '../jobs.ts'
import {
  CAN_UNDO,
  type MergeDecision,
  transition,
  transitionAllowed,
  type WithdrawTarget,
} from '../ledger/state.ts'
import { deliveryNotFound } from './deliveries.ts'
import type { DeliveryScope } from './filter.ts'

// Many deliveries in one statement, in the order of lockSite. Why nothing was done for a single call is looked up after it.

/** Assignments of an UPDATE of `d`: leave to write over a post (`:overwrite`), to set its status alone (`:statusOnly`), or a `:merge`. */
const SET_RETRIED = `${transition('retry', { to: 'queued', due: 'now()' })}, on_loss = :onLoss, withdraw_to = NULL,
  replaced = CASE WHEN d.status = 'delivered' AND (:overwrite OR :merge::jsonb IS NOT NULL) THEN NULL ELSE d.replaced END,
  answered = (CASE WHEN NOT (:overwrite OR :statusOnly OR :merge::jsonb IS NOT NULL) OR d.post_id IS NULL THEN d.answered
    ELSE d.answered || jsonb_build_object('overwrite', jsonb_strip_nulls(jsonb_build_object('siteId', d.site_id,
      'postId', d.post_id, 'statusOnly', :statusOnly::boolean, 'merge', :merge::jsonb))) END) - 'canonicalOnly'`

/** Of `d`: somebody edited its post, and its site leaves it to a person what becomes of that. */
const WAITS_FOR_CHOICE = `((d.status = 'held' AND d.error ->> 'code' IN ('post_changed', 'post_replaced') AND d.answered IS NOT NULL
  AND coalesce((SELECT settings ->> 'on_changed_post' FROM site WHERE site.account_id = d.account_id AND site.id = d.site_id),
    'hold') = 'hold') IS TRUE)`

const HAS_DOCUMENT =
  'EXISTS (SELECT FROM event WHERE event.id = d.wanted_event_id AND event.body IS NOT NULL)'

/** Sites in trouble of what was `requeued` are tried with it: in the same statement, or the site's worker would hold it again. */
const ALLOW_PROBE = `UPDATE site SET paused_until = now() FROM requeued
    WHERE site.account_id = requeued.account_id AND site.id = requeued.site_id AND site.trouble IS NOT NULL`

type BatchRequest = DeliveryScope & { ids: readonly string[] }

interface RetryOptions {
  /** Sends them to another connected site. Only possible while they have no post. */
  siteId?: string | undefined
  overwrite?: boolean
  /** Leaves alone what would only wait again, since somebody edited the post. */
  leavesEdited?: boolean
  statusOnly?: boolean
  /** Writes a merge of the new version and of what a person has changed, of exactly the texts that were compared. */
  merge?: MergeDecision | undefined
  onLoss?: OnLoss | undefined
}

/** Queues what failed, is held or waits for its next attempt at once, and tries their sites. @returns their ids */
export function retryMany(
  database: Queryable,
  { accountId, siteIds, ids, ...how }: BatchRequest & RetryOptions,
): Promise<ReadonlySet<string>> {
  const { siteId = null, onLoss = null, merge, leavesEdited = false } = how
  const { overwrite = false, statusOnly = false } = how
  const notes = [
    overwrite && 'overwriting changes',
    statusOnly && 'setting the status alone',
    merge && 'merging changes',
    onLoss && `on_loss: ${onLoss}`,
  ]
  return returnedIds(database, RETRY_MANY, {
    ...{ accountId, siteIds, ids, siteId, onLoss, leavesEdited, overwrite, statusOnly },
    merge: merge ? JSON.stringify(merge) : null,
    note: notes.filter(Boolean).join(', ') || null,
  })
}

async function returnedIds(database: Queryable, statement: string, values: Record<string, unknown>) {
  const rows = await queryRows<{ id: string }>(database, statement, values)
  return new Set(rows.map(({ id }) => id))
}

const SELECTED = `d.account_id = :accountId AND d.id = ANY (:ids::uuid[])
  AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))`

interface Requeueing {
  when: string
  sets: string
  /** A SELECT of a line of the timeline for each, from `requeued`. */
  line: string
}

/** What was looked at before may have changed since: all that must hold stands where it is written. */
const requeueMany = ({ when, sets, line }: Requeueing): string => `
  WITH target AS (
    SELECT site.account_id, site.id FROM site
    WHERE site.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR site.id = ANY (:siteIds))
      AND site.id = ANY (ARRAY(SELECT coalesce(:siteId::uuid, d.site_id) FROM delivery d WHERE ${SELECTED}))
    ORDER BY site.id FOR UPDATE
  ), locked AS (
    SELECT d.id, coalesce(:siteId::uuid, d.site_id) AS goes_to FROM delivery d
    WHERE ${SELECTED} AND coalesce(:siteId::uuid, d.site_id) = ANY (ARRAY(SELECT id FROM target))
      AND (coalesce(:siteId::uuid, d.site_id) = d.site_id OR (d.post_id IS NULL AND d.reserve_intent_at IS NULL))
      AND ${when}
    ORDER BY d.site_id, d.document_id FOR UPDATE OF d
  ), requeued AS (
    UPDATE delivery d SET ${sets}, requested_at = now(), attempts = 0, error = NULL, site_failed_at = NULL, site_failures = 0,
      site_id = locked.goes_to, post_type = CASE WHEN d.site_id = locked.goes_to THEN d.post_type END
    FROM locked WHERE d.id = locked.id
    RETURNING d.id, d.account_id, d.site_id
  ), probed AS (
    ${ALLOW_PROBE}
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) ${line}
  ), site_jobs AS (
    SELECT ${addSiteWorker('account_id', 'site_id')}
    FROM (SELECT DISTINCT account_id, site_id FROM requeued ORDER BY account_id, site_id) AS due
    WHERE NOT ${siteWorkerQueued('due.account_id', 'due.site_id')}
  )
  SELECT id FROM requeued, (SELECT count(*) FROM site_jobs) AS queued`

const RETRY_MANY = requeueMany({
  when: `${transitionAllowed('retry', 'd')} AND ${HAS_DOCUMENT} AND NOT (:leavesEdited AND ${WAITS_FOR_CHOICE})`,
  sets: SET_RETRIED,
  line: "SELECT id, 'plan', 'retried', :note FROM requeued",
})

const WITHDRAW_MANY = requeueMany({
  when: `${transitionAllowed('withdraw', 'd')} AND d.post_id IS NOT NULL`,
  sets: `${transition('withdraw', { to: 'queued', due: 'now()' })}, withdraw_to = :note,
    answered = d.answered - '{overwrite,canonicalOnly}'::text[] || CASE WHEN :force
      THEN jsonb_build_object('overwrite', jsonb_build_object('siteId', d.site_id, 'postId', d.post_id)) ELSE '{}' END`,
  line: "SELECT id, 'plan', 'withdrawing', :note FROM requeued",
})

interface Withdrawal {
  to: WithdrawTarget
  force?: boolean
}

/** Queues the withdrawal of posts, in place of whatever waits for them, and tries their sites. @returns their ids */
export const withdrawMany = (
  database: Queryable,
  { accountId, siteIds, ids, to, force = false }: BatchRequest & Withdrawal,
): Promise<ReadonlySet<string>> =>
  returnedIds(database, WITHDRAW_MANY, { accountId, siteIds, ids, siteId: null, note: to, force })

/** {@link withdrawMany} of one. @throws GalleyError 404, 409 and 422, each with its code */
export async function withdrawDelivery(
  pool: Queryable,
  { id, ...withdrawal }: DeliveryScope & { id: string } & Withdrawal,
): Promise<void> {
  const withdrawn = await withdrawMany(pool, { ...withdrawal, ids: [id] })
  if (withdrawn.size === 0) throw await whyNotRequeued(pool, { ...withdrawal, id })
}

const UNDO = requeueMany({
  when: CAN_UNDO,
  sets: `${transition('undo', { to: 'queued', due: 'now()' })}, answered = d.answered ||
    jsonb_build_object('overwrite', jsonb_build_object('siteId', d.site_id, 'postId', d.post_id, 'undo', true))`,
  line: "SELECT id, 'plan', 'undoing', NULL FROM requeued",
})

/** Queues to put back what a person's choice replaced on the site. @throws GalleyError 404, 409 and 422, each with its code */
export async function undoDelivery(
  pool: Queryable,
  { id, accountId, siteIds }: DeliveryScope & { id: string },
): Promise<void> {
  const undone = await returnedIds(pool, UNDO, { accountId, siteIds, ids: [id], siteId: null })
  if (undone.size === 0) throw await whyNotRequeued(pool, { accountId, siteIds, id, undo: true })
}

type SingleRetry = DeliveryScope & RetryOptions & { id: string }

/** {@link retryMany} of one. @throws GalleyError 404, 409 and 422, each with its code */
export async function retryDelivery(pool: Queryable, { id, ...retry }: SingleRetry) {
  try {
    const retried = await retryMany(pool, { ...retry, ids: [id] })
    if (retried.size === 0) throw await whyNotRequeued(pool, { ...retry, id })
  } catch (error) {
    if (isUniqueViolation(error))
      throw conflict('DELIVERY_EXISTS', `Site ${retry.siteId} has a delivery of this document already.`)
    throw error
  }
}

type CurrentDelivery = Record<'status' | 'target', string> &
  Record<'has_site' | 'has_post' | 'relocates' | 'purged' | 'can_undo' | 'edited', boolean>

type Refused = SingleRetry & { to?: WithdrawTarget; undo?: boolean }

async function whyNotRequeued(
  pool: Queryable,
  { accountId, siteIds, id, siteId, to, leavesEdited, undo }: Refused,
): Promise<GalleyError> {
  const [current] = await queryRows<CurrentDelivery>(
    pool,
    `SELECT d.status, site.id IS NOT NULL AS has_site, coalesce(:siteId, d.site_id) AS target,
       e.body IS NULL AS purged, ${CAN_UNDO} IS TRUE AS can_undo, ${WAITS_FOR_CHOICE} AS edited, d.post_id IS NOT NULL AS has_post,
       coalesce(:siteId <> d.site_id, false) AND (d.post_id IS NOT NULL OR d.reserve_intent_at IS NOT NULL) AS relocates
     FROM delivery d LEFT JOIN event e ON e.id = d.wanted_event_id
     LEFT JOIN site ON site.account_id = d.account_id AND site.id = coalesce(:siteId, d.site_id)
       AND (:siteIds::uuid[] IS NULL OR site.id = ANY (:siteIds))
     WHERE d.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))`,
    { id, accountId, siteIds, siteId: siteId ?? null },
  )
  if (current === undefined) return deliveryNotFound(id)
  if (undo && current.status !== 'delivering' && !current.can_undo)
    return conflict(
      'NOTHING_TO_UNDO',
      'Galley has nothing to put back for this delivery: it replaced no edited text, more than a day has passed, or something newer came. WordPress may have the earlier text among the revisions of the post.',
    )
  if (to !== undefined && !current.has_post)
    return conflict(
      'DELIVERY_HAS_NO_POST',
      'This delivery has no post on its site that could be withdrawn. Cancel it to keep it from getting one.',
    )
  if (leavesEdited && current.edited)
    return conflict(
      'POST_EDITED',
      'Somebody edited the post, so another try would only wait again. Open the delivery, compare the texts and choose.',
    )
  if (to === undefined && !undo && current.status !== 'delivering' && current.purged)
    return conflict(
      'DOCUMENT_THINNED',
      'The document of this delivery is too old and no longer kept. Send it again.',
    )
  if (!current.has_site)
    return refusal(
      'SITE_UNKNOWN',
      `Site ${current.target} is not connected. Connect it first, or name another site in "site_id".`,
    )
  if (current.relocates)
    return conflict(
      'DELIVERY_HAS_POST',
      'This delivery may already have a post on its site and cannot move to another. Send the document again for the other site.',
    )
  return conflict('DELIVERY_UNDER_WAY', 'This delivery is under way; wait for it to end.')
}

/** Cancels what waits or has failed; what is on the site stays. What waits because of an edit ends as `kept`. @returns their ids */
export const cancelMany = (
  database: Queryable,
  { accountId, siteIds, ids }: BatchRequest,
): Promise<ReadonlySet<string>> => returnedIds(database, CANCEL_MANY, { accountId, siteIds, ids })

/** Of `d`: a newer version or a withdrawal waits, because somebody edited the post. */
const KEEPS_EDIT = `(${transitionAllowed('keep', 'd')}
  AND d.error ->> 'code' IN ('post_changed', 'post_replaced'))`

const END = 'error = NULL, withdraw_to = NULL FROM locked WHERE d.id = locked.id'

const CANCEL_MANY = `
  WITH locked AS (
    SELECT d.id, ${KEEPS_EDIT} IS TRUE AS keeps FROM delivery d WHERE ${SELECTED} AND ${transitionAllowed('cancel', 'd')}
    ORDER BY d.site_id, d.document_id FOR UPDATE
  ), kept AS (
    UPDATE delivery d SET ${transition('keep', { to: 'kept' })}, ${END} AND locked.keeps RETURNING d.id, d.status
  ), cancelled AS (
    UPDATE delivery d SET ${transition('cancel', { to: 'cancelled' })}, ${END} AND NOT locked.keeps RETURNING d.id, d.status
  ), ended AS (
    SELECT id, status FROM kept UNION ALL SELECT id, status FROM cancelled
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', status, NULL FROM ended
  )
  SELECT id FROM ended`

/** {@link cancelMany} of one. @throws 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_UNDER_WAY`, 409 `DELIVERY_DONE` */
export async function cancelDelivery(
  pool: Queryable,
  { id, ...scope }: DeliveryScope & { id: string },
): Promise<void> {
  const asked = { accountId: scope.accountId, siteIds: scope.siteIds, ids: [id] }
  if ((await cancelMany(pool, asked)).size > 0) return
  const [found] = await queryRows<{ status: string }>(
    pool,
    `SELECT d.status FROM delivery d WHERE ${SELECTED}`,
    asked,
  )
  if (found === undefined) throw deliveryNotFound(id)
  if (found.status === 'cancelled' || found.status === 'kept') return
  if (found.status === 'delivered' || found.status === 'withdrawn')
    throw conflict(
      'DELIVERY_DONE',
      'This delivery has already ended. To take its post off the site, withdraw it.',
    )
  throw conflict(
    'DELIVERY_UNDER_WAY',
    'This delivery is under way and cannot be cancelled. Wait a moment for it to end.',
  )
}
