import type { Pool } from 'pg'
import { named, storableJson } from '../../database/statement.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import { type Page, type PageRequest, toPage } from '../../lib/paging.ts'
import { isWithinVisible } from '../../lib/visible-sites.ts'
import type { Keyring } from '../../secrets/index.ts'
import type { NotificationEvent } from '../notify.ts'
import { createReceiverSecret } from '../signing-secrets.ts'
import {
  IS_VISIBLE,
  MAX_RECEIVERS,
  mailNotConfigured,
  RECEIVER_COLUMNS,
  type ReceiverKey,
  type ReceiverRow,
  type ReceiverScope,
  receiverKindMismatch,
  receiverParameters,
  receiverRow,
  receiverTooWide,
  receiverUnknown,
  receiverView,
  tooManyReceivers,
  tooManySamples,
} from './row.ts'
import { type NewReceiver, type ReceiverPatch, type ReceiverView, receiverKind } from './schema.ts'

interface ReceiverStore {
  pool: Pool
  keyring: Keyring
  sendsMail: boolean
}

const UNSIGNED = { secret: null, sealed: null }

interface ReceiverCreation {
  id: string
  /**
   * When an earlier attempt at the request began, which may have made it; undefined for the first.
   */
  againSince: Date | undefined
}

/**
 * Creates a receiver, told from the next outcome on. A webhook's secret is shown this once.
 *
 * @throws GalleyError 403 `RECEIVER_TOO_WIDE`; 409 `TOO_MANY_RECEIVERS`, `MAIL_NOT_CONFIGURED`
 */
export async function createReceiver(
  { pool, keyring, sendsMail }: ReceiverStore,
  { accountId, siteIds }: ReceiverScope,
  requested: NewReceiver,
  { id, againSince }: ReceiverCreation,
): Promise<ReceiverView & { secret: string | null }> {
  assertReceiverScope(siteIds, requested)
  const { name, kind, url, events, labels } = requested
  if (kind === 'email' && !sendsMail) throw mailNotConfigured()
  const { secret, sealed } = kind === 'email' ? UNSIGNED : createReceiverSecret(keyring, id)
  return inTransaction(pool, async (database) => {
    // Serial for each account, so that concurrent requests cannot exceed the limit.
    await database.query(named('SELECT FROM account WHERE id = :accountId FOR UPDATE', { accountId }))
    if (againSince) {
      // Its secret was shown to nobody.
      const { rows } = await database.query<ReceiverRow>(named(REPLACE_SECRET, { id, accountId, sealed }))
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
  WHERE (SELECT count(*) FROM receiver WHERE account_id = :accountId AND removed_at IS NULL) < ${MAX_RECEIVERS}
  RETURNING ${RECEIVER_COLUMNS}`

const REPLACE_SECRET = `
  UPDATE receiver SET secret = :sealed WHERE id = :id AND account_id = :accountId AND removed_at IS NULL
  RETURNING ${RECEIVER_COLUMNS}`

/** The receivers visible to the caller, newest first. */
export async function listReceivers(
  database: Queryable,
  { accountId, siteIds }: ReceiverScope,
  { limit, cursor }: PageRequest,
): Promise<Page<ReceiverView>> {
  const { rows } = await database.query<ReceiverRow>(
    named(
      `SELECT ${RECEIVER_COLUMNS} FROM receiver
       WHERE ${IS_VISIBLE} AND (:cursor::uuid IS NULL OR id < :cursor) ORDER BY id DESC LIMIT :most`,
      { accountId, siteIds, cursor: cursor ?? null, most: limit + 1 },
    ),
  )
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(receiverView), nextCursor }
}

/** @throws GalleyError 404 `NOT_FOUND` */
export async function getReceiver(database: Queryable, receiver: ReceiverKey): Promise<ReceiverView> {
  return receiverView(await receiverRow(database, receiver))
}

/**
 * Changes a receiver from the next outcome on. @throws GalleyError 404; 403 `RECEIVER_TOO_WIDE`;
 * 409 `OTHER_KIND`
 */
export async function updateReceiver(
  { pool }: Pick<ReceiverStore, 'pool'>,
  receiver: ReceiverKey,
  requested: ReceiverPatch,
): Promise<ReceiverView> {
  const { kind } = await receiverRow(pool, receiver)
  assertReceiverKind(kind, requested)
  const { rows } = await pool.query<ReceiverRow>(
    named(UPDATE, {
      ...receiverParameters(receiver),
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
  throw receiverTooWide()
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

// A limited key must still see the receiver afterwards.
const UPDATE = `
  WITH requested AS (
    SELECT coalesce(:wantedSites::uuid[], site_ids) AS site_ids, coalesce(:labels::text[], labels) AS labels
    FROM receiver WHERE id = :id AND account_id = :accountId
  ), changed AS (
    UPDATE receiver SET name = coalesce(:name, name), url = coalesce(:url, url), events = coalesce(:events::text[], events),
      site_ids = coalesce(:wantedSites::uuid[], site_ids), labels = coalesce(:labels::text[], labels),
      digest_minutes = coalesce(:digestMinutes::int, digest_minutes),
      disabled_at = CASE WHEN :disabled::bool IS NULL THEN disabled_at WHEN :disabled THEN coalesce(disabled_at, now()) END
    WHERE id = :id AND ${IS_VISIBLE} AND (:siteIds::uuid[] IS NULL OR EXISTS (
      SELECT FROM requested WHERE labels = '{}' AND site_ids <> '{}' AND site_ids <@ :siteIds::uuid[]))
    RETURNING ${RECEIVER_COLUMNS}
  ), quiet AS (
    SELECT id FROM changed WHERE :disabled::bool
  ), ${cancelPending('quiet')}
  SELECT * FROM changed`

/**
 * Removes a receiver and ends its pending notifications; past ones stay on record. @throws
 * GalleyError 404
 */
export async function removeReceiver(database: Queryable, receiver: ReceiverKey): Promise<void> {
  const { rowCount } = await database.query(named(REMOVE, receiverParameters(receiver)))
  if (rowCount === 0) throw receiverUnknown(receiver.id)
}

const REMOVE = `
  WITH removed AS (
    UPDATE receiver SET removed_at = now(), secret = NULL, previous_secret = NULL, previous_secret_until = NULL
    WHERE id = :id AND ${IS_VISIBLE} RETURNING id
  ), ${cancelPending('removed')}
  SELECT id FROM removed`

/**
 * @throws GalleyError 403 `RECEIVER_TOO_WIDE` where the receiver covers sites that the key does not
 * see
 */
export function assertReceiverScope(
  siteIds: string[] | null,
  requested: Pick<NewReceiver, 'site_ids' | 'labels'>,
): void {
  if (!isWithinVisible(siteIds, { siteIds: requested.site_ids, labels: requested.labels }))
    throw receiverTooWide()
}

/** Settings of one kind of receiver do not apply to the other. */
function assertReceiverKind(kind: ReceiverRow['kind'], { url, digest_minutes }: ReceiverPatch): void {
  if (url !== undefined && receiverKind(url) !== kind) throw receiverKindMismatch(kind)
  if (digest_minutes !== undefined && kind !== 'email') throw receiverKindMismatch(kind)
}

const SAMPLE_SITE = {
  id: '018f3c1e-5f0a-7d3b-9a45-1c2d3e4f5a6b',
  name: 'Harbour News',
  url: 'https://example.com',
  labels: ['news'],
}
const SAMPLE_TIME = '2026-01-01T12:00:00.000Z'
const SAMPLE_ERROR = {
  code: 'credentials_rejected',
  message: 'This is a sample. What happened, and what to do about it, is said here.',
}

const sampleDelivery = (status: string, error: object | null) => ({
  id: '018f3c1e-6a11-7c55-8f21-0a1b2c3d4e5f',
  document_id: '018f3c1e-4b22-7e66-9d32-1b2c3d4e5f60',
  title: 'How tides come about',
  source: null,
  site_id: SAMPLE_SITE.id,
  status,
  post: {
    id: 42,
    url: `${SAMPLE_SITE.url}/how-tides-come-about/`,
    edit_url: `${SAMPLE_SITE.url}/wp-admin/post.php?post=42&action=edit`,
    status: 'publish',
  },
  warnings: [],
  attempts: error === null ? 0 : 1,
  next_attempt_at: null,
  error,
  created_at: SAMPLE_TIME,
  updated_at: SAMPLE_TIME,
  site: SAMPLE_SITE,
})

const sampleSite = (status: string, more: object) => ({
  ...SAMPLE_SITE,
  status,
  trouble: null,
  paused_until: null,
  ...more,
})

const SAMPLES = {
  'delivery.delivered': sampleDelivery('delivered', null),
  'delivery.held': sampleDelivery('held', { ...SAMPLE_ERROR, step: 'fill' }),
  'delivery.failed': sampleDelivery('failed', { ...SAMPLE_ERROR, step: 'fill' }),
  'site.outage': sampleSite('needs_owner', { trouble: SAMPLE_ERROR, what_to_do: SAMPLE_ERROR.message }),
  'site.recovered': sampleSite('connected', { was: SAMPLE_ERROR, what_to_do: null }),
  'site.regression': sampleSite('problem', {
    level: 'problem',
    findings: [
      {
        check: 'sample',
        level: 'problem',
        seen: 'This is a sample.',
        means: 'What it means is said here.',
        todo: 'What to do is said here.',
      },
    ],
    what_to_do: 'What to do is said here.',
  }),
} satisfies Record<NotificationEvent, object>

/** Sample mails a minute to one receiver, so that nobody's mailbox is flooded. */
const MAX_SAMPLE_MAILS_PER_MINUTE = 3

/**
 * Sends a sample now, as any notification: signed or as mail, retried and recorded.
 *
 * @param id of the notification; the same id sends no other
 * @throws GalleyError 404 `NOT_FOUND`; 429 `TOO_MANY_SAMPLES`
 */
export async function sendSample(
  database: Queryable,
  receiver: ReceiverKey,
  wanted: NotificationEvent | undefined,
  id: string,
): Promise<void> {
  const { events, url, kind, name } = await receiverRow(database, receiver)
  const event = wanted ?? (events[0] as NotificationEvent)
  const data = SAMPLES[event]
  const head = { event, id, created_at: new Date().toISOString(), sample: true }
  const mail = { receiver: { name }, items: [{ event, at: SAMPLE_TIME, data }], counts: { [event]: 1 } }
  const { rowCount } = await database.query(
    named(INSERT_SAMPLE, {
      ...{ id, accountId: receiver.accountId, receiverId: receiver.id, event, subjectId: data.id, url },
      body: storableJson(kind === 'email' ? { ...head, ...mail } : { ...head, data }),
      most: kind === 'email' ? MAX_SAMPLE_MAILS_PER_MINUTE : null,
    }),
  )
  if (rowCount === 0) throw tooManySamples()
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
