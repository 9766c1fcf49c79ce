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
export type PendingPatch = Pick<LedgerPatch, 'post_url' | 'post_status' | 'answered'> & {
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
 * @returns `columns`: assignments, each after a comma; `lines`: an INSERT; `values`: of the parameters that both name;
 *   `key`: the same for two lists of entries exactly where both texts are, for the names of prepared statements
 */
export function written(entries: readonly Entry[], relation: string) {
  const patch: LedgerPatch = Object.assign({}, ...entries.map((entry) => entry.patch))
  const learned = COLUMNS.filter((column) => column in patch)
  const lines = timeline(entries, relation)
  return {
    columns: learned.map((column) => `, ${column} = :learned_${column}::${CASTS[column]}`).join(''),
    lines: lines.sql,
    key: COLUMNS.map((column) => (column in patch ? 1 : 0)).join(''),
    values: {
      ...lines.values,
      ...Object.fromEntries(learned.map((column) => [`learned_${column}`, serialise(patch[column])])),
    },
  }
}

/** Each line has the time it was made, not that of the statement. */
function timeline(entries: readonly Entry[], relation: string) {
  const now = performance.now()
  return {
    sql: `INSERT INTO delivery_step (delivery_id, at, step, outcome, detail)
      SELECT ${relation}.id, now() - ago * interval '1 millisecond', step, outcome, detail
      FROM ${relation}, unnest(:noted_ago::float8[], :noted_steps::text[], :noted_outcomes::text[], :noted_details::text[])
        WITH ORDINALITY AS note (ago, step, outcome, detail, place) ORDER BY place`,
    values: {
      noted_ago: entries.map(({ at }) => now - at),
      noted_steps: entries.map(({ step }) => step),
      noted_outcomes: entries.map(({ outcome }) => outcome),
      noted_details: entries.map(({ detail }) => (detail === null ? null : storableText(detail))),
    },
  }
}

function serialise(value: LedgerPatch[keyof LedgerPatch]): unknown {
  if (typeof value === 'string') return storableText(value)
  return typeof value === 'object' && value !== null && !(value instanceof Date) ? storableJson(value) : value
}
