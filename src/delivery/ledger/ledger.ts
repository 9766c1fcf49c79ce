import type { Pool } from 'pg'
import { batched, execute, named, queryRows, storableJson, storableText } from '../../database/statement.ts'
import type { Warning } from '../../errors.ts'
import { LEASE_END, type Lease, selectAsked, selectHeld } from '../../jobs/leased-work.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import { deliveryLeases } from './claim.ts'
import type { DeliveryRow, LedgerPatch } from './state.ts'

/** Far less than a lease, and than the silence after which a process counts as dead. */
const FRESH_MS = 500

/** Someone else has claimed the delivery since: this worker's word no longer counts. */
export class LeaseLostError extends Error {
  constructor(deliveryId: string) {
    super(`delivery ${deliveryId} was claimed by another worker`)
    this.name = 'LeaseLostError'
  }
}

/** One picture (or narration) of a delivery, as the ledger knows it. */
export interface LedgerMedia {
  marker: string
  intended: boolean
  mediaId: number | null
}

/**
 * The ledger of one claimed delivery. Every write carries the claim’s fence and renews its lease; with an older fence it changes
 * nothing and throws {@link LeaseLostError}. What several deliveries write or read in the same moment is one statement.
 */
export class Ledger implements Lease {
  readonly of = deliveryLeases
  readonly pool: Pool
  readonly #row: DeliveryRow
  readonly #leaseS: number
  readonly #claimedAt = performance.now()
  #heldAt = monotonicNow()
  readonly #deferred: LedgerEntry[] = []
  /** One write after the other: no statement has the same row twice. */
  #last: Promise<unknown> = Promise.resolve()

  /** @param row as the claim returned it; kept up with what is written */
  constructor(pool: Pool, row: DeliveryRow, leaseS: number) {
    this.pool = pool
    this.#row = row
    this.#leaseS = leaseS
  }

  /** Writes what a step did to the timeline and, in the same statement, what it learned to the row and its copy in memory. */
  async record(step: string, outcome: string, detail: string | null = null, patch: LedgerPatch = {}) {
    await this.#write(RECORD, {}, [ledgerEntry({ step, outcome, detail }, patch)])
    Object.assign(this.#row, patch)
  }

  /** As {@link record}, but with the next write, whichever that is: for what an attempt after a crash finds out again. */
  defer(step: string, outcome: string, detail: string | null = null, patch: PendingPatch = {}): void {
    this.#deferred.push(ledgerEntry({ step, outcome, detail }, patch))
    Object.assign(this.#row, patch)
  }

  /** Adds a line of what was done on the site after this claim had ended: that was done, whoever has the delivery now. */
  async recordLate(step: string, outcome: string, detail: string): Promise<void> {
    await execute(
      this.pool,
      'INSERT INTO delivery_step (delivery_id, step, outcome, detail) VALUES (:id, :step, :outcome, :detail)',
      { id: this.id, step, outcome, detail },
    )
  }

  /** Drops what was deferred: the database does not take it. */
  forget(): void {
    this.#deferred.length = 0
  }

  /** What was deferred, then `last` with what it learned, for the statement that ends the claim. */
  ending({ patch, ...last }: TimelineEntry & { patch: LedgerPatch }): LedgerWrite {
    return { id: this.id, fence: this.fence, entries: [...this.#deferred, ledgerEntry(last, patch)] }
  }

  /** Throws {@link LeaseLostError} unless this claim still counts; asked right before anything is written to the site. */
  async assertHeld(): Promise<void> {
    if (this.silence < FRESH_MS) return
    await this.#write(ASSERT)
  }

  get id(): string {
    return this.#row.id
  }

  get fence(): number {
    return this.#row.fence
  }

  /** The claim still counted at this moment (`monotonicNow()`), as the heartbeat found. */
  confirm(at: number): void {
    this.#heldAt = Math.max(this.#heldAt, at)
  }

  /** Milliseconds since the database last confirmed that this claim counts; also counts while the process slept. */
  get silence(): number {
    return monotonicNow() - this.#heldAt
  }

  /** The time by the database's clock: what is written for a later attempt is read by another process or another clock. */
  now(): Date {
    return new Date(this.#row.claimed_at.getTime() + performance.now() - this.#claimedAt)
  }

  async media(): Promise<Map<string, LedgerMedia>> {
    const rows = await batched(this.pool, 'media', this.id, (ids) => loadMedia(this.pool, ids))
    return new Map(rows.map(({ deliveryId: _, ...media }) => [media.marker, media]))
  }

  /** Recorded before an upload leaves: from now on an attachment may exist that we do not know. */
  async intendMedia(marker: string, sourceUrl: string): Promise<void> {
    await this.#write(MEDIA_INTENT, { marker, source_url: sourceUrl })
  }

  async recordMedia(marker: string, mediaId: number): Promise<void> {
    await this.#write(MEDIA_RECORD, { marker, media_id: mediaId })
  }

  /** What the row names now, whoever wrote it: its post, and the warnings that the last settlement left. */
  async stored(): Promise<{ post_id: number | null; warnings: Warning[] }> {
    const [row] = await queryRows<{ post_id: number | null; warnings: Warning[] }>(
      this.pool,
      'SELECT post_id, warnings FROM delivery WHERE id = :id',
      { id: this.id },
    )
    return row ?? { post_id: null, warnings: [] }
  }

  /** Whether another document of the site has the post that the row names: WordPress gave its number a second time. */
  async sharesPost(): Promise<boolean> {
    const found = await execute(
      this.pool,
      `SELECT FROM delivery d JOIN delivery other USING (account_id, site_id, post_id, post_type)
       WHERE d.id = :id AND other.id <> d.id LIMIT 1`,
      { id: this.id },
    )
    return found > 0
  }

  #write(kind: WriteKind, more: Record<string, unknown> = {}, now: LedgerEntry[] = []): Promise<void> {
    const write = this.#last.then(() => this.#writeNow(kind, more, now))
    this.#last = write.catch(() => undefined)
    return write
  }

  async #writeNow(kind: WriteKind, more: Record<string, unknown>, now: LedgerEntry[]): Promise<void> {
    const asked = monotonicNow()
    const pending = this.#deferred.length
    const entries = [...this.#deferred, ...now]
    const name = `${kind.name}-${writeShape(entries)}`
    const writing: LedgerWrite = { id: this.id, fence: this.fence, entries, more }
    const held = await batched(this.pool, name, writing, (all) =>
      writeAll(this.pool, { kind, name, leaseS: this.#leaseS }, all),
    )
    if (!held) throw new LeaseLostError(this.id)
    this.#deferred.splice(0, pending)
    this.confirm(asked)
  }
}

const ledgerEntry = (line: TimelineEntry, patch: LedgerPatch = {}): LedgerEntry => ({
  ...line,
  patch,
  at: performance.now(),
})

interface WriteKind {
  /** Of its prepared statements, one for each shape of what is learned: PostgreSQL plans it once a connection. */
  name: string
  casts: Record<string, string>
  /** Touches a row of its own where `held` has one, and returns its delivery as `id`. */
  text: string
}

const RECORD: WriteKind = { name: 'record', casts: {}, text: 'SELECT id FROM held' }

const ASSERT: WriteKind = { ...RECORD, name: 'assert-held' }

const MEDIA_INTENT: WriteKind = {
  name: 'intend-media',
  casts: { marker: 'text', source_url: 'text' },
  text: `INSERT INTO delivery_media (delivery_id, marker, source_url, intent_at)
    SELECT id, marker, source_url, now() FROM held JOIN asked USING (id)
    ON CONFLICT (delivery_id, marker) DO UPDATE SET intent_at = now(), media_id = NULL
    RETURNING delivery_id AS id`,
}

const MEDIA_RECORD: WriteKind = {
  name: 'record-media',
  casts: { marker: 'text', media_id: 'int' },
  text: `UPDATE delivery_media m SET media_id = asked.media_id FROM held JOIN asked USING (id)
    WHERE m.delivery_id = held.id AND m.marker = asked.marker RETURNING m.delivery_id AS id`,
}

/** @returns of each whether its claim still counts; of one that does not, nothing is written */
async function writeAll(
  pool: Pool,
  { kind, name, leaseS }: { kind: WriteKind; name: string; leaseS: number },
  all: readonly LedgerWrite[],
): Promise<boolean[]> {
  const { asked, mine, learned, lines, values } = ledgerWriteSql(all, kind.casts)
  const { rows } = await pool.query<{ id: string }>({
    name,
    ...named(
      `WITH asked AS (${asked}), mine AS (${mine}), held AS (
         UPDATE delivery d SET due_at = ${LEASE_END}, updated_at = now()${learned}
         FROM mine JOIN asked USING (id) WHERE d.id = mine.id RETURNING d.id
       ), recorded AS (${lines('held')})
       ${kind.text}`,
      { leaseS, ...values },
    ),
  })
  const held = new Set(rows.map(({ id }) => id))
  return all.map(({ id }) => held.has(id))
}

type MediaRow = LedgerMedia & { deliveryId: string }

async function loadMedia(pool: Pool, ids: readonly string[]): Promise<MediaRow[][]> {
  const { rows } = await pool.query<MediaRow>({
    name: 'media-of',
    ...named(
      `SELECT delivery_id AS "deliveryId", marker, intent_at IS NOT NULL AS intended, media_id AS "mediaId"
       FROM delivery_media WHERE delivery_id = ANY (:ids::uuid[])`,
      { ids },
    ),
  })
  return ids.map((id) => rows.filter(({ deliveryId }) => deliveryId === id))
}

/** A line of the timeline. */
export interface TimelineEntry {
  step: string
  outcome: string
  detail: string | null
}

/** A line of the timeline with what was learned by it. */
interface LedgerEntry extends TimelineEntry {
  patch: LedgerPatch
  /** When it was made, in milliseconds of `performance.now()`. */
  at: number
}

/** Whatever the search for orphans or a marker lookup depends on is written at once; that nothing is to be looked up can wait. */
type PendingPatch = Pick<LedgerPatch, 'post_url' | 'post_status' | 'answered' | 'replaced'> & {
  reserve_intent_at?: null
}

const PATCH_CASTS = {
  reserve_intent_at: 'timestamptz',
  ambiguous_at: 'timestamptz',
  post_id: 'int',
  post_type: 'text',
  post_url: 'text',
  post_edit_url: 'text',
  post_status: 'text',
  sent_hash: 'text',
  answered: 'jsonb',
  canonical: 'text',
  replaced: 'jsonb',
  undo_until: 'timestamptz',
} satisfies Record<keyof LedgerPatch, string>

const LEARNED = 'learned_'

const COLUMNS = Object.keys(PATCH_CASTS) as (keyof LedgerPatch)[]

/** What one claim writes: its entries, in their order, and other columns by their names. */
export interface LedgerWrite {
  id: string
  fence: number
  entries: readonly LedgerEntry[]
  more?: Readonly<Record<string, unknown>>
}

/** The same for two lists of entries exactly where they teach the row the same columns: those fit into one statement. */
export function writeShape(entries: readonly LedgerEntry[]): string {
  const patch = mergePatches(entries)
  return COLUMNS.map((column) => (column in patch ? 1 : 0)).join('')
}

/**
 * Writings of one shape as the parts of a statement that stores all of them. @param casts of the other columns
 * @returns `asked`: a SELECT with a row for each writing; `mine`: a SELECT of those whose claim still counts, locked in order; `learned`:
 *   assignments of an UPDATE from `asked`, each after a comma; `lines`: an INSERT of the timeline, of a relation; `values`: parameters
 */
export function ledgerWriteSql(all: readonly LedgerWrite[], casts: Readonly<Record<string, string>> = {}) {
  const first = mergePatches(all[0]?.entries ?? [])
  const learned = COLUMNS.filter((column) => column in first)
  const types = {
    id: 'uuid',
    fence: 'int',
    ...Object.fromEntries(learned.map((column) => [LEARNED + column, PATCH_CASTS[column]])),
    ...casts,
  }
  const valueIn = ({ id, fence, entries, more }: LedgerWrite, column: string): unknown => {
    if (column === 'id') return id
    if (column === 'fence') return fence
    return column in casts
      ? more?.[column]
      : serialise(mergePatches(entries)[column.slice(LEARNED.length) as keyof LedgerPatch])
  }
  const { asked, values } = selectAsked(types, all, valueIn)
  const lines = timelineSql(all)
  return {
    asked,
    mine: selectHeld(deliveryLeases, 'asked'),
    learned: learned.map((column) => `, ${column} = asked.learned_${column}`).join(''),
    lines: lines.from,
    values: { ...values, ...lines.values },
  }
}

const mergePatches = (entries: readonly LedgerEntry[]): LedgerPatch =>
  Object.assign({}, ...entries.map(({ patch }) => patch))

/** Each line has the time it was made, not that of the statement. */
function timelineSql(all: readonly LedgerWrite[]) {
  const now = performance.now()
  const lines = all.flatMap(({ id, entries }) => entries.map((entry) => ({ id, ...entry })))
  return {
    from: (relation: string) => `INSERT INTO delivery_step (delivery_id, at, step, outcome, detail)
      SELECT ${relation}.id, now() - ago * interval '1 millisecond', step, outcome, detail
      FROM unnest(:line_ids::uuid[], :line_ago::float8[], :line_steps::text[], :line_outcomes::text[],
        :line_details::text[]) WITH ORDINALITY AS line (id, ago, step, outcome, detail, place)
      JOIN ${relation} ON ${relation}.id = line.id ORDER BY place`,
    values: {
      line_ids: lines.map(({ id }) => id),
      line_ago: lines.map(({ at }) => now - at),
      line_steps: lines.map(({ step }) => step),
      line_outcomes: lines.map(({ outcome }) => outcome),
      line_details: lines.map(({ detail }) => (detail === null ? null : storableText(detail))),
    },
  }
}

function serialise(value: LedgerPatch[keyof LedgerPatch]): unknown {
  if (typeof value === 'string') return storableText(value)
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? storableJson(value) : value
}
