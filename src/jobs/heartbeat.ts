import type { Pool } from 'pg'
import type { Logger } from '../log.ts'
import type { Timing } from './timing.ts'

/** A claim that this process works on. */
interface Claim {
  readonly id: string
  readonly fence: number
  /** Hears that the claim still counted at this moment (`Date.now()`). */
  confirm(at: number): void
}

/**
 * Tells the other processes that this one is alive, and renews the leases of the deliveries under way in it. A process
 * that sleeps or hangs renews nothing.
 */
export class Heartbeat {
  /** What job locks and leases of this process carry. */
  readonly id: string
  readonly #pool: Pool
  readonly #timing: Timing
  readonly #claims = new Set<Claim>()
  readonly #timer: NodeJS.Timeout
  #steadySince = Date.now()
  #lastBeat = Date.now()

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
    await write(pool, id, [], timing)
    return new Heartbeat(pool, id, timing, log)
  }

  /** Writes one beat now, besides the regular ones. */
  async beat(): Promise<void> {
    const now = Date.now()
    const claims = [...this.#claims]
    const renewed = await write(this.#pool, this.id, claims, this.#timing)
    for (const claim of claims) if (renewed.has(claim.id)) claim.confirm(now)
    if (now - this.#lastBeat > this.#timing.deadAfterS * 1000) this.#steadySince = now
    this.#lastBeat = now
  }

  /**
   * Whether beats have been written without a gap for as long as it takes to call another process dead. After a gap
   * of the database everybody's beat is old, and nobody is dead.
   */
  get steady(): boolean {
    return Date.now() - this.#steadySince > this.#timing.deadAfterS * 1000
  }

  /** Whether no beat was written for so long that the other processes call this one dead. */
  get late(): boolean {
    return Date.now() - this.#lastBeat > this.#timing.deadAfterS * 1000
  }

  /** Says that this process was asked to stop: what it leaves is no failure of anybody. */
  async stopping(): Promise<void> {
    await this.#pool.query('UPDATE worker_process SET stopping_at = now() WHERE id = $1', [this.id])
  }

  /** Gives back what is still under way: its claims count no more, and others may take it at once. */
  async giveBack(): Promise<void> {
    await this.#pool.query(
      `WITH given AS (
         SELECT id FROM delivery WHERE leased_by = $1 AND status = 'delivering' AND id = ANY ($2::uuid[])
         ORDER BY account_id, site_id, document_id FOR UPDATE
       )
       UPDATE delivery d SET status = 'queued', due_at = now(), leased_by = NULL FROM given WHERE d.id = given.id`,
      [this.id, [...this.#claims].map(({ id }) => id)],
    )
    await this.#pool.query('SELECT graphile_worker.force_unlock_workers(ARRAY[$1])', [this.id])
  }

  /** Keeps the lease of a claim until the function it returns is called. */
  hold(claim: Claim): () => void {
    this.#claims.add(claim)
    return () => this.#claims.delete(claim)
  }

  stop(): void {
    clearInterval(this.#timer)
  }
}

/** @returns the ids of the deliveries whose leases were renewed */
async function write(
  pool: Pool,
  id: string,
  claims: readonly Claim[],
  { leaseS, deadAfterS }: Timing,
): Promise<Set<string>> {
  const { rows } = await pool.query<{ id: string }>({
    name: 'heartbeat',
    text: `
      WITH beat AS (
        INSERT INTO worker_process (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET beat_at = now()
      )
      UPDATE delivery d SET due_at = now() + make_interval(secs => $4)
      FROM (
        SELECT d.id FROM unnest($2::uuid[], $3::int[]) AS held (id, fence)
        JOIN delivery d ON d.id = held.id AND d.fence = held.fence AND d.status = 'delivering'
        ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d
      ) held
      WHERE d.id = held.id
      RETURNING d.id`,
    values: [id, claims.map((claim) => claim.id), claims.map(({ fence }) => fence), leaseS],
    // One that is stored later than this proves nothing any more, and must not keep a connection from the next.
    query_timeout: deadAfterS * 1000,
  })
  return new Set(rows.map((row) => row.id))
}
