import { Client } from 'pg'
import { databaseUnreachable } from '../../database/errors.ts'
import { named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'

// A dump is lines: `#table NAME` and a JSON object for each row, for each table; `#jobs` and the
// waiting jobs; `#sequences` and one line of their values; `#end`.

export interface DumpSummary {
  migrations: string[]
  rows: Record<string, number>
  at: string
}

/** Rows of one fetch, and its approximate bytes: a row may be a megabyte. */
const ROWS_PER_FETCH = 50
const MAX_FETCH_BYTES = 8_000_000

/**
 * Waiting jobs, as they would be added: locks of a dead process mean nothing after a restore.
 * Exhausted ones wait for a night, except those without a key, which come from a timetable.
 */
const SELECT_JOBS = `SELECT to_jsonb(j)::text AS line FROM (
  SELECT t.identifier, p.payload, q.queue_name, p.run_at, p.max_attempts, p.key, p.priority
  FROM graphile_worker._private_jobs p
  JOIN graphile_worker._private_tasks t ON t.id = p.task_id
  LEFT JOIN graphile_worker._private_job_queues q ON q.id = p.job_queue_id
  WHERE p.attempts < p.max_attempts OR p.key IS NOT NULL) j`

const SELECT_SEQUENCES = `SELECT coalesce(jsonb_object_agg(sequencename, last_value), '{}')::text AS line
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`

/**
 * Dumps a consistent snapshot of the database, line by line, while Galley runs.
 *
 * @returns its summary after the last line
 * @throws GalleyError as openSession does
 */
export async function* dumpDatabase(
  connectionString: string,
  patience?: SessionTimeouts,
): AsyncGenerator<string, DumpSummary> {
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
    return {
      migrations: await listAppliedMigrations(client),
      rows,
      at: (now?.at ?? new Date()).toISOString(),
    }
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

/** Limits of a database's silence, in milliseconds. */
export interface SessionTimeouts {
  connection: number
  answer: number
}

/**
 * A network that drops packets never answers. The slowest statement scans a table, or sends some
 * megabytes over a slow line.
 */
const DEFAULT_TIMEOUTS: SessionTimeouts = { connection: 10_000, answer: 300_000 }

/**
 * A connection for a backup or restore that ends when the database falls silent.
 *
 * @param name shown to the database's operator
 * @throws GalleyError `database_unreachable`
 */
export async function openBackupSession(
  connectionString: string,
  name: string,
  { connection, answer }: SessionTimeouts = DEFAULT_TIMEOUTS,
): Promise<Client> {
  const client = new Client({
    connectionString,
    application_name: name,
    connectionTimeoutMillis: connection,
    query_timeout: answer,
  })
  // The statement fails too; without a listener the event would end the process.
  client.on('error', () => undefined)
  await client.connect().catch((cause: Error) => {
    throw databaseUnreachable(client, cause)
  })
  return client
}

export interface BackupTable {
  name: string
  /** Without generated columns. */
  columns: string[]
}

/** Kept by the migrations themselves. */
const MIGRATIONS_TABLE = '_prisma_migrations'

/** Every table of Galley's, referenced tables first. */
export async function listTables(database: Queryable): Promise<BackupTable[]> {
  const { rows } = await database.query<BackupTable & { after: string[] }>(
    `SELECT c.relname AS name,
       ARRAY(SELECT a.attname::text FROM pg_attribute a WHERE a.attrelid = c.oid AND a.attnum > 0
             AND NOT a.attisdropped AND a.attgenerated = '' ORDER BY a.attnum) AS columns,
       ARRAY(SELECT p.relname::text FROM pg_constraint f JOIN pg_class p ON p.oid = f.confrelid
             WHERE f.conrelid = c.oid AND f.contype = 'f' AND p.oid <> c.oid) AS after
     FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = 'public' AND c.relkind IN ('r', 'p') AND NOT c.relispartition AND c.relname <> '${MIGRATIONS_TABLE}'
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

export async function listAppliedMigrations(database: Queryable): Promise<string[]> {
  const { rows } = await database.query<{ name: string }>(
    `SELECT migration_name AS name FROM ${MIGRATIONS_TABLE} WHERE finished_at IS NOT NULL AND rolled_back_at IS NULL
     ORDER BY migration_name`,
  )
  return rows.map(({ name }) => name)
}

const LINES_PER_STATEMENT = 500
const MAX_STATEMENT_LENGTH = 8_000_000

type TakeLines = (lines: readonly string[]) => Promise<void>

/**
 * Loads a dump into an empty database of the same schema, in one transaction.
 *
 * @returns rows of each table
 * @throws GalleyError as openSession does
 */
export async function loadDump(
  connectionString: string,
  dumped: AsyncIterable<string>,
  patience?: SessionTimeouts,
): Promise<Record<string, number>> {
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

async function loadParts(
  client: Client,
  tables: readonly BackupTable[],
  dumped: AsyncIterable<string>,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  let take: TakeLines = nothing
  let waiting: string[] = []
  let length = 0
  let ended = false
  const flush = async () => {
    if (waiting.length > 0) await take(waiting)
    waiting = []
    length = 0
  }
  for await (const line of dumped) {
    if (line.startsWith('#')) {
      await flush()
      const [part, name = ''] = line.slice(1).split(' ')
      if (part === 'table') rows[name] = 0
      take = partOf(client, tables, part, name, (more) => {
        rows[name] = (rows[name] ?? 0) + more
      })
      ended = part === 'end'
      continue
    }
    waiting.push(line)
    length += line.length
    if (waiting.length >= LINES_PER_STATEMENT || length >= MAX_STATEMENT_LENGTH) await flush()
  }
  if (!ended) throw new Error('the dump ends before its end')
  return rows
}

function partOf(
  client: Client,
  tables: readonly BackupTable[],
  part: string | undefined,
  name: string,
  onRows: (more: number) => void,
): TakeLines {
  if (part === 'jobs') return (lines) => addJobs(client, lines)
  if (part === 'sequences') return (lines) => setSequences(client, lines)
  if (part === 'end') return nothing
  const table = tables.find((one) => one.name === name)
  if (part !== 'table' || table === undefined)
    throw new Error(`the dump has a part of an unknown name: ${part} ${name}`)
  return async (lines) => {
    await client.query(insertion(table), [`[${lines.join(',')}]`])
    onRows(lines.length)
  }
}

const nothing: TakeLines = async (lines) => {
  throw new Error(`a part of the dump belongs to nothing: ${lines[0]?.slice(0, 40)}`)
}

function insertion({ name, columns }: BackupTable): string {
  const list = columns.map((column) => `"${column}"`).join(', ')
  return `INSERT INTO "${name}" (${list}) OVERRIDING SYSTEM VALUE
    SELECT ${list} FROM jsonb_populate_recordset(NULL::"${name}", $1::jsonb)`
}

async function addJobs(client: Client, lines: readonly string[]): Promise<void> {
  await client.query(
    named(
      `SELECT graphile_worker.add_job(j.identifier, j.payload, j.queue_name, j.run_at, j.max_attempts, j.key, j.priority)
       FROM jsonb_to_recordset(:jobs::jsonb) AS j (identifier text, payload json, queue_name text,
         run_at timestamptz, max_attempts int, key text, priority int)`,
      { jobs: `[${lines.join(',')}]` },
    ),
  )
}

async function setSequences(client: Client, [line = '{}']: readonly string[]): Promise<void> {
  for (const [name, last] of Object.entries(JSON.parse(line) as Record<string, number>))
    await client.query('SELECT setval($1::regclass, $2)', [`public."${name}"`, last])
}
