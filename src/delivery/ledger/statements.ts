import { storableJson, storableText } from '../../database/storable.ts'
import type { LedgerPatch } from './row.ts'

/** A line of the timeline. */
export interface Note {
  step: string
  outcome: string
  detail: string | null
}

/** A line of the timeline with what was learned by it. */
export interface Entry extends Note {
  patch: LedgerPatch
  /** When it was made, in milliseconds of `performance.now()`. */
  at: number
}

/** Whatever a tidy or a marker lookup depends on is written at once; that nothing is to be looked up can wait. */
export type KeptPatch = Pick<LedgerPatch, 'post_url' | 'post_status' | 'answered'> & {
  reserve_intent_at?: null
}

/** The columns a patch may name, each with the cast its value needs. */
const CASTS = {
  reserve_intent_at: 'timestamptz',
  ambiguous_at: 'timestamptz',
  post_id: 'int',
  post_type: 'text',
  post_url: 'text',
  post_edit_url: 'text',
  post_status: 'text',
  sent_hash: 'text',
  answered: 'jsonb',
} satisfies Record<keyof LedgerPatch, string>

const COLUMNS = Object.keys(CASTS) as (keyof LedgerPatch)[]

/**
 * Entries as the two parts of a statement that stores them: what the row learns and what the timeline says.
 *
 * @param relation in the statement, which has the one row that is written
 * @param first number of the first of `values`
 * @returns `columns`: assignments, each after a comma; `lines`: an INSERT; `key`: the same for two lists of entries
 *   exactly where both texts are, for the names of prepared statements
 */
export function written(entries: readonly Entry[], relation: string, first: number) {
  const patch: LedgerPatch = Object.assign({}, ...entries.map((entry) => entry.patch))
  const learned = COLUMNS.filter((column) => column in patch)
  const lines = timeline(entries, relation, first)
  const behind = first + lines.values.length
  return {
    columns: learned.map((column, index) => `, ${column} = $${behind + index}::${CASTS[column]}`).join(''),
    lines: lines.sql,
    key: COLUMNS.map((column) => (column in patch ? 1 : 0)).join(''),
    values: [...lines.values, ...learned.map((column) => serialise(patch[column]))],
  }
}

/** Each line has the time it was made, not that of the statement. */
function timeline(entries: readonly Entry[], relation: string, first: number) {
  const now = performance.now()
  return {
    sql: `INSERT INTO delivery_step (delivery_id, at, step, outcome, detail)
      SELECT ${relation}.id, now() - ago * interval '1 millisecond', step, outcome, detail
      FROM ${relation}, unnest($${first}::float8[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[])
        WITH ORDINALITY AS note (ago, step, outcome, detail, place) ORDER BY place`,
    values: [
      entries.map(({ at }) => now - at),
      entries.map(({ step }) => step),
      entries.map(({ outcome }) => outcome),
      entries.map(({ detail }) => (detail === null ? null : storableText(detail))),
    ],
  }
}

function serialise(value: LedgerPatch[keyof LedgerPatch]): unknown {
  if (typeof value === 'string') return storableText(value)
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? storableJson(value) : value
}
