import type { Pool } from 'pg'
import { groupBy } from '../group-by.ts'
import type { Logger } from '../log.ts'
import { steadyNow } from '../steady-clock.ts'
import type { Timing } from './timing.ts'

/** Something that this process works on and nobody else may: a row that it has claimed. */
export interface Lease {
  readonly kind: LeaseKind
  readonly id: string
  readonly fence: number
  /** Hears that the claim still counted at this moment (`steadyNow()`). */
  confirm(at: number): void
}

/** How leases of one kind stand in the database, as the room whose rows they are knows it. */
export interface LeaseKind {
  /**
   * Renews those that still count.
   *
   * @returns the ids of those
   */
  renew(
    pool: Pool,
    leases: readonly Lease[],
    timing: Pick<Timing, 'leaseS' | 'deadAfterS'>,
  ): Promise<Set<string>>
  /** Gives back what `worker` held: it counts no more, and others may take it at once. */
  giveBack(pool: Pool, worker: string, leases: readonly Lease[]): Promise<void>
}

/**
 * Tells the other processes that this one is alive, and renews the leases of what is under way in it. A process that
 * sleeps or hangs renews nothing.
 */
export class Heartbeat {
  /** What job locks and leases of this process carry. */
  readonly id: string
  readonly #pool: Pool
  readonly #timing: Timing
  readonly #leases = new Set<Lease>()
  readonly #timer: NodeJS.Timeout
  #steadySince = steadyNow()
  #lastBeat = steadyNow()

  private constructor(pool: Pool, id: string, timing: Timing, log: Logger) {
    this.id = id
    this.#pool = pool
    this.#timing = timing
    this.#timer = setInterval(() => {
      this.beat().catch((err) =>
        log.warn({ err }, 'no heartbeat could be written; other processes may take over'),
      )
    }, timing.beatMs)
  }

  /** Resolves once the first beat is stored. */
  static async start(pool: Pool, id: string, timing: Timing, log: Logger): Promise<Heartbeat> {
    await write(pool, id, timing)
    return new Heartbeat(pool, id, timing, log)
  }

  /** Writes one beat now, besides the regular ones. */
  async beat(): Promise<void> {
    const now = steadyNow()
    await write(this.#pool, this.id, this.#timing)
    if (now - this.#lastBeat > this.#timing.deadAfterS * 1000) this.#steadySince = now
    this.#lastBeat = now
    for (const [kind, leases] of this.#held()) {
      const renewed = await kind.renew(this.#pool, leases, this.#timing)
      for (const lease of leases) if (renewed.has(lease.id)) lease.confirm(now)
    }
  }

  /**
   * Whether beats have been written without a gap for as long as it takes to call another process dead. After a gap
   * of the database everybody's beat is old, and nobody is dead.
   */
  get steady(): boolean {
    return steadyNow() - this.#steadySince > this.#timing.deadAfterS * 1000
  }

  /** Whether no beat was written for so long that the other processes call this one dead. */
  get late(): boolean {
    return steadyNow() - this.#lastBeat > this.#timing.deadAfterS * 1000
  }

  /** Says that this process was asked to stop: what it leaves is no failure of anybody. */
  async stopping(): Promise<void> {
    await this.#pool.query('UPDATE worker_process SET stopping_at = now() WHERE id = $1', [this.id])
  }

  /** Gives back what is still under way: its claims count no more, and others may take it at once. */
  async giveBack(): Promise<void> {
    for (const [kind, leases] of this.#held()) await kind.giveBack(this.#pool, this.id, leases)
    await this.#pool.query('SELECT graphile_worker.force_unlock_workers(ARRAY[$1])', [this.id])
  }

  /** Keeps a lease until the function it returns is called. */
  hold(lease: Lease): () => void {
    this.#leases.add(lease)
    return () => this.#leases.delete(lease)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  #held(): Map<LeaseKind, Lease[]> {
    return groupBy(this.#leases, ({ kind }) => kind)
  }
}

async function write(pool: Pool, id: string, { deadAfterS }: Timing): Promise<void> {
  await pool.query({
    name: 'heartbeat',
    text: 'INSERT INTO worker_process (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET beat_at = now()',
    values: [id],
    // One that is stored later than this proves nothing any more, and must not keep a connection from the next.
    query_timeout: deadAfterS * 1000,
  })
}
