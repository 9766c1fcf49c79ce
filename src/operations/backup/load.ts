import type { Client } from 'pg'
import { named } from '../../database/named.ts'
import { openSession, type Patience } from './session.ts'
import { type Table, tablesOf } from './tables.ts'

/** Lines of one statement, and characters. */
const LINES = 500
const LENGTH = 8_000_000

/** Takes the lines of one part of a dump. */
type Take = (lines: readonly string[]) => Promise<void>

/**
 * Puts a dump into a database of the same schema that holds nothing, all of it or nothing.
 *
 * @returns rows of each table
 * @throws GalleyError as openSession does
 */
export async function load(
  connectionString: string,
  dumped: AsyncIterable<string>,
  patience?: Patience,
): Promise<Record<string, number>> {
  const client = await openSession(connectionString, 'galley, restore', patience)
  try {
    await client.query('BEGIN')
    const tables = await tablesOf(client)
    // What a trigger would do has been done, and is in the dump.
    for (const { name } of tables) await client.query(`ALTER TABLE "${name}" DISABLE TRIGGER USER`)
    const rows = await loadParts(client, tables, dumped)
    for (const { name } of tables) await client.query(`ALTER TABLE "${name}" ENABLE TRIGGER USER`)
    await client.query('COMMIT')
    await client.query('ANALYZE')
    return rows
  } finally {
    // Ends the transaction where it was not committed.
    await client.end()
  }
}

async function loadParts(
  client: Client,
  tables: readonly Table[],
  dumped: AsyncIterable<string>,
): Promise<Record<string, number>> {
  const rows: Record<string, number> = {}
  let take: Take = nothing
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
    if (waiting.length >= LINES || length >= LENGTH) await flush()
  }
  if (!ended) throw new Error('the dump ends before its end')
  return rows
}

function partOf(
  client: Client,
  tables: readonly Table[],
  part: string | undefined,
  name: string,
  onRows: (more: number) => void,
): Take {
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

const nothing: Take = async (lines) => {
  throw new Error(`a part of the dump belongs to nothing: ${lines[0]?.slice(0, 40)}`)
}

function insertion({ name, columns }: Table): string {
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
