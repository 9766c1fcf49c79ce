import type { Pool } from 'pg'
import { groupBy } from '../lib/group-by.ts'
import { monotonicNow } from '../lib/monotonic-clock.ts'
import type { Logger } from '../log/log.ts'
import { type Lease, type LeasedTable, releaseLeases, renewLeases } from './leased-work.ts'

/** Reports that this process lives, and renews its leases. One that sleeps or hangs renews nothing. */
export class Heartbeat {
  readonly id: string
  readonly #pool: Pool
  readonly #timing: Timing
  readonly #leases = new Set<Lease>()
  #timer: NodeJS.Timeout | undefined
  #steadySince = monotonicNow()
  #lastBeat = monotonicNow()

  private constructor(pool: Pool, id: string, timing: Timing) {
    this.id = id
    this.#pool = pool
    this.#timing = timing
  }

  static async start(pool: Pool, id: string, timing: Timing, log: Logger): Promise<Heartbeat> {
    const heartbeat = new Heartbeat(pool, id, timing)
    await heartbeat.beat()
    heartbeat.#timer = setInterval(() => {
      heartbeat
        .beat()
        .catch((err) => log.warn({ err }, 'no heartbeat could be written; other processes may take over'))
    }, timing.beatMs)
    return heartbeat
  }

  async beat(): Promise<void> {
    const now = monotonicNow()
    await this.#pool.query({
      name: 'heartbeat',
      text: 'INSERT INTO worker_process (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET beat_at = now()',
      values: [this.id],
      // A later beat proves nothing and must not hold a connection.
      query_timeout: this.#timing.deadAfterS * 1000,
    })
    if (now - this.#lastBeat > this.#timing.deadAfterS * 1000) this.#steadySince = now
    this.#lastBeat = now
    for (const [of, leases] of this.#held()) {
      const renewed = await renewLeases(this.#pool, of, leases, this.#timing)
      for (const lease of leases) {
        if (renewed.has(lease.id)) lease.confirm?.(now)
        else lease.lose?.()
      }
    }
  }

  /** Whether beats came without a gap. After a database outage every beat is old, and nobody is dead. */
  get steady(): boolean {
    return monotonicNow() - this.#steadySince > this.#timing.deadAfterS * 1000
  }

  /** Whether others must by now take this process for dead. */
  get late(): boolean {
    return monotonicNow() - this.#lastBeat > this.#timing.deadAfterS * 1000
  }

  /** Records that this process was asked to stop: what it leaves is nobody's failure. */
  async stopping(): Promise<void> {
    await this.#pool.query('UPDATE worker_process SET stopping_at = now() WHERE id = $1', [this.id])
  }

  async giveBack(): Promise<void> {
    for (const [of, leases] of this.#held()) {
      const ids = leases.map(({ id }) => id)
      await releaseLeases(this.#pool, of, this.id, ids)
      for (const lease of leases) lease.lose?.()
    }
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

  #held(): Map<LeasedTable, Lease[]> {
    return groupBy(this.#leases, ({ of }) => of)
  }
}

/** Intervals of heartbeats, leases, sweeps and pauses. */
export interface Timing {
  /** Milliseconds between two heartbeats of a process; each renews the leases that it holds. */
  beatMs: number
  /** Seconds without a beat after which a process counts as dead. */
  deadAfterS: number
  /** Seconds that a claim holds without a ledger write or a heartbeat of its process. */
  leaseS: number
  sweepMs: number
  /** Milliseconds after which a site worker rereads its settings, and yields its place if needed. */
  checkpointMs: number
  /** Milliseconds that a site is paused after its first failure; doubled each time. */
  firstPauseMs: number
  /** Milliseconds before a delivery's second attempt; tripled each time. */
  firstBackoffMs: number
  /** Milliseconds that a solo delivery first waits for the others of its process; none starts meanwhile. */
  aloneWithinMs: number
  /** Milliseconds that a stopping process gives work under way. */
  stopMs: number
  /** Milliseconds after which Galley looks for posts that a site finished late. */
  orphansAfterMs: number
  /** Milliseconds from the delivery of a public post to the look at its page, and from that to another where a cache may have answered. */
  publicCheckMs: { first: number; again: number }
  /** Milliseconds after a doctor's report in which a site's failure does not start another. */
  checkAgainAfterMs: number
  /** Milliseconds for which a post made or seen counts as untouched, and is not read before a write. */
  untouchedMs: { made: number; seen: number }
  /** Milliseconds after that, or after a look, in which a fill leaves; later, another look comes first. */
  fillWithinMs: number
  /** Milliseconds for an exchange with a site, by kind; the client's default where left out. */
  exchangeMs?: { read?: number; write?: number; upload?: number }
}

/** Two beats may be late. A dead process's sites go on within 30 s; PHP gives up within ten minutes. */
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
  publicCheckMs: { first: 60_000, again: 5 * 60_000 },
  checkAgainAfterMs: 60_000,
  untouchedMs: { made: 5_000, seen: 2_000 },
  fillWithinMs: 2_000,
}
