import type { Pool } from 'pg'
import { groupBy } from '../lib/group-by.ts'
import { monotonicNow } from '../lib/monotonic-clock.ts'
import type { Logger } from '../log/log.ts'

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
  #steadySince = monotonicNow()
  #lastBeat = monotonicNow()

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
    const now = monotonicNow()
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
    return monotonicNow() - this.#steadySince > this.#timing.deadAfterS * 1000
  }

  /** Whether no beat was written for so long that the other processes call this one dead. */
  get late(): boolean {
    return monotonicNow() - this.#lastBeat > this.#timing.deadAfterS * 1000
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

/** Who counts as alive, who holds what for how long, and when what is left behind is looked for. */
export interface Timing {
  /** Milliseconds between two heartbeats of a process; each renews the leases that it holds. */
  beatMs: number
  /** Seconds without a beat after which a process counts as dead. */
  deadAfterS: number
  /** Seconds that a claim holds without a ledger write or a heartbeat of its process. */
  leaseS: number
  /** Milliseconds between two sweeps. */
  sweepMs: number
  /** Milliseconds after which a site worker looks at its site's settings again, and whether another needs its place. */
  checkpointMs: number
  /** Milliseconds for which a site is left alone after its first failure; doubled with every further one. */
  firstPauseMs: number
  /** Milliseconds before the second attempt of a delivery that failed; tripled with every further one. */
  firstBackoffMs: number
  /** Milliseconds that a delivery which is to be done alone waits for the others of its process the first time; none begins meanwhile. */
  aloneWithinMs: number
  /** Milliseconds that a process which was asked to stop gives all that is under way. */
  stopMs: number
  /** Milliseconds after which a post that a site finished late is looked for. */
  orphansAfterMs: number
  /** Milliseconds since the doctor's last report within which a failure of the site does not send the doctor again. */
  checkAgainAfterMs: number
  /**
   * Milliseconds in which nobody else is taken to have touched what a delivery has just made on a site, or has just seen
   * there: it is not looked at again before it is written to.
   */
  untouchedMs: { made: number; seen: number }
  /** Milliseconds after that, or after a look, within which a fill leaves; one that had to wait longer is preceded by another look. */
  fillWithinMs: number
  /** Milliseconds for a whole exchange with a site, by kind; the client's own where left out. */
  exchangeMs?: { read?: number; write?: number; upload?: number }
}

/**
 * Two beats may be late before a process counts as dead, and its sites go on within 30 s of its death: 15 s, a sweep,
 * and the job queue's own look. PHP gives up long before ten minutes, so by then a site has finished what it ever will.
 */
export const standardTiming: Timing = {
  beatMs: 5_000,
  deadAfterS: 15,
  leaseS: 60,
  sweepMs: 2_000,
  checkpointMs: 5_000,
  firstPauseMs: 5_000,
  firstBackoffMs: 10_000,
  aloneWithinMs: 60_000,
  stopMs: 25_000,
  orphansAfterMs: 10 * 60_000,
  checkAgainAfterMs: 60_000,
  untouchedMs: { made: 5_000, seen: 2_000 },
  fillWithinMs: 2_000,
}
