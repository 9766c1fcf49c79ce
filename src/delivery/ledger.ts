import type { Pool } from 'pg'
import type { DeliveryRow, LedgerPatch } from './row.ts'
import { assignments, type Kept, type KeptPatch, type Note, timeline } from './statements.ts'

/** Far less than a lease, and than the silence after which a process counts as dead. */
const JUST_NOW_MS = 500

/** Someone else has claimed the delivery since: this worker's word no longer counts. */
export class FencedOff extends Error {
  constructor(deliveryId: string) {
    super(`delivery ${deliveryId} was claimed by another worker`)
    this.name = 'FencedOff'
  }
}

/** One picture (or narration) of a delivery, as the ledger knows it. */
export interface LedgerMedia {
  marker: string
  sourceUrl: string
  intended: boolean
  mediaId: number | null
}

/**
 * The ledger of one claimed delivery. Every write carries the claim's fence and renews its lease; with an
 * older fence than the row's it changes nothing and throws {@link FencedOff}.
 */
export class Ledger {
  readonly #pool: Pool
  readonly #row: DeliveryRow
  readonly #leaseS: number
  #heldAt = Date.now()
  #keptNotes: (Note & { at: number })[] = []
  #keptPatch: KeptPatch = {}

  /** @param row as the claim returned it; kept up with what is written */
  constructor(pool: Pool, row: DeliveryRow, leaseS: number) {
    this.#pool = pool
    this.#row = row
    this.#leaseS = leaseS
  }

  /**
   * Writes what a step did to the timeline and, in the same statement, what it learned to the row, of which the copy
   * in memory learns it too; and all that was kept until now.
   */
  async note(
    step: string,
    outcome: string,
    detail: string | null = null,
    patch: LedgerPatch = {},
  ): Promise<void> {
    const kept = this.kept
    const lines = timeline([...kept.notes, { step, outcome, detail, agoMs: 0 }], 'held', 4)
    const learned = assignments({ ...kept.patch, ...patch }, 8)
    await this.#fenced(`note-${learned.key}`, `${this.#held(learned.sql)} ${lines.sql}`, [
      ...lines.values,
      ...learned.values,
    ])
    this.#keepNothing()
    Object.assign(this.#row, patch)
  }

  /**
   * As {@link note}, but stored with the next note, intent or settlement, whichever comes first. For what an attempt that
   * follows a crash finds out again by itself: a commit is spared.
   */
  keep(step: string, outcome: string, detail: string | null = null, patch: KeptPatch = {}): void {
    this.#keptNotes.push({ step, outcome, detail, at: performance.now() })
    Object.assign(this.#keptPatch, patch)
    Object.assign(this.#row, patch)
  }

  #keepNothing(): void {
    this.#keptNotes = []
    this.#keptPatch = {}
  }

  /** What waits for the next write. */
  get kept(): Kept {
    const now = performance.now()
    return {
      notes: this.#keptNotes.map(({ at, ...note }) => ({ ...note, agoMs: now - at })),
      patch: this.#keptPatch,
    }
  }

  /**
   * Throws {@link FencedOff} unless this claim still counts. Asked right before anything is written to the site; what
   * the database has only just said holds, since nobody may take over so soon after.
   */
  async assertHeld(): Promise<void> {
    if (this.silence < JUST_NOW_MS) return
    await this.#fenced('assert-held', `${this.#held()} SELECT id FROM held`, [])
  }

  get id(): string {
    return this.#row.id
  }

  get fence(): number {
    return this.#row.fence
  }

  /** The claim still counted at this moment (`Date.now()`), as the heartbeat found. */
  confirm(at: number): void {
    this.#heldAt = Math.max(this.#heldAt, at)
  }

  /** Milliseconds since the database last confirmed that this claim counts; also counts while the process slept. */
  get silence(): number {
    return Date.now() - this.#heldAt
  }

  /** Media of earlier attempts, by marker. */
  async media(): Promise<Map<string, LedgerMedia>> {
    const { rows } = await this.#pool.query<{
      marker: string
      source_url: string
      intent_at: Date | null
      media_id: number | null
    }>('SELECT marker, source_url, intent_at, media_id FROM delivery_media WHERE delivery_id = $1', [
      this.#row.id,
    ])
    return new Map(
      rows.map(({ marker, source_url, intent_at, media_id }) => [
        marker,
        { marker, sourceUrl: source_url, intended: intent_at !== null, mediaId: media_id },
      ]),
    )
  }

  /** Recorded before an upload leaves: from now on an attachment may exist that we do not know. */
  async intendMedia(marker: string, sourceUrl: string): Promise<void> {
    const { notes, patch } = this.kept
    const lines = timeline(notes, 'held', 6)
    const learned = assignments(patch, 10)
    await this.#fenced(
      `intend-media-${learned.key}`,
      `${this.#held(learned.sql)}, noted AS (${lines.sql})
       INSERT INTO delivery_media (delivery_id, marker, source_url, intent_at)
       SELECT id, $4, $5, now() FROM held
       ON CONFLICT (delivery_id, marker) DO UPDATE SET intent_at = now(), media_id = NULL`,
      [marker, sourceUrl, ...lines.values, ...learned.values],
    )
    this.#keepNothing()
  }

  /** Records the attachment that carries a marker. */
  async recordMedia(marker: string, mediaId: number): Promise<void> {
    await this.#fenced(
      'record-media',
      `${this.#held()} UPDATE delivery_media SET media_id = $5::int FROM held
       WHERE delivery_id = held.id AND marker = $4`,
      [marker, mediaId],
    )
  }

  /** The post that the row names now, whoever wrote it. */
  async currentPostId(): Promise<number | null> {
    const { rows } = await this.#pool.query<{ post_id: number | null }>(
      'SELECT post_id FROM delivery WHERE id = $1',
      [this.#row.id],
    )
    return rows[0]?.post_id ?? null
  }

  #held(assignments = ''): string {
    return `WITH held AS (
      UPDATE delivery SET due_at = now() + make_interval(secs => $3), updated_at = now()${assignments}
      WHERE id = $1 AND fence = $2 AND status = 'delivering' RETURNING id
    )`
  }

  /** @param name of the prepared statement, one for each text: PostgreSQL plans it once a connection */
  async #fenced(name: string, text: string, values: unknown[]): Promise<void> {
    const asked = Date.now()
    const { id, fence } = this.#row
    const { rowCount } = await this.#pool.query({ name, text, values: [id, fence, this.#leaseS, ...values] })
    if (rowCount === 0) throw new FencedOff(id)
    this.confirm(asked)
  }
}
