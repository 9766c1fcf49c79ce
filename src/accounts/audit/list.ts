import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { type Page, type PageRequest, toPage } from '../../paging.ts'
import type { AuditEntryView, AuditFilter } from './schema.ts'

/** The first entries after `cursor`, the newest first. Ids are made in the order of time, so that a time is a place among them. */
export async function listAudit(
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
} satisfies Record<keyof AuditFilter, string>

function conditionsOf(filter: AuditFilter) {
  const given = Object.entries(filter).filter(
    (entry): entry is [keyof AuditFilter, string] => entry[1] !== undefined,
  )
  const conditions: string[] = given.map(([name]) => sql[name])
  const values = Object.fromEntries(
    given.map(([name, value]) => [name, name === 'since' || name === 'until' ? firstIdOf(value) : value]),
  )
  return { conditions, values }
}

/** Below every id that is made at this time or later, and above those before: no id of version 7 has so small a rest. */
function firstIdOf(time: string): string {
  const hex = Math.max(0, Date.parse(time)).toString(16).padStart(12, '0')
  return `${hex.slice(0, 8)}-${hex.slice(8)}-0000-0000-000000000000`
}
