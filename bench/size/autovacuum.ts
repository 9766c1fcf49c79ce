import type { Pool } from 'pg'

/** A table, or what lies beside one for its long values, as the statistics see it. */
export interface Watched {
  /** `event`, `event (TOAST)`. */
  table: string
  bytes: number
  live: number
  dead: number
}

/** The tables of Galley and their TOAST. */
export async function watch(pool: Pool): Promise<Watched[]> {
  // What this session has done is in the statistics when this statement ends.
  await pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await pool.query<Watched>(
    `SELECT coalesce(main.relname || ' (TOAST)', c.relname) AS table,
       (pg_relation_size(c.oid) + pg_indexes_size(c.oid))::float8 AS bytes,
       s.n_live_tup::float8 AS live, s.n_dead_tup::float8 AS dead
     ${TABLES} ORDER BY 1`,
  )
  return rows
}

/**
 * Vacuums what autovacuum would, if it looked now: by its own arithmetic, with the thresholds of the server and of each
 * table. Time does not pass in a simulation, and the real one looks once a minute.
 *
 * @returns what was vacuumed
 */
export async function vacuumWhatIsDue(pool: Pool): Promise<string[]> {
  await pool.query('SELECT pg_stat_force_next_flush()')
  const { rows } = await pool.query<{ name: string }>(
    `SELECT c.oid::regclass::text AS name ${TABLES}
       AND (s.n_dead_tup > ${option('vacuum_threshold')} + ${option('vacuum_scale_factor')} * greatest(c.reltuples, 0)
         OR s.n_ins_since_vacuum
           > ${option('vacuum_insert_threshold')} + ${option('vacuum_insert_scale_factor')} * greatest(c.reltuples, 0))`,
  )
  for (const { name } of rows) await pool.query(`VACUUM (ANALYZE) ${name}`)
  return rows.map(({ name }) => name)
}

const TABLES = `FROM pg_class c JOIN pg_stat_all_tables s ON s.relid = c.oid
  LEFT JOIN pg_class main ON main.reltoastrelid = c.oid
  WHERE 'public'::regnamespace IN (c.relnamespace, main.relnamespace)`

/** The table's own where it has one; TOAST has its table's where it has none of its own. */
const option = (name: string): string =>
  `coalesce((SELECT option_value::float8 FROM pg_options_to_table(coalesce(c.reloptions, main.reloptions))
     WHERE option_name = 'autovacuum_${name}'), current_setting('autovacuum_${name}')::float8)`
