import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { execute, queryRows } from '../../database/statement.ts'
import { unlessMissing } from '../../lib/files.ts'
import type { NewFile } from './storage.ts'

export interface FileRow {
  token: string
  /** `folder/<name>` or `s3/<name>`: which store, and its name there. */
  key: string
  type: string
  bytes: number
  /** SHA-256 of its bytes, in hexadecimal. */
  sha256: string
  createdAt: Date
  /** Milliseconds until it goes, by the database's clock; null for never. */
  expiresInMs: number | null
}

const FILE_COLUMNS = `token, key, type, bytes, encode(sha256, 'hex') AS sha256, created_at AS "createdAt",
  floor(extract(epoch FROM expires_at - now()) * 1000)::float8 AS "expiresInMs"`

/** Days for which a file of a job alone is kept, should the job not remove it. */
const JOB_FILE_DAYS = 365

/** Records a file before it is placed. It is not served yet; if never confirmed, it goes with the expired. */
export async function insertPendingFile(
  pool: Pool,
  { accountId, type }: NewFile,
  row: { token: string; key: string; bytes: number; sha256: Buffer },
): Promise<void> {
  await execute(
    pool,
    `INSERT INTO stored_file (token, account_id, key, type, bytes, sha256, served, expires_at)
     VALUES (:token, :accountId, :key, :type, :bytes, :sha256, false, now() + interval '1 day')`,
    { ...row, accountId, type },
  )
}

/** Confirms a placed file for so many days; 0 for ever. @returns false where it was removed meanwhile */
export async function confirmFile(
  pool: Pool,
  token: string,
  { served, days }: { served: boolean; days: number },
): Promise<boolean> {
  const rowCount = await execute(
    pool,
    `UPDATE stored_file SET served = :served, created_at = now(),
       expires_at = CASE WHEN :days::int > 0 THEN now() + make_interval(days => :days::int) END
     WHERE token = :token`,
    { token, served, days: served ? days : JOB_FILE_DAYS },
  )
  return rowCount === 1
}

/** @param condition in SQL, of a row that is wanted */
export async function findFile(pool: Pool, token: string, condition = 'true'): Promise<FileRow | undefined> {
  const rows = await queryRows<FileRow>(
    pool,
    `SELECT ${FILE_COLUMNS} FROM stored_file WHERE token = :token AND ${condition}`,
    { token },
  )
  return rows[0]
}

/** SQL: the file is served, and its time is not over. */
export const IS_SERVED = 'served AND (expires_at IS NULL OR expires_at > now())'

/** SQL that ends the time of files now, so that they go with the next that are removed. @param tokens a SELECT */
export const expireFiles = (tokens: string): string =>
  `UPDATE stored_file SET expires_at = now() WHERE token IN (${tokens})`

const EXPIRY_BATCH = 500

/** Milliseconds after which a file that is not finished is nobody's: its process ended over it. */
const UNFINISHED_AGE_MS = 86_400_000

export interface ExpiryTarget {
  pool: Pool
  removeBlob(key: string): Promise<void>
}

/** Removes expired files, the bytes before the row. What a store refuses to remove waits for a night. */
export async function removeExpired({
  pool,
  removeBlob,
}: ExpiryTarget): Promise<{ removed: number; left: number }> {
  const counts = { removed: 0, left: 0 }
  let after = ''
  for (;;) {
    const batch = await queryRows<Pick<FileRow, 'token' | 'key'>>(
      pool,
      `SELECT token, key FROM stored_file WHERE expires_at <= now() AND token > :after
       ORDER BY token LIMIT ${EXPIRY_BATCH}`,
      { after },
    )
    const removed: string[] = []
    for (const { token, key } of batch)
      await removeBlob(key).then(
        () => removed.push(token),
        () => (counts.left += 1),
      )
    if (removed.length > 0)
      await execute(pool, 'DELETE FROM stored_file WHERE token = ANY (:removed)', { removed })
    counts.removed += removed.length
    const last = batch.at(-1)
    if (batch.length < EXPIRY_BATCH || last === undefined) return counts
    after = last.token
  }
}

/** Removes what killed processes were writing when they ended. @returns how many */
export async function removeUnfinished(folder: string): Promise<number> {
  const names = (await readdir(folder).catch(unlessMissing)) ?? []
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    // Another process may have finished it meanwhile.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs > Date.now() - UNFINISHED_AGE_MS) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}
