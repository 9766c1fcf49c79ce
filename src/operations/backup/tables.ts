import type { Queryable } from '../../database/transaction.ts'

/** A table of Galley's, as it is backed up. */
export interface Table {
  name: string
  /** Those that hold something of their own: no generated ones. */
  columns: string[]
}

/** Kept by the migrations themselves. */
const HISTORY = '_prisma_migrations'

/** Every table of Galley's, those before others that their foreign keys lead to. */
export async function tablesOf(database: Queryable): Promise<Table[]> {
  const { rows } = await database.query<Table & { after: string[] }>(
    `SELECT c.relname AS name,
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
             AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns,
       ARRAY(SELECT p.relname::text FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
             WHERE f.conrelid = c.oid AND f.contype = 'f' AND p.oid <> c.oid) AS after
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '${HISTORY}'
       -- What does not outlive a crash is not backed up either.
       AND c.relpersistence = 'p'
     ORDER BY c.relname`,
  )
  const sorted: Table[] = []
  let left = rows
  while (left.length > 0) {
    const waiting = new Set(left.map(({ name }) => name))
    const next = left.filter(({ after }) => !after.some((name) => waiting.has(name)))
    if (next.length === 0) throw new Error(`foreign keys in a circle: ${[...waiting].join(', ')}`)
    sorted.push(...next.map(({ name, columns }) => ({ name, columns })))
    left = left.filter((table) => !next.includes(table))
  }
  return sorted
}

/** The migrations that the schema has, the oldest first. */
export async function migrationsOf(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT migration_name AS name FROM ${HISTORY} WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
     ORDER BY migration_name`,
  )
  return rows.map(({ name }) => name)
}
