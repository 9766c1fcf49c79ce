import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { type Page, type PageRequest, toPage } from '../../paging.ts'
import { firstIdOf } from './ids.ts'
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
      name === 'since' || name === 'until' ? firstIdOf(new Date(value)) : value,
    ]),
  )
  return { conditions, values }
}
