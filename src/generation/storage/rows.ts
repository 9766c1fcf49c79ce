import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { NewFile } from './types.ts'

/** A row of `stored_file`, as files are found by it. */
export interface FileRow {
  token: string
  /** `folder/<name>` or `s3/<name>`: which store, and its name there. */
  key: string
  type: string
  bytes: number
  sha256: Buffer
  created_at: Date
  /** By the database's clock; null for never. */
  goes_in_ms: number | null
}

const COLUMNS = `token, key, type, bytes, sha256, created_at,
  floor(extract(epoch FROM expires_at - now()) * 1000)::float8 AS goes_in_ms`

/** @param days for which it is kept; 0 for ever */
export async function storeRow(
  pool: Pool,
  { accountId, type, served }: NewFile,
  { days, ...row }: { token: string; key: string; bytes: number; sha256: Buffer; days: number },
): Promise<void> {
  await pool.query(
    named(
      `INSERT INTO stored_file (token, account_id, key, type, bytes, sha256, served, expires_at)
       VALUES (:token, :accountId, :key, :type, :bytes, :sha256, :served,
         CASE WHEN :days::int > 0 THEN now() + make_interval(days => :days::int) END)`,
      { ...row, days, accountId, type, served },
    ),
  )
}

export async function findRow(pool: Pool, token: string): Promise<FileRow | undefined> {
  const { rows } = await pool.query<FileRow>(
    named(`SELECT ${COLUMNS} FROM stored_file WHERE token = :token`, { token }),
  )
  return rows[0]
}

/** One that is served, and whose time is not over. */
export async function findServed(pool: Pool, token: string): Promise<FileRow | undefined> {
  const { rows } = await pool.query<FileRow>(
    named(
      `SELECT ${COLUMNS} FROM stored_file
       WHERE token = :token AND served AND (expires_at IS NULL OR expires_at > now())`,
      { token },
    ),
  )
  return rows[0]
}

export async function findKeys(pool: Pool, tokens: readonly string[]): Promise<FileKey[]> {
  const { rows } = await pool.query<FileKey>(
    named('SELECT token, key FROM stored_file WHERE token = ANY (:tokens)', { tokens }),
  )
  return rows
}

/** A file that is to be removed. */
export type FileKey = Pick<FileRow, 'token' | 'key'>

export async function removeRows(pool: Pool, tokens: readonly string[]): Promise<void> {
  await pool.query(named('DELETE FROM stored_file WHERE token = ANY (:tokens)', { tokens }))
}
