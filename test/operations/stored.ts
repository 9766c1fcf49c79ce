import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { sealedColumns } from '../../src/operations/sealed-columns.ts'
import { type SealedColumn, type SealedRow, sealFor } from '../../src/secrets/check-keys.ts'
import type { Keyring } from '../../src/secrets/keyring.ts'

/** Stores secrets in every place there is, of two accounts with so many sites each. */
export async function storeSecrets(pool: Pool, keyring: Keyring, sites: number): Promise<void> {
  for (const account of [randomUUID(), randomUUID()]) {
    await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'of this test')`, [account])
    for (let index = 0; index < sites; index += 1)
      await pool.query(
        `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
         VALUES ($1, $2, 'one', $3, $3 || '/wp-json/', 'editor', '', now())`,
        [randomUUID(), account, `https://site-${index}.example`],
      )
    for (const until of ['2999-01-01', '2001-01-01', null])
      await pool.query(
        `INSERT INTO source (id, account_id, name, token_hash, previous_secret_until, upstream_base_url)
         VALUES ($1, $2, 'one', $1::uuid::text, $3, 'https://upstream.example/api')`,
        [randomUUID(), account, until],
      )
    const file = randomUUID()
    await pool.query('INSERT INTO site_import (id, account_id, dry_run) VALUES ($1, $2, false)', [
      file,
      account,
    ])
    await pool.query(
      `INSERT INTO site_import_line (id, import_id, line, status, site_id) VALUES ($1, $2, 2, 'waiting', $1)`,
      [randomUUID(), file],
    )
    await pool.query(
      `INSERT INTO idempotency_key (id, account_id, key, request_digest) VALUES ($1, $2, 'one', '')`,
      [randomUUID(), account],
    )
    for (const until of ['2999-01-01', '2001-01-01'])
      await pool.query(
        `INSERT INTO receiver (id, account_id, name, kind, url, events, previous_secret_until)
         VALUES ($1, $2, 'one', 'webhook', 'https://receiver.example', '{}', $3)`,
        [randomUUID(), account, until],
      )
  }
  for (const column of sealedColumns)
    for (const row of await rowsOf(pool, column))
      await put(pool, column, row, sealFor(keyring, column, row, secretOf(row)))
}

/** What was stored in a row. */
export const secretOf = (row: SealedRow): string => `secret of ${row.id}`

/** Every row of such a column, whether something is stored there or not. */
export async function rowsOf(pool: Pool, column: SealedColumn): Promise<Record<string, string>[]> {
  const { rows } = await pool.query(
    `SELECT ${[...column.key, ...(column.address === undefined ? [] : [column.address]), column.column].join(', ')} FROM ${column.table} ORDER BY ${column.key.join(', ')}`,
  )
  return rows
}

/** Stores an encrypted secret, as a process does that knows nothing of a rotation. */
export async function put(
  pool: Pool,
  { table, column, key }: SealedColumn,
  row: SealedRow,
  sealed: string | null,
): Promise<void> {
  await pool.query(
    `UPDATE ${table} SET ${column} = $1 WHERE ${key.map((name, at) => `${name} = $${at + 2}`).join(' AND ')}`,
    [sealed, ...key.map((name) => row[name])],
  )
}

/** The keys that stored secrets are encrypted with, and how many with each. */
export async function keysInUse(pool: Pool): Promise<Record<string, number>> {
  const used: Record<string, number> = {}
  for (const column of sealedColumns)
    for (const row of await rowsOf(pool, column)) {
      const id = row[column.column]?.split('.')[1]
      if (id !== undefined) used[id] = (used[id] ?? 0) + 1
    }
  return used
}
