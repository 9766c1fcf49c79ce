import { setTimeout as sleep } from 'node:timers/promises'
import type { ClientBase } from 'pg'

/** PostgreSQL's advisory locks that Galley takes; their numbers never change. */
export const advisoryLocks = {
  /** One Galley to an embedded database; in the database `postgres`. */
  dataFolder: 7_105_318_001,
  /** One process at a time changes the schema; in Galley's own database. */
  migrations: 7_105_318_002,
  /** The process that has shown the first API key, while it lives; in Galley's own database. */
  firstKey: 7_105_318_003,
  /** One change of the secret keys at a time; in Galley's own database. */
  rotation: 7_105_318_004,
} as const

/**
 * Takes a lock for as long as this connection lives, so that it vanishes with its process, kill -9 included.
 * Asks again and again instead of waiting in PostgreSQL, where a waiting statement keeps a snapshot that
 * `CREATE INDEX CONCURRENTLY` would wait for in turn.
 *
 * @param patience milliseconds to go on asking
 * @returns false when somebody else still has it then
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
