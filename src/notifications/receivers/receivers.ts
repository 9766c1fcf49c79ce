import type { Pool } from 'pg'
import { execute, queryRows, storableJson } from '../../database/statement.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import { conflict, type GalleyError, refusal, tryLater, unknownId } from '../../errors.ts'
import { type Page, type PageRequest, toPage } from '../../lib/paging.ts'
import { isWithinVisible } from '../../lib/visible-sites.ts'
import type { Keyring } from '../../secrets/keyring.ts'
import { type NotificationEvent, sampleData } from '../outcomes.ts'
import { createReceiverSecret } from '../signing-secrets.ts'
import { type NewReceiver, type ReceiverPatch, type ReceiverView, receiverKind } from './schema.ts'

/** An account, and the sites that its key sees, where it is limited. */
interface ReceiverScope {
  accountId: string
  siteIds: string[] | null
}

interface ReceiverKey extends ReceiverScope {
  id: string
}

const receiverParameters = ({ accountId, siteIds, id }: ReceiverKey) => ({ accountId, siteIds, id })

/** SQL on `receiver`: visible to the caller. A limited key does not see receivers of other sites. */
const IS_VISIBLE = `account_id = :accountId AND removed_at IS NULL AND (:siteIds::uuid[] IS NULL
  OR (labels = '{}' AND site_ids <> '{}' AND site_ids <@ :siteIds::uuid[]))`

interface ReceiverRow extends Omit<ReceiverView, 'previous_secret_until' | 'created_at'> {
  previous_secret_until: Date | null
  created_at: Date
}

const RECEIVER_COLUMNS = `id, name, kind, url, events, format, language, site_ids::text[] AS site_ids, labels, digest_minutes,
  CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_secret_until,
  disabled_at IS NOT NULL AS disabled, created_at`

/** @throws GalleyError 404 `NOT_FOUND` */
async function receiverRow(database: Queryable, receiver: ReceiverKey): Promise<ReceiverRow> {
  const rows = await queryRows<ReceiverRow>(
    database,
    `SELECT ${RECEIVER_COLUMNS} FROM receiver WHERE id = :id AND ${IS_VISIBLE}`,
    receiverParameters(receiver),
  )
  if (rows[0] === undefined) throw unknownId('receiver', receiver.id)
  return rows[0]
}

const receiverView = ({ previous_secret_until, created_at, ...row }: ReceiverRow): ReceiverView => ({
  ...row,
  previous_secret_until: previous_secret_until?.toISOString() ?? null,
  created_at: created_at.toISOString(),
})

/** Receivers of an account: each makes every outcome dearer. */
const MAX_RECEIVERS = 50

const receiverKindMismatch = (kind: 'webhook' | 'email'): GalleyError =>
  conflict(
    'OTHER_KIND',
    kind === 'email'
      ? 'This receiver is sent mail: it has no secret and no format, and its address begins with mailto:. Make another receiver for a web address.'
      : 'This receiver is sent POSTs: nothing is gathered for it, and its address is http or https. Make another receiver for mail.',
  )

interface ReceiverStore {
  pool: Pool
  keyring: Keyring
  sendsMail: boolean
}

const UNSIGNED = { secret: null, sealed: null }

/**
 * Creates a receiver, whose secret is shown this once: one of an earlier attempt at the same request is replaced.
 * @throws GalleyError 403 `RECEIVER_TOO_WIDE`; 409 `TOO_MANY_RECEIVERS`, `MAIL_NOT_CONFIGURED`
 */
export async function createReceiver(
  { pool, keyring, sendsMail }: ReceiverStore,
  { accountId, siteIds }: ReceiverScope,
  requested: NewReceiver,
  id: string,
): Promise<ReceiverView & { secret: string | null }> {
  assertReceiverScope(siteIds, requested)
  const { name, kind, url, events, format, language, labels } = requested
  if (kind === 'email' && !sendsMail)
    throw conflict(
      'MAIL_NOT_CONFIGURED',
      'This Galley sends no mail: whoever runs it has to set GALLEY_SMTP_URL and GALLEY_MAIL_FROM. Until then, give a web address, which is sent a POST.',
    )
  const { secret, sealed } = kind === 'email' ? UNSIGNED : createReceiverSecret(keyring, id)
  return inTransaction(pool, async (database) => {
    // Serial for each account, so that concurrent requests cannot exceed the limit.
    await execute(database, 'SELECT FROM account WHERE id = :accountId FOR UPDATE', { accountId })
    const rows = await queryRows<ReceiverRow>(database, CREATE, {
      ...{ id, accountId, name, kind, url, events, format, language, labels, sealed },
      siteIds: requested.site_ids,
      digestMinutes: requested.digest_minutes,
    })
    if (rows[0] === undefined)
      throw conflict(
        'TOO_MANY_RECEIVERS',
        `This account has ${MAX_RECEIVERS} receivers, the most that an account may have. Remove one that is not needed, or change it.`,
      )
    return { ...receiverView(rows[0]), secret }
  })
}

const CREATE = `
  INSERT INTO receiver (id, account_id, name, kind, url, events, format, language, site_ids, labels, digest_minutes, secret)
  SELECT :id::uuid, :accountId::uuid, :name::text, :kind::text, :url::text, :events::text[], :format::text, :language::text, :siteIds::uuid[], :labels::text[],
    :digestMinutes::int, :sealed::text
  WHERE EXISTS (SELECT FROM receiver WHERE id = :id AND account_id = :accountId)
    OR (SELECT count(*) FROM receiver WHERE account_id = :accountId AND removed_at IS NULL) < ${MAX_RECEIVERS}
  ON CONFLICT (id) DO UPDATE SET secret = excluded.secret WHERE receiver.account_id = excluded.account_id
  RETURNING ${RECEIVER_COLUMNS}`

export async function listReceivers(
  database: Queryable,
  { accountId, siteIds }: ReceiverScope,
  { limit, cursor }: PageRequest,
): Promise<Page<ReceiverView>> {
  const rows = await queryRows<ReceiverRow>(
    database,
    `SELECT ${RECEIVER_COLUMNS} FROM receiver
     WHERE ${IS_VISIBLE} AND (:cursor::uuid IS NULL OR id < :cursor) ORDER BY id DESC LIMIT :most`,
    { accountId, siteIds, cursor: cursor ?? null, most: limit + 1 },
  )
  return toPage(rows, limit, receiverView)
}

/** @throws GalleyError 404 `NOT_FOUND` */
export async function getReceiver(database: Queryable, receiver: ReceiverKey): Promise<ReceiverView> {
  return receiverView(await receiverRow(database, receiver))
}

/** From the next outcome on. @throws GalleyError 404; 403 `RECEIVER_TOO_WIDE`; 409 `OTHER_KIND` */
export async function updateReceiver(
  pool: Pool,
  receiver: ReceiverKey,
  requested: ReceiverPatch,
): Promise<ReceiverView> {
  const { kind, site_ids, labels } = await receiverRow(pool, receiver)
  assertReceiverKind(kind, requested)
  assertReceiverScope(receiver.siteIds, { site_ids, labels, ...requested })
  const { name, url, events, format, language, disabled } = requested
  const rows = await queryRows<ReceiverRow>(pool, UPDATE, {
    ...receiverParameters(receiver),
    ...{ name, url, events, format, language, disabled },
    wantedSites: requested.site_ids,
    labels: requested.labels,
    digestMinutes: requested.digest_minutes,
  })
  if (rows[0] === undefined) throw unknownId('receiver', receiver.id)
  return receiverView(rows[0])
}

/** CTE that ends pending notifications of the receiver `:id`, if the relation has it. */
const cancelPending = (relation: string): string => `untold AS (
    DELETE FROM digest_item WHERE receiver_id = :id AND EXISTS (SELECT FROM ${relation})
  ), ended AS (
    UPDATE notification n SET status = CASE n.status WHEN 'waiting' THEN 'failed' ELSE n.status END, due_at = NULL, repeat_at = NULL
    WHERE EXISTS (SELECT FROM ${relation}) AND n.id IN (
      SELECT id FROM notification WHERE receiver_id = :id AND due_at IS NOT NULL
      UNION ALL SELECT id FROM notification WHERE receiver_id = :id AND repeat_at IS NOT NULL)
  )`

const UPDATE = `
  WITH changed AS (
    UPDATE receiver SET name = coalesce(:name, name), url = coalesce(:url, url), events = coalesce(:events::text[], events),
      format = coalesce(:format::text, format), language = coalesce(:language::text, language),
      site_ids = coalesce(:wantedSites::uuid[], site_ids), labels = coalesce(:labels::text[], labels),
      digest_minutes = coalesce(:digestMinutes::int, digest_minutes),
      disabled_at = CASE WHEN :disabled::bool IS NULL THEN disabled_at WHEN :disabled THEN coalesce(disabled_at, now()) END
    WHERE id = :id AND ${IS_VISIBLE}
    RETURNING ${RECEIVER_COLUMNS}
  ), quiet AS (
    SELECT id FROM changed WHERE :disabled::bool
  ), ${cancelPending('quiet')}
  SELECT * FROM changed`

/** Also ends its pending notifications; past ones stay on record. @throws GalleyError 404 */
export async function removeReceiver(database: Queryable, receiver: ReceiverKey): Promise<void> {
  const rowCount = await execute(database, REMOVE, receiverParameters(receiver))
  if (rowCount === 0) throw unknownId('receiver', receiver.id)
}

const REMOVE = `
  WITH removed AS (
    UPDATE receiver SET removed_at = now(), secret = NULL, previous_secret = NULL, previous_secret_until = NULL
    WHERE id = :id AND ${IS_VISIBLE} RETURNING id
  ), ${cancelPending('removed')}
  SELECT id FROM removed`

/**
 * Replaces a receiver's secret; the new one is shown once, and for so many hours both sign.
 * @param againSince when an earlier attempt at the same request began: the secret before it stays the previous one
 * @throws GalleyError 404 `NOT_FOUND`; 409 `OTHER_KIND` where there is no secret
 */
export async function rotateReceiverSecret(
  database: Queryable,
  keyring: Keyring,
  receiver: ReceiverKey,
  hours: number,
  againSince?: Date,
): Promise<ReceiverView & { secret: string }> {
  const { secret, sealed } = createReceiverSecret(keyring, receiver.id)
  const rows = await queryRows<ReceiverRow>(database, ROTATE, {
    ...receiverParameters(receiver),
    sealed,
    hours,
    againSince: againSince ?? null,
  })
  if (rows[0] !== undefined) return { ...receiverView(rows[0]), secret }
  await receiverRow(database, receiver)
  throw receiverKindMismatch('email')
}

const ROTATE = `
  UPDATE receiver SET secret = :sealed,
    previous_secret = CASE WHEN :hours::int = 0 THEN NULL
      WHEN previous_secret_until >= :againSince::timestamptz + make_interval(hours => :hours::int) THEN previous_secret
      ELSE secret END,
    previous_secret_until = CASE WHEN :hours::int > 0 AND secret IS NOT NULL THEN now() + make_interval(hours => :hours::int) END
  WHERE id = :id AND kind = 'webhook' AND ${IS_VISIBLE}
  RETURNING ${RECEIVER_COLUMNS}`

/** @throws GalleyError 403 `RECEIVER_TOO_WIDE` where the receiver covers sites that the key does not see */
function assertReceiverScope(siteIds: string[] | null, requested: Pick<NewReceiver, 'site_ids' | 'labels'>) {
  if (isWithinVisible(siteIds, { siteIds: requested.site_ids, labels: requested.labels })) return
  throw refusal(
    'RECEIVER_TOO_WIDE',
    'This API key sees some sites of its account, so a receiver that it creates must name them: give "site_ids" with sites that it sees, and no "labels".',
    403,
  )
}

/** Settings of one kind of receiver do not apply to the other. */
function assertReceiverKind(
  kind: ReceiverRow['kind'],
  { url, digest_minutes, format, language }: ReceiverPatch,
): void {
  if (url !== undefined && receiverKind(url) !== kind) throw receiverKindMismatch(kind)
  const isForMail = digest_minutes !== undefined || (language !== undefined && language !== 'en')
  if (isForMail && kind !== 'email') throw receiverKindMismatch(kind)
  if (format !== undefined && format !== 'standard' && kind === 'email') throw receiverKindMismatch(kind)
}

/** Sample mails a minute to one receiver, so that nobody's mailbox is flooded. */
const MAX_SAMPLE_MAILS_PER_MINUTE = 3

/** Sends a sample, as any notification; once for an id. @throws GalleyError 404 `NOT_FOUND`; 429 `TOO_MANY_SAMPLES` */
export async function sendSample(
  database: Queryable,
  receiver: ReceiverKey,
  wanted: NotificationEvent | undefined,
  id: string,
): Promise<void> {
  const { events, url, kind, name } = await receiverRow(database, receiver)
  const event = wanted ?? (events[0] as NotificationEvent)
  const data = sampleData(event)
  const at = new Date().toISOString()
  const head = { event, id, created_at: at, sample: true }
  const mail = { receiver: { name }, items: [{ event, at, data }], counts: { [event]: 1 } }
  const rowCount = await execute(database, INSERT_SAMPLE, {
    ...{ id, accountId: receiver.accountId, receiverId: receiver.id, event, subjectId: data.id, url },
    body: storableJson(kind === 'email' ? { ...head, ...mail } : { ...head, data }),
    most: kind === 'email' ? MAX_SAMPLE_MAILS_PER_MINUTE : null,
  })
  if (rowCount === 0)
    throw tryLater(
      'TOO_MANY_SAMPLES',
      'This receiver has reached its limit of mail for this minute. Wait a minute.',
      { httpStatus: 429, retryAfterMs: 60_000 },
    )
}

const INSERT_SAMPLE = `
  INSERT INTO notification (id, account_id, receiver_id, event, subject_id, url, body)
  SELECT :id::uuid, :accountId::uuid, :receiverId::uuid, :event::text, :subjectId::uuid, :url::text,
    convert_to(:body::text, 'UTF8')
  WHERE :most::int IS NULL OR EXISTS (SELECT FROM notification WHERE id = :id) OR :most > (
    SELECT count(*) FROM (
      SELECT created_at FROM notification WHERE receiver_id = :receiverId ORDER BY id DESC LIMIT ${MAX_SAMPLE_MAILS_PER_MINUTE}
    ) AS last WHERE created_at > now() - interval '1 minute')
  ON CONFLICT (id) DO UPDATE SET id = excluded.id`
