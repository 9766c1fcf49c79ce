import type { Pool } from 'pg'
import type { Logger } from '../log.ts'

const BEAT_MS = 5_000

/** Seconds without a beat after which a process counts as dead: two beats may be late. */
export const DEAD_AFTER_S = 15

/** Tells the other processes, every five seconds, that this one is alive. */
export class Heartbeat {
  /** What job locks and leases of this process carry. */
  readonly id: string
  readonly #timer: NodeJS.Timeout

  private constructor(pool: Pool, id: string, log: Logger) {
    this.id = id
    this.#timer = setInterval(() => {
      beat(pool, id).catch((err) =>
        log.warn({ err }, 'no heartbeat could be written; other processes may take over'),
      )
    }, BEAT_MS)
  }

  /** Resolves once the first beat is stored. */
  static async start(pool: Pool, id: string, log: Logger): Promise<Heartbeat> {
    await beat(pool, id)
    return new Heartbeat(pool, id, log)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

const beat = (pool: Pool, id: string): Promise<unknown> =>
  pool.query('INSERT INTO worker_process (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET beat_at = now()', [
    id,
  ])
