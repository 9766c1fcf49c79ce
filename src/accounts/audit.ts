import type { Pool } from 'pg'
import { v7 as createId } from 'uuid'
import { z } from 'zod'
import { booleanParam, singleLineText, uuid } from '../contract/scalars.ts'
import { createConditions, execute, queryRows, storableJson, storableText } from '../database/statement.ts'
import type { Queryable, RowSource } from '../database/transaction.ts'
import { createTimedTask, type WorkFactory } from '../jobs/job.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { excerpt } from '../lib/text.ts'
import { lowestUuidAt, timeOfUuid } from '../lib/uuid.ts'
import { redactSecrets } from '../log/redact.ts'

/** What was done, as the log names it: the kind of thing, and a verb. `site.connect`, `key.revoke`. */
export type AuditAction = `${string}.${string}`

interface AuditedAction {
  accountId: string
  /** Whose key asked for it; or who did it without one, in words: `the owner of the site, through a connect link`. */
  by: { keyId: string } | { actor: string }
  action: AuditAction
  /** The site, key, source or delivery that it was done to; null where there is no single one. */
  subjectId: string | null
  /** What was asked for, without a secret: see `accounts/audit.ts`. */
  details?: Record<string, unknown>
}

/** Enters into the audit log what was done, in the transaction that stores it. @param intent the entry that this ends */
export async function recordAuditEntry(
  database: RowSource,
  { accountId, by, action, subjectId, details = {} }: AuditedAction,
  intent: string | null = null,
): Promise<void> {
  const id = createId()
  await queryRows(database, INSERT_ENTRY, {
    id,
    intent,
    accountId,
    keyId: 'keyId' in by ? by.keyId : null,
    actor: 'actor' in by ? storableText(by.actor) : null,
    action,
    subjectId,
    details: storableJson(details),
    at: new Date(timeOfUuid(id) as number).toISOString(),
  })
}

const INSERT_ENTRY = `
WITH ended AS (DELETE FROM audit_intent WHERE id = :intent::uuid RETURNING details)
INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, details, at)
VALUES (:id::uuid, :accountId::uuid, :keyId::uuid,
  coalesce(:actor::text, (SELECT name FROM api_key WHERE id = :keyId::uuid AND account_id = :accountId::uuid), ''),
  :action::text, split_part(:action::text, '.', 1), :subjectId::text, coalesce((SELECT details FROM ended), :details::jsonb), :at::timestamptz)`

// A request changes something in transactions of its own, perhaps several, and asks sites in between; its entry follows. A
// process may be killed before that. So what is about to be done is written first, and goes with the entry.

/** What is about to be done; of something that is made nobody may know the id yet. */
export type AuditIntent = Omit<AuditedAction, 'by'> & { by: { keyId: string } }

/** Writes down what is about to be done; on disk before any change that follows. @returns its id */
export async function recordAuditIntent(database: Queryable, intent: AuditIntent): Promise<string> {
  const { accountId, by, action, subjectId, details = {} } = intent
  const id = createId()
  await execute(database, INSERT_INTENT, {
    id,
    accountId,
    keyId: by.keyId,
    action,
    subjectId,
    details: storableJson(details),
  })
  return id
}

/** A site that is removed is a row no more: its entry keeps its name. */
const INSERT_INTENT = `
  WITH quick AS (SELECT set_config('synchronous_commit', 'off', true))
  INSERT INTO audit_intent (id, account_id, key_id, action, subject_id, details)
  SELECT :id::uuid, :accountId::uuid, :keyId::uuid, :action::text, :subjectId::text, :details::jsonb || coalesce((
    SELECT jsonb_build_object('name', name) FROM site
    WHERE :action::text = 'site.remove' AND account_id = :accountId::uuid AND id::text = :subjectId::text), '{}')
  FROM quick`

/** Forgets what was begun and came to nothing. */
export async function deleteAuditIntent(database: Queryable, id: string): Promise<void> {
  await execute(database, 'DELETE FROM audit_intent WHERE id = :id::uuid', { id })
}

/** Milliseconds after which no request is under way any more. */
const ABANDONED_AFTER_MS = 3_600_000

/** Enters what was begun long ago and has no end, as of that time: nobody knows whether it was done. @returns how many */
export async function recordAbandonedIntents(pool: Pool, begunBefore: Date): Promise<number> {
  return execute(pool, ABANDONED_INTENTS, {
    before: lowestUuidAt(begunBefore.getTime()),
    unfinished: OUTCOME_UNKNOWN,
  })
}

const OUTCOME_UNKNOWN =
  'Nobody knows whether this was done: it failed, or the process ended, before that could be entered.'

const ABANDONED_INTENTS = `
  WITH left_behind AS (
    DELETE FROM audit_intent WHERE id < :before::uuid
    RETURNING id, account_id, key_id, action, subject_id, details, at
  )
  INSERT INTO audit_entry (id, account_id, key_id, actor, action, subject_kind, subject_id, details, at)
  SELECT l.id, l.account_id, l.key_id,
    coalesce((SELECT name FROM api_key k WHERE k.id = l.key_id AND k.account_id = l.account_id), ''),
    l.action, split_part(l.action, '.', 1), l.subject_id, l.details || jsonb_build_object('unfinished', :unfinished::text), l.at
  FROM left_behind l`

/** What the audit log needs done: that what a killed process has begun is in it within two hours. */
export const auditWork =
  (pool: Pool): WorkFactory =>
  () => ({
    tasks: [
      createTimedTask('enter_unfinished', '53 * * * *', () =>
        recordAbandonedIntents(pool, new Date(Date.now() - ABANDONED_AFTER_MS)),
      ),
    ],
  })

/** The first entries after `cursor`, the newest first. Ids are made in the order of time, so that a time is a place among them. */
export async function listAuditEntries(
  pool: Pool,
  { accountId, limit, cursor, ...filter }: PageRequest & AuditFilter & { accountId: string },
): Promise<Page<AuditEntryView>> {
  const { parts, values, when } = conditionsOf(filter)
  when(cursor, 'cursor', 'id < :cursor::uuid')
  const rows = await queryRows<Row>(
    pool,
    `SELECT e.id, e.at, key_id, actor, action, subject_kind, subject_id, coalesce(subject.name, details ->> 'name') AS subject_name,
       subject.beside AS subject_of, subject.items AS subject_items, details
     FROM (
       SELECT *, CASE WHEN subject_id ~ '${UUID_PATTERN}' THEN subject_id::uuid END AS subject FROM audit_entry
       WHERE ${['account_id = :accountId::uuid', ...parts].join(' AND ')} ORDER BY id DESC LIMIT :limit::int + 1
     ) e LEFT JOIN LATERAL (${SUBJECTS}) subject (name, beside, items) ON true ORDER BY e.id DESC`,
    { accountId, limit, ...values },
  )
  return toPage(rows, limit, ({ at, ...row }) => ({ ...row, at: at.toISOString() }))
}

const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$'

/** A site that is removed keeps the name in the entry that says so. */
const siteName = (id: string) => `coalesce(
  (SELECT name FROM site WHERE account_id = :accountId::uuid AND id = ${id}),
  (SELECT r.details ->> 'name' FROM audit_entry r
    WHERE r.account_id = :accountId::uuid AND r.subject_id = ${id}::text AND r.action = 'site.remove' ORDER BY r.id DESC LIMIT 1))`

interface Subject {
  kind: string
  /** Its table, `t` in what follows. */
  from: string
  /** SQL of its name, of what it belongs to, and of how many things are in it. */
  name: string
  of?: string
  items?: string
}

const subjects: readonly Subject[] = [
  { kind: 'site', from: '(SELECT e.subject AS id, e.account_id)', name: siteName('t.id') },
  { kind: 'delivery', from: 'delivery', name: 'title', of: siteName('site_id') },
  {
    // Of a document that was sent to several sites, the event is the object.
    kind: 'delivery',
    from: 'event',
    name: '(SELECT d.title FROM delivery d WHERE d.account_id = t.account_id AND d.document_id = t.document_id LIMIT 1)',
  },
  { kind: 'source', from: 'source', name: 'name' },
  { kind: 'receiver', from: 'receiver', name: 'name' },
  {
    kind: 'notification',
    from: 'notification',
    name: 'event',
    of: '(SELECT r.name FROM receiver r WHERE r.account_id = t.account_id AND r.id = t.receiver_id)',
  },
  { kind: 'key', from: 'api_key', name: 'name' },
  // Only the operator's entries are about other accounts.
  { kind: 'account', from: '(SELECT id, name, :accountId::uuid AS account_id FROM account)', name: 'name' },
  {
    kind: 'job',
    from: 'generation_job',
    name: `left(coalesce(result ->> 'title', request ->> 'prompt', request ->> 'text'), 200)`,
  },
  { kind: 'bulk', from: 'bulk_job', name: 'action', items: 'matched' },
  {
    kind: 'import',
    from: 'site_import',
    name: 'NULL',
    items: '(SELECT count(*) FROM site_import_line l WHERE l.import_id = t.id)',
  },
  { kind: 'connect_link', from: 'connect_link', name: 'url' },
]

const SUBJECTS = subjects
  .map(
    ({ kind, from, name, of = 'NULL', items = 'NULL' }) =>
      `SELECT ${name}, ${of}, ${items}::int FROM ${from} t
       WHERE e.subject_kind = '${kind}' AND t.account_id = :accountId::uuid AND t.id = e.subject`,
  )
  .join(' UNION ALL ')

type Row = Omit<AuditEntryView, 'at'> & { at: Date }

function conditionsOf({ sessions, since, until, ...filter }: AuditFilter) {
  const conditions = createConditions([], {})
  const { parts, when } = conditions
  when(filter.key_id, 'key_id', 'key_id = :key_id::uuid')
  when(filter.action, 'action', 'action = :action::text')
  when(filter.subject_kind, 'subject_kind', 'subject_kind = :subject_kind::text')
  when(filter.subject_id, 'subject_id', 'subject_id = :subject_id::text')
  when(since && lowestUuidAt(Date.parse(since)), 'since', 'id >= :since::uuid')
  when(until && lowestUuidAt(Date.parse(until)), 'until', 'id < :until::uuid')
  // Not as a parameter: there is an index of these.
  if (sessions === false) parts.push(`subject_kind <> 'session'`)
  return conditions
}

const name = singleLineText(100)

/** By what the audit log can be filtered; the members of a query. */
export const auditFilterSchema = z.strictObject({
  key_id: uuid.optional().describe('Only what this key did.'),
  action: name.optional().describe('Only this, such as `site.connect`.'),
  subject_kind: name
    .optional()
    .describe('Only what was done to things of this kind, such as `site` or `key`.'),
  subject_id: singleLineText(200).optional().describe('Only what was done to this one.'),
  sessions: booleanParam
    .optional()
    .describe('false: without who signed in to the page and out of it, which may be most of the log.'),
  since: z.iso.datetime({ offset: true }).optional().describe('Only what was done then or later.'),
  until: z.iso.datetime({ offset: true }).optional().describe('Only what was done before.'),
})

export const auditEntrySchema = z
  .object({
    id: uuid,
    at: z.iso.datetime(),
    key_id: uuid
      .nullable()
      .describe('Null where no key did it: the owner of a site, or whoever runs Galley.'),
    actor: z.string().describe('The name that the key had then; or who it was, in words.'),
    action: z.string().describe('The kind of thing and a verb: `site.connect`, `key.revoke`.'),
    subject_kind: z.string(),
    subject_id: z.string().nullable().describe('Null where there is no single one.'),
    subject_name: z
      .string()
      .nullable()
      .describe(
        'What it is called: the title of a document, the name of a site, source, key, recipient or account, the address of a link, the `event` of a notification, the `action` of a bulk action.',
      ),
    subject_of: z.string().nullable().describe('The site of a delivery, the recipient of a notification.'),
    subject_items: z
      .int()
      .nullable()
      .describe('How many things a bulk action is about, and how many sites an import has.'),
    details: z
      .record(z.string(), z.unknown())
      .describe('What was asked for, without what is secret or long in it.'),
  })
  .meta({ id: 'AuditEntry' })

type AuditFilter = z.output<typeof auditFilterSchema>
export type AuditEntryView = z.output<typeof auditEntrySchema>

const SECRET_NAME = /pass(?:word|wd|phrase|$)|secret|token|api_?key|^key$|credential|authorization|cookie/i

/** Characters of a text that the log keeps, characters as JSON of any other member, and bytes of a whole request. */
const KEPT_LIMITS = { text: 200, member: 1_000, request: 8_000 }

/** As the audit log keeps it: no secret, by name and looks, and nothing long. */
export function auditDetails(asked: {
  params: unknown
  query: unknown
  body: unknown
}): Record<string, unknown> {
  const { uuid: _subject, ...params } = membersOf(asked.params)
  const details = { ...params, ...membersOf(asked.query), ...ofBody(asked.body) }
  const kept = Object.fromEntries(
    Object.entries(details).map(([name, value]) => [excerpt(name, KEPT_LIMITS.text), keptValue(name, value)]),
  )
  if (Buffer.byteLength(JSON.stringify(kept)) <= KEPT_LIMITS.request) return kept
  return { members: Object.keys(kept).slice(0, 50), cut: true }
}

function ofBody(body: unknown): Record<string, unknown> {
  if (typeof body === 'string') return { body_characters: body.length }
  return Array.isArray(body) ? { body_entries: body.length } : membersOf(body)
}

const membersOf = (part: unknown): Record<string, unknown> =>
  typeof part === 'object' && part !== null ? { ...part } : {}

/** Redacted before it is cut: half a secret does not look like one. */
function keptValue(name: string, value: unknown): unknown {
  if (typeof value === 'string' || typeof value !== 'object') return redactMember(name, value)
  const { length } = JSON.stringify(value)
  return length > KEPT_LIMITS.member
    ? `… ${length} characters`
    : JSON.parse(JSON.stringify(value, redactMember))
}

/** Characters of a text that are looked through for secrets: what lies behind them is not kept. */
const MAX_SCANNED_CHARACTERS = 2_000

function redactMember(name: string, value: unknown): unknown {
  if (SECRET_NAME.test(name) && typeof value !== 'boolean' && value !== null) return '[redacted]'
  if (typeof value !== 'string') return value
  return excerpt(redactSecrets(excerpt(value, MAX_SCANNED_CHARACTERS)), KEPT_LIMITS.text)
}
