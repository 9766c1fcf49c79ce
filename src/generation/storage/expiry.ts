import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import type { Pool } from 'pg'
import { hasCode } from '../../errno.ts'
import { expiredKeys, type FileKey, removeRows } from './rows.ts'

/** Files a statement. */
const BATCH = 500

/** Milliseconds after which a file that is not finished is nobody's: its process ended over it. */
const UNFINISHED_MS = 86_400_000

export interface Expiring {
  pool: Pool
  /** Removes the bytes of a file. */
  removeBlob(key: string): Promise<void>
}

/**
 * Removes the files whose time is over: the bytes first, then the row, so that a kill between the two forgets nothing. What
 * a store refuses to remove stays for the next night, and keeps nothing else.
 *
 * @returns how many were removed, and how many were not
 */
export async function removeExpired({
  pool,
  removeBlob,
}: Expiring): Promise<{ removed: number; left: number }> {
  const counts = { removed: 0, left: 0 }
  let after = ''
  for (;;) {
    const batch = await expiredKeys(pool, after, BATCH)
    const left = await removeFiles({ pool, removeBlob }, batch)
    counts.left += left.length
    counts.removed += batch.length - left.length
    const last = batch.at(-1)
    if (batch.length < BATCH || last === undefined) return counts
    after = last.token
  }
}

/** Removes files, the bytes first. @returns the tokens of those that their store did not remove */
export async function removeFiles(
  { pool, removeBlob }: Expiring,
  files: readonly FileKey[],
): Promise<string[]> {
  const removed: string[] = []
  const left: string[] = []
  for (const { token, key } of files)
    await removeBlob(key).then(
      () => removed.push(token),
      () => left.push(token),
    )
  if (removed.length > 0) await removeRows(pool, removed)
  return left
}

/** Removes what killed processes were writing when they ended. @returns how many */
export async function removeUnfinished(folder: string, olderThanMs = UNFINISHED_MS): Promise<number> {
  const names = await readdir(folder).catch((error) => {
    if (hasCode(error, 'ENOENT')) return []
    throw error
  })
  let removed = 0
  for (const name of names) {
    const path = join(folder, name)
    // Another process may have finished it meanwhile.
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: Number.POSITIVE_INFINITY }))
    if (mtimeMs > Date.now() - olderThanMs) continue
    await rm(path, { force: true })
    removed += 1
  }
  return removed
}
