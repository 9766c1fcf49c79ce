import { randomInt } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'

/** Unique among this database's two-key locks. */
const PROCESS_LOCK_CLASS = 6683

/**
 * A lock held while a process lives, on a connection of its own. PostgreSQL releases it as soon as
 * the process is gone, so that others need not wait for a lease to expire.
 */
export class ProcessLock {
  readonly #pool: Pool
  #held: { key: number; client: PoolClient } | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The lock's key, held when this resolves; it changes when the connection breaks. */
  async key(): Promise<number> {
    if (this.#held !== undefined) return this.#held.key
    const client = await this.#pool.connect()
    const key = randomInt(1, 2 ** 31 - 1)
    try {
      await client.query('SELECT pg_advisory_lock($1, $2)', [PROCESS_LOCK_CLASS, key])
    } catch (error) {
      client.release(true)
      throw error
    }
    const held = { key, client }
    client.once('end', () => this.#forget(held))
    this.#held = held
    return key
  }

  release(): void {
    const held = this.#held
    if (held !== undefined) this.#forget(held)
  }

  #forget(held: { client: PoolClient }): void {
    if (this.#held !== held) return
    this.#held = undefined
    held.client.release(true)
  }
}

/** SQL: the process with this lock key lives. @param key an SQL expression of type integer */
export const isProcessAlive = (key: string): string =>
  `EXISTS (
    SELECT 1 FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.classid = ${PROCESS_LOCK_CLASS} AND l.objid = ${key}::oid AND l.objsubid = 2
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
