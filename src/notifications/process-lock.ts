import { randomInt } from 'node:crypto'
import type { Pool, PoolClient } from 'pg'

/** Any number that nothing else in this database locks in this way: "note" on a telephone's keys. */
const PROCESS_LOCK_CLASS = 6683

/**
 * The lock that a process holds as long as it lives, on a connection of its own: PostgreSQL releases it in the moment in
 * which the process is gone, so that others need not wait for a lease to know that what it had begun is nobody's any more.
 */
export class ProcessLock {
  readonly #pool: Pool
  #held: { key: number; client: PoolClient } | undefined

  constructor(pool: Pool) {
    this.#pool = pool
  }

  /** The key of the lock, which is held when this resolves; another one after a connection broke. */
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

  /** Gives the lock back, and its connection. */
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

/** A condition: the process whose lock has this key lives. @param key an SQL expression of type integer */
export const isProcessAlive = (key: string): string =>
  `EXISTS (
    SELECT 1 FROM pg_locks l
    WHERE l.locktype = 'advisory' AND l.classid = ${PROCESS_LOCK_CLASS} AND l.objid = ${key}::oid AND l.objsubid = 2
      AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database()))`
