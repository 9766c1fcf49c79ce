import type { Pool } from 'pg'
import { type BackupTable, listTables } from '../../src/operations/backup/dump.ts'

/** Text that a careless dump would break. */
const TEXT = `"quoted" \\ 'it''s' \t\n\r\n \\N \\x00 é 漢 👩‍👩‍👧 \u2028 #table account`

/** SQL of an awkward value of each type, by the number of its row. Ids are alike in all tables: every foreign key leads somewhere. */
const VALUES: Record<string, string> = {
  uuid: `lpad(to_hex(n), 32, '0')::uuid`,
  text: `'${TEXT.replaceAll("'", "''")}' || n`,
  boolean: 'n % 2 = 0',
  integer: '(1000000000 + n)::int',
  bigint: '9007199254740993 + n',
  bytea: `decode('00ff0a5c22', 'hex') || int4send(n)`,
  jsonb: `jsonb_build_object('text', '${TEXT.replaceAll("'", "''")}'::text, 'number', 12345678901234567890.125, 'none', NULL, 'list', '[1, [], {}]'::jsonb)`,
  'timestamp with time zone': `'2026-01-02 03:04:05.678+00'::timestamptz + n * interval '1 day'`,
  'text[]': `ARRAY['a,b', '"', '', NULL, '{}', '${TEXT.replaceAll("'", "''")}']`,
  'uuid[]': 'ARRAY[gen_random_uuid(), gen_random_uuid()]',
  'integer[]': 'ARRAY[1, NULL, n::int]',
}

/** Fills every table with three rows of awkward values, and one that has as little as it may; the queue and a sequence too. */
export async function fillAwkwardly(pool: Pool): Promise<void> {
  await fillTables(pool)
  await pool.query(`SELECT graphile_worker.add_job('one', '{"a": "b"}', 'queue', '2999-01-01', 7, 'key', 3)`)
  await pool.query(`SELECT setval('event_seq_seq', 9007199254740990)`)
}

/** The same of the tables alone, of whatever schema. */
export async function fillTables(pool: Pool): Promise<void> {
  for (const table of await listTables(pool)) {
    const columns = await columnsOf(pool, table)
    const row = ({ least }: { least: boolean }) =>
      columns.map(({ type, nullable }) => (least && nullable ? `NULL::${type}` : awkward(type))).join(', ')
    const list = columns.map(({ name }) => `"${name}"`).join(', ')
    await pool.query(
      `INSERT INTO "${table.name}" (${list}) OVERRIDING SYSTEM VALUE
       SELECT ${row({ least: false })} FROM generate_series(1, 3) AS n
       UNION ALL SELECT ${row({ least: true })} FROM generate_series(4, 4) AS n`,
    )
  }
}

function awkward(type: string): string {
  const value = VALUES[type]
  if (value === undefined) throw new Error(`no awkward value for the type ${type} yet: add one`)
  return value
}

async function columnsOf(
  client: { query: Pool['query'] },
  { name, columns }: BackupTable,
): Promise<{ name: string; type: string; nullable: boolean }[]> {
  const { rows } = await client.query(
    `SELECT attname::text AS name, format_type(atttypid, NULL) AS type, NOT attnotnull AS nullable
     FROM pg_attribute WHERE attrelid = $1::regclass AND attname = ANY ($2)`,
    [name, columns],
  )
  return rows
}

/** What every table holds, to be compared; with generated columns, so that these are judged too. */
export async function contentsOf(pool: Pool): Promise<Record<string, string[]>> {
  const contents: Record<string, string[]> = {}
  for (const { name } of await listTables(pool)) {
    const { rows } = await pool.query(`SELECT t::text AS row FROM "${name}" t ORDER BY 1`)
    contents[name] = rows.map(({ row }) => row)
  }
  const jobs = await pool.query(
    `SELECT task_identifier, queue_name, run_at, max_attempts, key, priority FROM graphile_worker.jobs ORDER BY key`,
  )
  contents.jobs = jobs.rows.map((row) => JSON.stringify(row))
  return contents
}
