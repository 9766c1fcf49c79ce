import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../../database/named.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import { type Page, type PageRequest, toPage } from '../../paging.ts'
import type { Keyring } from '../../secrets/index.ts'
import { beyondKey, MOST_RECEIVERS, receiverUnknown, tooManyReceivers } from './failures.ts'
import {
  COLUMNS,
  IS_SEEN,
  keyOf,
  type ReceiverId,
  type ReceiverRow,
  receiverView,
  type Scope,
} from './row.ts'
import type { NewReceiver, ReceiverPatch, ReceiverView } from './schema.ts'
import { newSecret } from './secret.ts'

/** What the registry of receivers works with. */
export interface ReceiverStore {
  pool: Pool
  keyring: Keyring
}

/**
 * Makes a receiver: from the next outcome on it is told. Its secret is in the answer this once.
 *
 * @throws GalleyError 403 `RECEIVER_TOO_WIDE`, 409 `TOO_MANY_RECEIVERS`
 */
export async function createReceiver(
  { pool, keyring }: ReceiverStore,
  { accountId, siteIds }: Scope,
  wish: NewReceiver,
): Promise<ReceiverView & { secret: string }> {
  refuseTooWide(siteIds, wish)
  const id = uuid()
  const { secret, sealed } = newSecret(keyring, id)
  const { name, kind, url, events, labels } = wish
  return inTransaction(pool, async (database) => {
    // One at a time of an account, so that two together make no more than there may be.
    await database.query(named('SELECT FROM account WHERE id = :accountId FOR UPDATE', { accountId }))
    const { rows } = await database.query<ReceiverRow>(
      named(CREATE, { id, accountId, name, kind, url, events, siteIds: wish.site_ids, labels, sealed }),
    )
    if (rows[0] === undefined) throw tooManyReceivers()
    return { ...receiverView(rows[0]), secret }
  })
}

const CREATE = `
  INSERT INTO receiver (id, account_id, name, kind, url, events, site_ids, labels, secret)
  SELECT :id::uuid, :accountId::uuid, :name::text, :kind::text, :url::text, :events::text[], :siteIds::uuid[], :labels::text[],
    :sealed::text
  WHERE (SELECT count(*) FROM receiver WHERE account_id = :accountId AND removed_at IS NULL) < ${MOST_RECEIVERS}
  RETURNING ${COLUMNS}`

/** The receivers that the caller sees, the newest first. */
export async function listReceivers(
  database: Queryable,
  { accountId, siteIds }: Scope,
  { limit, cursor }: PageRequest,
): Promise<Page<ReceiverView>> {
  const { rows } = await database.query<ReceiverRow>(
    named(
      `SELECT ${COLUMNS} FROM receiver
       WHERE ${IS_SEEN} AND (:cursor::uuid IS NULL OR id < :cursor) ORDER BY id DESC LIMIT :most`,
      { accountId, siteIds, cursor: cursor ?? null, most: limit + 1 },
    ),
  )
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(receiverView), nextCursor }
}

/** @throws GalleyError 404 `NOT_FOUND` */
export async function getReceiver(database: Queryable, receiver: ReceiverId): Promise<ReceiverView> {
  return receiverView(await receiverRow(database, receiver))
}

/** @throws GalleyError 404 `NOT_FOUND` */
export async function receiverRow(database: Queryable, receiver: ReceiverId): Promise<ReceiverRow> {
  const { rows } = await database.query<ReceiverRow>(
    named(`SELECT ${COLUMNS} FROM receiver WHERE id = :id AND ${IS_SEEN}`, keyOf(receiver)),
  )
  if (rows[0] === undefined) throw receiverUnknown(receiver.id)
  return rows[0]
}

/** Changes a receiver, from the next outcome on. @throws GalleyError 404; 403 `RECEIVER_TOO_WIDE` */
export async function updateReceiver(
  { pool }: Pick<ReceiverStore, 'pool'>,
  receiver: ReceiverId,
  wish: ReceiverPatch,
): Promise<ReceiverView> {
  const { rows } = await pool.query<ReceiverRow>(
    named(UPDATE, {
      ...keyOf(receiver),
      name: wish.name,
      url: wish.url,
      events: wish.events,
      wantedSites: wish.site_ids,
      labels: wish.labels,
      disabled: wish.disabled,
    }),
  )
  if (rows[0] !== undefined) return receiverView(rows[0])
  await receiverRow(pool, receiver)
  throw beyondKey()
}

// A key that sees some sites must see it afterwards, too.
const UPDATE = `
  WITH wish AS (
    SELECT coalesce(:wantedSites::uuid[], site_ids) AS site_ids, coalesce(:labels::text[], labels) AS labels
    FROM receiver WHERE id = :id AND account_id = :accountId
  )
  UPDATE receiver SET name = coalesce(:name, name), url = coalesce(:url, url), events = coalesce(:events::text[], events),
    site_ids = coalesce(:wantedSites::uuid[], site_ids), labels = coalesce(:labels::text[], labels),
    disabled_at = CASE WHEN :disabled::bool IS NULL THEN disabled_at WHEN :disabled THEN coalesce(disabled_at, now()) END
  WHERE id = :id AND ${IS_SEEN} AND (:siteIds::uuid[] IS NULL OR EXISTS (
    SELECT FROM wish WHERE labels = '{}' AND site_ids <> '{}' AND site_ids <@ :siteIds::uuid[]))
  RETURNING ${COLUMNS}`

/** Removes a receiver: what it would still be told ends here. What it was told stays on record. @throws GalleyError 404 */
export async function removeReceiver(database: Queryable, receiver: ReceiverId): Promise<void> {
  const { rowCount } = await database.query(named(REMOVE, keyOf(receiver)))
  if (rowCount === 0) throw receiverUnknown(receiver.id)
}

const REMOVE = `
  WITH removed AS (
    UPDATE receiver SET removed_at = now(), secret = NULL, previous_secret = NULL, previous_secret_until = NULL
    WHERE id = :id AND ${IS_SEEN} RETURNING id
  ), untold AS (
    DELETE FROM digest_item WHERE receiver_id = :id AND EXISTS (SELECT FROM removed)
  ), ended AS (
    UPDATE notification n SET status = 'failed', due_at = NULL, repeat_at = NULL
    WHERE n.receiver_id = :id AND n.due_at IS NOT NULL AND EXISTS (SELECT FROM removed)
  )
  SELECT id FROM removed`

function refuseTooWide(siteIds: string[] | null, wish: Pick<NewReceiver, 'site_ids' | 'labels'>): void {
  if (siteIds === null) return
  const seen = wish.site_ids.every((id) => siteIds.includes(id))
  if (wish.labels.length > 0 || wish.site_ids.length === 0 || !seen) throw beyondKey()
}
