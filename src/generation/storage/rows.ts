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

/** Days for which a file of a job alone is kept, should the job not remove it. */
const DAYS_OF_JOBS = 365

/**
 * Writes down that a file is about to be placed. Nobody can ask for it yet, and should its process end before it is
 * confirmed, what there may be of it goes with the expired.
 */
export async function announceRow(
  pool: Pool,
  { accountId, type }: NewFile,
  row: { token: string; key: string; bytes: number; sha256: Buffer },
): Promise<void> {
  await pool.query(
    named(
      `INSERT INTO stored_file (token, account_id, key, type, bytes, sha256, served, expires_at)
       VALUES (:token, :accountId, :key, :type, :bytes, :sha256, false, now() + interval '1 day')`,
      { ...row, accountId, type },
    ),
  )
}

/**
 * Writes down that a file is in its place, from now on for so many days; 0 for ever.
 *
 * @returns false where that took so long that it was removed meanwhile
 */
export async function confirmRow(
  pool: Pool,
  token: string,
  { served, days }: { served: boolean; days: number },
): Promise<boolean> {
  const { rowCount } = await pool.query(
    named(
      `UPDATE stored_file SET served = :served, created_at = now(),
         expires_at = CASE WHEN :days::int > 0 THEN now() + make_interval(days => :days::int) END
       WHERE token = :token`,
      { token, served, days: served ? days : DAYS_OF_JOBS },
    ),
  )
  return rowCount === 1
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

/** Those whose time is over, in the order of their tokens, behind this one. */
export async function expiredKeys(pool: Pool, after: string, limit: number): Promise<FileKey[]> {
  const { rows } = await pool.query<FileKey>(
    named(
      `SELECT token, key FROM stored_file WHERE expires_at <= now() AND token > :after ORDER BY token LIMIT :limit`,
      { after, limit },
    ),
  )
  return rows
}

/** Their time is over. */
export async function expireRows(pool: Pool, tokens: readonly string[]): Promise<void> {
  await pool.query(named('UPDATE stored_file SET expires_at = now() WHERE token = ANY (:tokens)', { tokens }))
}

/** A file that is to be removed. */
export type FileKey = Pick<FileRow, 'token' | 'key'>

export async function removeRows(pool: Pool, tokens: readonly string[]): Promise<void> {
  await pool.query(named('DELETE FROM stored_file WHERE token = ANY (:tokens)', { tokens }))
}
