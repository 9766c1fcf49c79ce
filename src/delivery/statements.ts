import { storableJson, storableText } from '../database/storable.ts'
import type { LedgerPatch } from './row.ts'

/** A line of the timeline. */
export interface Note {
  step: string
  outcome: string
  detail: string | null
}

/** What a step did and learned, as far as the database need not hear of it before the next write. */
export interface Kept {
  notes: (Note & { agoMs: number })[]
  patch: KeptPatch
}

/** Whatever a tidy or a marker lookup depends on is written at once. */
export type KeptPatch = Pick<LedgerPatch, 'post_url' | 'post_status' | 'answered'>

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
 * A patch as SQL: its assignments, each after a comma, with values from `$first` on.
 *
 * @returns `key`: the same for two patches exactly where their assignments are, for the names of prepared statements
 */
export function assignments(patch: LedgerPatch, first: number) {
  const columns = COLUMNS.filter((column) => column in patch)
  return {
    key: COLUMNS.map((column) => (column in patch ? 1 : 0)).join(''),
    sql: columns.map((column, index) => `, ${column} = $${first + index}::${CASTS[column]}`).join(''),
    values: columns.map((column) => serialise(patch[column])),
  }
}

/**
 * Notes as SQL: the statement that adds them to the timeline of the one row of `held`, with values from `$first` on.
 * Each has the time it was made, not that of the statement.
 */
export function timeline(notes: Kept['notes'], held: string, first: number) {
  return {
    sql: `INSERT INTO delivery_step (delivery_id, at, step, outcome, detail)
      SELECT ${held}.id, now() - ago * interval '1 millisecond', step, outcome, detail
      FROM ${held}, unnest($${first}::float8[], $${first + 1}::text[], $${first + 2}::text[], $${first + 3}::text[])
        WITH ORDINALITY AS note (ago, step, outcome, detail, place) ORDER BY place`,
    values: [
      notes.map(({ agoMs }) => agoMs),
      notes.map(({ step }) => step),
      notes.map(({ outcome }) => outcome),
      notes.map(({ detail }) => (detail === null ? null : storableText(detail))),
    ],
  }
}

const serialise = (value: LedgerPatch[keyof LedgerPatch]): unknown =>
  typeof value === 'object' && value !== null && !(value instanceof Date) ? storableJson(value) : value
