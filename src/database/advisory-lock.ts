import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'

/** Numbers of PostgreSQL's advisory locks; they never change. */
export const advisoryLocks = {
  /** One Galley per embedded database; taken in the database `postgres`. */
  dataFolder: 7_105_318_001,
  /** One process at a time changes the schema. */
  migrations: 7_105_318_002,
  /** Held by the process that showed the first API key. */
  firstKey: 7_105_318_003,
  /** One change of the secret keys at a time. */
  rotation: 7_105_318_004,
} as const

/**
 * Takes a session lock, which PostgreSQL releases when the process dies. Polls instead of waiting in
 * PostgreSQL, where a waiting statement holds a snapshot that blocks `CREATE INDEX CONCURRENTLY`.
 * @param patience milliseconds
 * @returns false when somebody else still holds the lock then
 */
export async function acquireAdvisoryLock(
  client: ClientBase,
  lock: (typeof advisoryLocks)[keyof typeof advisoryLocks],
  patience: number,
): Promise<boolean> {
  const deadline = performance.now() + patience
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      lock,
    ])
    if (rows[0]?.taken) return true
    if (performance.now() >= deadline) return false
    await sleep(100)
  }
}
