import type { Pool } from 'pg'
import { z } from 'zod'
import { booleanParam, singleLineText, uuid } from '../../contract/scalars.ts'
import { named } from '../../database/statement.ts'
import { type Page, type PageRequest, toPage } from '../../lib/paging.ts'
import { lowestUuidAt } from './record.ts'

/** The first entries after `cursor`, the newest first. Ids are made in the order of time, so that a time is a place among them. */
export async function listAuditEntries(
  pool: Pool,
  { accountId, limit, cursor, ...filter }: PageRequest & AuditFilter & { accountId: string },
): Promise<Page<AuditEntryView>> {
  const { conditions, values } = conditionsOf(filter)
  if (cursor !== undefined) conditions.push('id < :cursor::uuid')
  const { rows } = await pool.query<Row>(
    named(
      `SELECT id, at, key_id, actor, action, subject_kind, subject_id, details FROM audit_entry
       WHERE ${['account_id = :accountId::uuid', ...conditions].join(' AND ')}
       ORDER BY id DESC LIMIT :limit::int + 1`,
      { accountId, limit, ...values, ...(cursor !== undefined && { cursor }) },
    ),
  )
  return toPage(
    rows.map(({ at, ...row }) => ({ ...row, at: at.toISOString() })),
    limit,
  )
}

type Row = Omit<AuditEntryView, 'at'> & { at: Date }

const sql = {
  key_id: 'key_id = :key_id::uuid',
  action: 'action = :action::text',
  subject_kind: 'subject_kind = :subject_kind::text',
  subject_id: 'subject_id = :subject_id::text',
  since: 'id >= :since::uuid',
  until: 'id < :until::uuid',
} satisfies Record<keyof Valued, string>

type Valued = Omit<AuditFilter, 'sessions'>

function conditionsOf({ sessions, ...filter }: AuditFilter) {
  const given = Object.entries(filter).filter(
    (entry): entry is [keyof Valued, string] => entry[1] !== undefined,
  )
  const conditions: string[] = given.map(([name]) => sql[name])
  // Not as a parameter: there is an index of these.
  if (sessions === false) conditions.push(`subject_kind <> 'session'`)
  const values = Object.fromEntries(
    given.map(([name, value]) => [
      name,
      name === 'since' || name === 'until' ? lowestUuidAt(new Date(value)) : value,
    ]),
  )
  return { conditions, values }
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

/** An entry of the audit log. */
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
    details: z
      .record(z.string(), z.unknown())
      .describe('What was asked for, without what is secret or long in it.'),
  })
  .meta({ id: 'AuditEntry' })

type AuditFilter = z.output<typeof auditFilterSchema>
type AuditEntryView = z.output<typeof auditEntrySchema>
