import type { Pool } from 'pg'

/** The tables that grow with every delivery. */
export const GROWING = ['delivery', 'event', 'delivery_step', 'delivery_media', 'notification'] as const

export type Growing = (typeof GROWING)[number]

/** Bytes of each with its indexes and what lies beside its rows (TOAST). */
export async function bytesOf(pool: Pool): Promise<Record<Growing, number>> {
  const { rows } = await pool.query<{ name: Growing; bytes: string }>(
    'SELECT name, pg_total_relation_size(name::regclass) AS bytes FROM unnest($1::text[]) AS name',
    [GROWING],
  )
  return Object.fromEntries(rows.map(({ name, bytes }) => [name, Number(bytes)])) as Record<Growing, number>
}

/** Rows of all of them together. */
export async function rowsOf(pool: Pool): Promise<number> {
  const counts = GROWING.map((table) => `(SELECT count(*) FROM ${table})`).join(' + ')
  const { rows } = await pool.query<{ rows: string }>(`SELECT ${counts} AS rows`)
  return Number(rows[0]?.rows)
}
