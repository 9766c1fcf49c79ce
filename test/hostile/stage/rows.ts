import type { Pool } from 'pg'

/** Everything that belongs to an account, as one fingerprint a table: equal where not a byte of a row has changed. */
export async function allRowsOf(pool: Pool, accountId: string): Promise<Record<string, string>> {
  const { rows: tables } = await pool.query<{ table: string }>(
    `SELECT table_name AS table FROM information_schema.columns
     WHERE table_schema = 'public' AND column_name = 'account_id' ORDER BY 1`,
  )
  const below = {
    delivery_step: 'delivery_id IN (SELECT id FROM delivery WHERE account_id = $1)',
    delivery_media: 'delivery_id IN (SELECT id FROM delivery WHERE account_id = $1)',
    account: 'id = $1',
  }
  const owned = Object.fromEntries(tables.map(({ table }) => [table, 'account_id = $1']))
  const prints: Record<string, string> = {}
  for (const [table, where] of Object.entries({ ...owned, ...below })) {
    const { rows } = await pool.query<{ print: string | null }>(
      `SELECT count(*) || ' ' || coalesce(md5(string_agg(t::text, E'\\n' ORDER BY t::text)), '') AS print
       FROM "${table}" t WHERE ${where}`,
      [accountId],
    )
    prints[table] = rows[0]?.print ?? ''
  }
  return prints
}

/**
 * What of some accounts only a request can change, as one fingerprint: none of what jobs write by themselves, as a
 * site's report or the state of a delivery.
 */
export async function askedRowsOf(pool: Pool, accountIds: readonly string[]): Promise<string> {
  const tables = {
    account: ['id', 'name', 'disabled_at'],
    api_key: ['id', 'account_id', 'name', 'hash', 'revoked_at'],
    source: [
      'id',
      'name',
      'token_hash',
      'signing_secret',
      'upstream_base_url',
      'upstream_api_key',
      'disabled_at',
    ],
    connect_link: ['id', 'token_hash', 'url', 'requested', 'problem', 'rejected_at', 'revoked_at', 'used_at'],
    site: [
      'id',
      'name',
      'url',
      'rest_root',
      'username',
      'application_password',
      'settings',
      'author_id',
      'labels',
    ],
    bulk_job: ['id'],
    event: ['id', 'status', 'document_id'],
    delivery: ['id', 'site_id', 'document_id', 'wanted_event_id'],
  }
  const parts = Object.entries(tables).map(([table, columns]) => {
    const owner = table === 'account' ? 'id' : 'account_id'
    return `SELECT concat_ws('|', '${table}', ${columns.join()}) AS line FROM ${table} WHERE ${owner} = ANY ($1)`
  })
  const { rows } = await pool.query<{ print: string }>(
    `SELECT count(*) || ' ' || coalesce(md5(string_agg(line, E'\\n' ORDER BY line)), '') AS print
     FROM (${parts.join(' UNION ALL ')}) AS lines`,
    [accountIds],
  )
  return rows[0]?.print ?? ''
}
