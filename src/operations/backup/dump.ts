import type { Client } from 'pg'
import { openSession, type SessionTimeouts } from '../../database/client.ts'
import { appliedMigrations } from '../../database/migrations.ts'
import type { Queryable } from '../../database/transaction.ts'
import { countByKey } from '../sealed-columns.ts'

// A dump is lines: `#table NAME` and a JSON object for each row, for each table; `#jobs` and the
// waiting jobs; `#sequences` and one line of their values; `#end`.

export interface DumpSummary {
  migrations: string[]
  keys: string[]
  rows: Record<string, number>
  at: string
}

/** Rows of one fetch, and its approximate bytes: a row may be a megabyte. */
const ROWS_PER_FETCH = 50
const MAX_FETCH_BYTES = 8_000_000

/** Waiting jobs as added anew. Exhausted ones wait for a night; those of a timetable come by themselves. */
const SELECT_JOBS = `SELECT to_jsonb(j)::text AS line FROM (
  SELECT t.identifier, p.payload, q.queue_name, p.run_at, p.max_attempts, p.key, p.priority
  FROM graphile_worker._private_jobs p
  JOIN graphile_worker._private_tasks t ON t.id = p.task_id
  LEFT JOIN graphile_worker._private_job_queues q ON q.id = p.job_queue_id
  WHERE p.attempts < p.max_attempts OR p.key IS NOT NULL) j`

const SELECT_SEQUENCES = `SELECT coalesce(jsonb_object_agg(sequencename, last_value), '{}')::text AS line
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`

/** Dumps a consistent snapshot by lines. @param onEnd is told its summary @throws GalleyError as openSession does */
export async function* dumpDatabase(
  connectionString: string,
  patience?: SessionTimeouts,
  onEnd: (summary: DumpSummary) => void = () => undefined,
): AsyncGenerator<string> {
  const client = await openBackupSession(connectionString, 'galley, backup', patience)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    const [now] = (await client.query<{ at: Date }>('SELECT now() AS at')).rows
    const rows: Record<string, number> = {}
    for (const table of await listTables(client)) {
      yield `#table ${table.name}`
      rows[table.name] = yield* fetchLines(
        client,
        `SELECT to_jsonb(t)::text AS line FROM (${selection(table)}) t`,
      )
    }
    yield '#jobs'
    yield* fetchLines(client, SELECT_JOBS)
    // Read now and not in the snapshot; never less.
    yield '#sequences'
    yield* fetchLines(client, SELECT_SEQUENCES)
    yield '#end'
    onEnd({
      migrations: await appliedMigrations(client),
      keys: [...(await countByKey(client)).keys()].sort(),
      rows,
      at: (now?.at ?? new Date()).toISOString(),
    })
  } finally {
    await client.end()
  }
}

const selection = ({ name, columns }: BackupTable): string =>
  `SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${name}"`

async function* fetchLines(client: Client, question: string): AsyncGenerator<string, number> {
  await client.query(`DECLARE dumped NO SCROLL CURSOR FOR ${question}`)
  let count = 0
  let wanted = 10
  for (;;) {
    const { rows } = await client.query<{ line: string }>(`FETCH ${wanted} FROM dumped`)
    if (rows.length === 0) break
    let length = 0
    for (const { line } of rows) {
      length += line.length
      yield line
    }
    count += rows.length
    wanted = Math.max(1, Math.min(ROWS_PER_FETCH, Math.floor((MAX_FETCH_BYTES * rows.length) / length)))
  }
  await client.query('CLOSE dumped')
  return count
}

/** A network that drops packets never answers. The slowest statement scans a table. */
const ANSWER_TIMEOUT_MS = 300_000

/** A connection that ends when the database falls silent. @throws GalleyError `database_unreachable` */
export const openBackupSession = (
  connectionString: string,
  name: string,
  patience: Partial<SessionTimeouts> = {},
): Promise<Client> => openSession(connectionString, name, { answer: ANSWER_TIMEOUT_MS, ...patience })

export interface BackupTable {
  name: string
  /** Without generated columns. */
  columns: string[]
}

export async function listTables(database: Queryable): Promise<BackupTable[]> {
  const { rows } = await database.query<BackupTable & { after: string[] }>(
    `SELECT c.relname AS name,
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
             AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns,
       ARRAY(SELECT p.relname::text FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
             WHERE f.conrelid = c.oid AND f.contype = 'f' AND p.oid <> c.oid) AS after
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '_prisma_migrations'
       -- What does not outlive a crash is not backed up either.
       AND c.relpersistence = 'p'
     ORDER BY c.relname`,
  )
  const sorted: BackupTable[] = []
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

const LINES_PER_STATEMENT = 500
const MAX_STATEMENT_LENGTH = 8_000_000

/** Loads a dump into an empty database of its schema, in one transaction. @returns rows by table */
export async function loadDump(
  connectionString: string,
  dumped: AsyncIterable<string>,
  patience?: SessionTimeouts,
): Promise<number> {
  const client = await openBackupSession(connectionString, 'galley, restore', patience)
  try {
    await client.query('BEGIN')
    const tables = await listTables(client)
    // The dump already has the triggers' effects.
    for (const { name } of tables) await client.query(`ALTER TABLE "${name}" DISABLE TRIGGER USER`)
    const rows = await loadParts(client, tables, dumped)
    for (const { name } of tables) await client.query(`ALTER TABLE "${name}" ENABLE TRIGGER USER`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
    return rows
  } finally {
    // Rolls back what was not committed.
    await client.end()
  }
}

async function loadParts(client: Client, tables: readonly BackupTable[], dumped: AsyncIterable<string>) {
  let part = ''
  let waiting: string[] = []
  let length = 0
  let rows = 0
  const flush = async () => {
    if (waiting.length > 0) await client.query(statementOf(tables, part), [`[${waiting.join(',')}]`])
    if (part.startsWith('#table')) rows += waiting.length
    waiting = []
    length = 0
  }
  for await (const line of dumped) {
    if (line.startsWith('#')) {
      await flush()
      part = line
      continue
    }
    waiting.push(line)
    length += line.length
    if (waiting.length >= LINES_PER_STATEMENT || length >= MAX_STATEMENT_LENGTH) await flush()
  }
  if (part !== '#end') throw new Error('the dump ends before its end')
  return rows
}

/** The statement that stores lines of a part of the dump, as the JSON array `$1`. */
function statementOf(tables: readonly BackupTable[], part: string): string {
  if (part === '#jobs') return ADD_JOBS
  if (part === '#sequences') return SET_SEQUENCES
  const table = tables.find(({ name }) => part === `#table ${name}`)
  if (table === undefined) throw new Error(`the dump has a part of an unknown name: ${part}`)
  const list = table.columns.map((column) => `"${column}"`).join(', ')
  return `INSERT INTO "${table.name}" (${list}) OVERRIDING SYSTEM VALUE
    SELECT ${list} FROM jsonb_populate_recordset(NULL::"${table.name}", $1::jsonb)`
}

const ADD_JOBS = `
  SELECT graphile_worker.add_job(j.identifier, j.payload, j.queue_name, j.run_at, j.max_attempts, j.key, j.priority)
  FROM jsonb_to_recordset($1::jsonb) AS j (identifier text, payload json, queue_name text, run_at timestamptz,
    max_attempts int, key text, priority int)`

const SET_SEQUENCES = `
  SELECT setval(format('public.%I', name)::regclass, last::bigint)
  FROM jsonb_array_elements($1::jsonb) AS line, jsonb_each_text(line) AS each (name, last)`
