import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import { type Page, type PageRequest, toPage } from '../../paging.ts'
import type { Keyring } from '../../secrets/index.ts'
import { isWithinSeen } from '../../seen-sites.ts'
import {
  beyondKey,
  MOST_RECEIVERS,
  noMail,
  otherKind,
  receiverUnknown,
  tooManyReceivers,
} from './failures.ts'
import {
  COLUMNS,
  IS_SEEN,
  keyOf,
  type ReceiverId,
  type ReceiverRow,
  receiverRow,
  receiverView,
  type Scope,
} from './row.ts'
import { kindOf, type NewReceiver, type ReceiverPatch, type ReceiverView } from './schema.ts'
import { newSecret } from './secret.ts'

/** What the registry of receivers works with. */
export interface ReceiverStore {
  pool: Pool
  keyring: Keyring
  /** Whether there is a mail server. */
  sendsMail: boolean
}

const UNSIGNED = { secret: null, sealed: null }

interface Making {
  /** That it gets. */
  id: string
  /** When an earlier attempt began, which may have made it; undefined for the first. */
  againSince: Date | undefined
}

/**
 * Makes a receiver: from the next outcome on it is told. The secret of a webhook is in the answer this once.
 *
 * @throws GalleyError 403 `RECEIVER_TOO_WIDE`; 409 `TOO_MANY_RECEIVERS`, `MAIL_NOT_CONFIGURED`
 */
export async function createReceiver(
  { pool, keyring, sendsMail }: ReceiverStore,
  { accountId, siteIds }: Scope,
  requested: NewReceiver,
  { id, againSince }: Making,
): Promise<ReceiverView & { secret: string | null }> {
  refuseTooWide(siteIds, requested)
  const { name, kind, url, events, labels } = requested
  if (kind === 'email' && !sendsMail) throw noMail()
  const { secret, sealed } = kind === 'email' ? UNSIGNED : newSecret(keyring, id)
  return inTransaction(pool, async (database) => {
    // One at a time of an account, so that two together make no more than there may be.
    await database.query(named('SELECT FROM account WHERE id = :accountId FOR UPDATE', { accountId }))
    if (againSince) {
      // Its secret was shown to nobody.
      const { rows } = await database.query<ReceiverRow>(named(SEAL_ANEW, { id, accountId, sealed }))
      if (rows[0] !== undefined) return { ...receiverView(rows[0]), secret }
    }
    const { rows } = await database.query<ReceiverRow>(
      named(CREATE, {
        ...{ id, accountId, name, kind, url, events, labels, sealed },
        siteIds: requested.site_ids,
        digestMinutes: requested.digest_minutes,
      }),
    )
    if (rows[0] === undefined) throw tooManyReceivers()
    return { ...receiverView(rows[0]), secret }
  })
}

const CREATE = `
  INSERT INTO receiver (id, account_id, name, kind, url, events, site_ids, labels, digest_minutes,
    secret)
  SELECT :id::uuid, :accountId::uuid, :name::text, :kind::text, :url::text, :events::text[], :siteIds::uuid[], :labels::text[],
    :digestMinutes::int, :sealed::text
  WHERE (SELECT count(*) FROM receiver WHERE account_id = :accountId AND removed_at IS NULL) < ${MOST_RECEIVERS}
  RETURNING ${COLUMNS}`

const SEAL_ANEW = `
  UPDATE receiver SET secret = :sealed WHERE id = :id AND account_id = :accountId AND removed_at IS NULL
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

/** Changes a receiver, from the next outcome on. @throws GalleyError 404; 403 `RECEIVER_TOO_WIDE`; 409 `OTHER_KIND` */
export async function updateReceiver(
  { pool }: Pick<ReceiverStore, 'pool'>,
  receiver: ReceiverId,
  requested: ReceiverPatch,
): Promise<ReceiverView> {
  const { kind } = await receiverRow(pool, receiver)
  refuseOtherKind(kind, requested)
  const { rows } = await pool.query<ReceiverRow>(
    named(UPDATE, {
      ...keyOf(receiver),
      name: requested.name,
      url: requested.url,
      events: requested.events,
      wantedSites: requested.site_ids,
      labels: requested.labels,
      digestMinutes: requested.digest_minutes,
      disabled: requested.disabled,
    }),
  )
  if (rows[0] !== undefined) return receiverView(rows[0])
  await receiverRow(pool, receiver)
  throw beyondKey()
}

/** The part of a statement that ends all that waits to be told to the receiver `:id`, if it is a row of this relation. */
const endWhatWaits = (relation: string): string => `untold AS (
    DELETE FROM digest_item WHERE receiver_id = :id AND EXISTS (SELECT FROM ${relation})
  ), ended AS (
    UPDATE notification n SET status = CASE n.status WHEN 'waiting' THEN 'failed' ELSE n.status END, due_at = NULL, repeat_at = NULL
    WHERE EXISTS (SELECT FROM ${relation}) AND n.id IN (
      SELECT id FROM notification WHERE receiver_id = :id AND due_at IS NOT NULL
      UNION ALL SELECT id FROM notification WHERE receiver_id = :id AND repeat_at IS NOT NULL)
  )`

// A key that sees some sites must see it afterwards, too.
const UPDATE = `
  WITH requested AS (
    SELECT coalesce(:wantedSites::uuid[], site_ids) AS site_ids, coalesce(:labels::text[], labels) AS labels
    FROM receiver WHERE id = :id AND account_id = :accountId
  ), changed AS (
    UPDATE receiver SET name = coalesce(:name, name), url = coalesce(:url, url), events = coalesce(:events::text[], events),
      site_ids = coalesce(:wantedSites::uuid[], site_ids), labels = coalesce(:labels::text[], labels),
      digest_minutes = coalesce(:digestMinutes::int, digest_minutes),
      disabled_at = CASE WHEN :disabled::bool IS NULL THEN disabled_at WHEN :disabled THEN coalesce(disabled_at, now()) END
    WHERE id = :id AND ${IS_SEEN} AND (:siteIds::uuid[] IS NULL OR EXISTS (
      SELECT FROM requested WHERE labels = '{}' AND site_ids <> '{}' AND site_ids <@ :siteIds::uuid[]))
    RETURNING ${COLUMNS}
  ), quiet AS (
    SELECT id FROM changed WHERE :disabled::bool
  ), ${endWhatWaits('quiet')}
  SELECT * FROM changed`

/** Removes a receiver: what it would still be told ends here. What it was told stays on record. @throws GalleyError 404 */
export async function removeReceiver(database: Queryable, receiver: ReceiverId): Promise<void> {
  const { rowCount } = await database.query(named(REMOVE, keyOf(receiver)))
  if (rowCount === 0) throw receiverUnknown(receiver.id)
}

const REMOVE = `
  WITH removed AS (
    UPDATE receiver SET removed_at = now(), secret = NULL, previous_secret = NULL, previous_secret_until = NULL
    WHERE id = :id AND ${IS_SEEN} RETURNING id
  ), ${endWhatWaits('removed')}
  SELECT id FROM removed`

/** @throws GalleyError 403 `RECEIVER_TOO_WIDE` where it would be told of sites that a key does not see */
export function refuseTooWide(
  siteIds: string[] | null,
  requested: Pick<NewReceiver, 'site_ids' | 'labels'>,
): void {
  if (!isWithinSeen(siteIds, { siteIds: requested.site_ids, labels: requested.labels })) throw beyondKey()
}

/** What is kept for one way of telling says nothing of the other. */
function refuseOtherKind(kind: ReceiverRow['kind'], { url, digest_minutes }: ReceiverPatch): void {
  if (url !== undefined && kindOf(url) !== kind) throw otherKind(kind)
  if (digest_minutes !== undefined && kind !== 'email') throw otherKind(kind)
}
