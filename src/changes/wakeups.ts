import type { Pool, PoolClient } from 'pg'

/** What the triggers notify; the payload is empty, and says only that there is something to read. */
const CHANNEL = 'galley_changes'

/**
 * Hears that something was written down, on a connection of its own. That it hears nothing costs a second and no change: who
 * reads also looks unasked.
 */
export class Wakeups {
  readonly #pool: Pool
  readonly #onWake: () => void
  #client: PoolClient | undefined

  constructor(pool: Pool, onWake: () => void) {
    this.#pool = pool
    this.#onWake = onWake
  }

  /** Listens from now on; again, where the connection broke. */
  async listen(): Promise<void> {
    if (this.#client !== undefined) return
    const client = await this.#pool.connect()
    client.on('notification', this.#onWake)
    client.once('end', () => this.#forget(client))
    this.#client = client
    try {
      await client.query(`LISTEN ${CHANNEL}`)
    } catch (error) {
      this.#forget(client)
      throw error
    }
  }

  /** Gives the connection back, closed: nobody else is to hear what it listens to. */
  release(): void {
    if (this.#client !== undefined) this.#forget(this.#client)
  }

  #forget(client: PoolClient): void {
    if (this.#client !== client) return
    this.#client = undefined
    client.off('notification', this.#onWake)
    client.release(true)
  }
}
