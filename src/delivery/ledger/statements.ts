import { storableJson, storableText } from '../../database/statement.ts'
import { selectAsked, selectHeld } from '../../jobs/leased-work.ts'
import { deliveryLeases } from './claim.ts'
import type { LedgerPatch } from './state.ts'

/** A line of the timeline. */
export interface TimelineEntry {
  step: string
  outcome: string
  detail: string | null
}

/** A line of the timeline with what was learned by it. */
export interface LedgerEntry extends TimelineEntry {
  patch: LedgerPatch
  /** When it was made, in milliseconds of `performance.now()`. */
  at: number
}

/** Whatever the search for orphans or a marker lookup depends on is written at once; that nothing is to be looked up can wait. */
export type PendingPatch = Pick<LedgerPatch, 'post_url' | 'post_status' | 'answered' | 'replaced'> & {
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
