import type { Pool } from 'pg'
import { z } from 'zod'
import { isoInstant, queryRows } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { conflict, type GalleyError, refusal } from '../../errors.ts'
import { invalidCursor, type Page } from '../../lib/paging.ts'
import { adviceFor, needsReconnect, siteHoldCodes } from '../ledger/failure.ts'
import { postJson } from '../ledger/notifications.ts'
import { CAN_UNDO, type PostText, shownStatusSql } from '../ledger/state.ts'
import { mergePost } from '../merge.ts'
import type { DeliveryFilter, DeliveryScope } from './filter.ts'
import { type CursorPosition, type Sort, walkPage } from './index-walk.ts'
import type { DeliveryView, DetailedDeliveryView } from './schema.ts'

interface ViewRow
  extends Omit<DeliveryView, 'stands' | 'next_attempt_at'>,
    Pick<DetailedDeliveryView, 'event_id' | 'undo_until'>,
    // Of the last line of its timeline; null where that was thinned.
    Pick<DeliveryView['stands'], 'step' | 'outcome' | 'at'> {
  due_at: Date | null
  site_stopped: boolean
  site_since: string | null
  site_paused_until: Date | null
}

/** Without the post as WordPress answered it: nobody is shown it here, and a page of it would be megabytes. */
const LOAD_DELIVERIES = `
  SELECT d.id, d.document_id, d.reference, d.title, d.site_id, ${shownStatusSql('d')} AS status, d.withdraw_to, d.warnings, d.attempts, d.error, d.due_at,
    ${isoInstant('d.created_at')} AS created_at, ${isoInstant('d.updated_at')} AS updated_at,
    d.wanted_event_id AS event_id, last.step, last.outcome, ${isoInstant('last.at')} AS at,
    CASE WHEN ${CAN_UNDO} THEN ${isoInstant('d.undo_until')} END AS undo_until,
    CASE WHEN d.source_id IS NOT NULL THEN json_build_object('id', d.source_id, 'name', source.name) END AS source,
    CASE WHEN site.id IS NOT NULL THEN json_build_object('name', site.name, 'labels', site.labels) END AS site,
    ${postJson('d')} AS post,
    site.stopped_at IS NOT NULL AS site_stopped,
    ${isoInstant('coalesce(site.stopped_at, site.trouble_since)')} AS site_since, site.paused_until AS site_paused_until
  FROM unnest(:ids::uuid[]) WITH ORDINALITY AS asked (id, place)
  JOIN delivery d ON d.id = asked.id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))
  LEFT JOIN site ON site.account_id = d.account_id AND site.id = d.site_id
  LEFT JOIN source ON source.id = d.source_id AND source.account_id = d.account_id AND source.removed_at IS NULL
  LEFT JOIN LATERAL (
    SELECT step, outcome, at FROM delivery_step WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) last ON true
  ORDER BY asked.place`

async function loadDeliveries(
  pool: Pool,
  { accountId, siteIds }: DeliveryScope,
  ids: readonly string[],
): Promise<ViewRow[]> {
  return ids.length === 0 ? [] : queryRows<ViewRow>(pool, LOAD_DELIVERIES, { accountId, siteIds, ids })
}

/** @throws GalleyError 404 `DELIVERY_NOT_FOUND` */
export async function getDelivery(
  pool: Pool,
  { id, ...scope }: DeliveryScope & { id: string },
): Promise<DetailedDeliveryView> {
  const [row] = await loadDeliveries(pool, scope, [id])
  if (row === undefined) throw deliveryNotFound(id)
  const { error, event_id, undo_until } = row
  const media = await queryRows<DetailedDeliveryView['media'][number]>(
    pool,
    'SELECT source_url, media_id AS id FROM delivery_media WHERE delivery_id = :id ORDER BY marker',
    { id },
  )
  const steps = await queryRows<{ at: string; step: string; outcome: string; detail: string | null }>(
    pool,
    `SELECT ${isoInstant('at')} AS at, step, outcome, detail FROM delivery_step WHERE delivery_id = :id ORDER BY id`,
    { id },
  )
  const timeline = steps.map(({ detail, ...line }) => ({ ...line, ...(detail !== null && { detail }) }))
  return {
    ...deliveryView(row),
    todo: error && adviceFor(error.code),
    reconnect: error !== null && needsReconnect(error.code),
    event_id,
    undo_until,
    media,
    timeline,
  }
}

export const deliveryNotFound = (id: string): GalleyError =>
  refusal('DELIVERY_NOT_FOUND', `There is no delivery ${id}.`, 404)

function deliveryView(row: ViewRow): DeliveryView {
  const { id, document_id, reference, title, source, site_id, site, status } = row
  const { post, withdraw_to, warnings, attempts, error, created_at, updated_at } = row
  const { step, outcome, at } = row
  const waits_for = waitReason(row)
  const ofSite = waits_for === 'site' || waits_for === 'resume' || waits_for === 'owner'
  return {
    ...{ id, document_id, reference, title, source, site_id, site, status },
    stands: { step, outcome, at, waits_for, since: ofSite ? row.site_since : null },
    ...{ post, withdraw_to, warnings, attempts },
    next_attempt_at: nextAttemptAt(row)?.toISOString() ?? null,
    ...{ error, created_at, updated_at },
  }
}

/** What a delivery waits for: its site, itself, a person, in this order. */
function waitReason({ status, due_at, error, site_stopped }: ViewRow): DeliveryView['stands']['waits_for'] {
  if (status === 'held') {
    const code = error?.code ?? ''
    if (code === 'site_unknown') return 'connection'
    return siteHoldCodes.includes(code) ? 'owner' : 'decision'
  }
  if (status === 'waiting') return site_stopped ? 'resume' : 'site'
  if (status !== 'queued') return null
  return due_at !== null && due_at > new Date() ? 'time' : 'turn'
}

function nextAttemptAt({ status, due_at, site_stopped, site_paused_until: pause }: ViewRow): Date | null {
  if (!['queued', 'waiting'].includes(status) || due_at === null || site_stopped) return null
  return pause !== null && pause > due_at ? pause : due_at
}

interface DeliveryListRequest {
  filter: DeliveryFilter
  sort: Sort
  limit: number
  cursor?: string | undefined
}

/**
 * A page of the deliveries that match. It may have fewer than `limit`, or none, and yet a cursor: matches may be rare.
 * By creation, nothing is lost or doubled. By change, one that changes meanwhile moves to the front.
 * @throws GalleyError 422 `CURSOR_UNFIT`
 */
export async function listDeliveries(
  pool: Pool,
  scope: DeliveryScope,
  request: DeliveryListRequest,
): Promise<Page<DeliveryView>> {
  const { ids, nextCursor } = await findDeliveries(pool, scope, request)
  return { items: (await loadDeliveries(pool, scope, ids)).map(deliveryView), nextCursor }
}

async function findDeliveries(
  pool: Pool,
  scope: DeliveryScope,
  { filter, sort, limit, cursor }: DeliveryListRequest,
): Promise<{ ids: string[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, sort)
  const { sql, values } = await walkPage(pool, scope, { filter, sort, after, most: limit })
  const rows = await queryRows<{ id: string; at: Date; fits: boolean; edge: boolean }>(pool, sql, values)
  const ids: string[] = []
  let last: string | null = null
  for (const { id, at, fits, edge } of rows) {
    if (ids.length === limit) return { ids, nextCursor: last }
    if (fits) ids.push(id)
    last = sort === 'updated' ? `${at.toISOString()}_${id}` : id
    if (edge) return { ids, nextCursor: last }
  }
  return { ids, nextCursor: null }
}

const instant = z.iso.datetime({ precision: 3 }).regex(/^[1-9]/)

function decodeCursor(cursor: string, sort: Sort): CursorPosition {
  const [at = null, id] = sort === 'updated' ? cursor.split('_') : [null, cursor]
  const position = z.object({ id: z.guid(), at: sort === 'updated' ? instant : z.null() })
  const { data } = position.safeParse({ id, at })
  if (data) return data
  throw invalidCursor()
}

/** The post of a delivery, and how long the text is that Galley remembers of it. */
interface RememberedPost {
  siteId: string
  postId: number
  postType: string
  bytes: number
}

type DeliveryRef = DeliveryScope & { id: string }

/** Where the text stands that somebody may have changed. @throws 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_HAS_NO_POST` */
export async function findRememberedPost(
  pool: Queryable,
  { accountId, siteIds, id }: DeliveryRef,
): Promise<RememberedPost> {
  const [row] = await queryRows<{ [Name in keyof RememberedPost]: RememberedPost[Name] | null }>(
    pool,
    `SELECT d.site_id AS "siteId", d.post_id AS "postId", d.post_type AS "postType",
       octet_length(d.answered::text) AS bytes FROM delivery d WHERE ${VISIBLE_DELIVERY}`,
    { accountId, siteIds, id },
  )
  if (row === undefined) throw deliveryNotFound(id)
  const { siteId, postId, postType, bytes } = row
  if (siteId === null || postId === null || postType === null || bytes === null)
    throw conflict(
      'DELIVERY_HAS_NO_POST',
      'Galley has written no text for this delivery yet, so that nobody can have changed it.',
    )
  return { siteId, postId, postType, bytes }
}

/** What Galley left of the post, and what the version says that waits. @throws GalleyError `DELIVERY_NOT_FOUND` */
export async function readRememberedTexts(
  pool: Queryable,
  { accountId, siteIds, id }: DeliveryRef,
): Promise<{ galley: PostText; next: PostText | null }> {
  const [row] = await queryRows<{ galley: PostText; next: PostText | null }>(
    pool,
    `SELECT coalesce(d.answered -> 'base', d.answered) AS galley, d.answered -> 'next' AS next
     FROM delivery d WHERE ${VISIBLE_DELIVERY} AND d.answered IS NOT NULL`,
    { accountId, siteIds, id },
  )
  if (row === undefined) throw deliveryNotFound(id)
  return row
}

/** With the merge of the three. @param site null where the post was deleted */
export const compareTexts = <Site extends PostText & { status: string }>(
  { galley, next }: { galley: PostText; next: PostText | null },
  site: Site | null,
) => ({
  galley: shownText(galley),
  site: site && { ...shownText(site), status: site.status },
  next: next && shownText(next),
  merge: site && next && mergePost({ galley, site, next }),
})

const shownText = ({ title, content, excerpt }: PostText) => ({ title, content, excerpt })

const VISIBLE_DELIVERY =
  'd.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))'
