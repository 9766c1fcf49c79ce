import type { Client } from 'pg'
import { openSession, type Patience } from './session.ts'
import { migrationsOf, type Table, tablesOf } from './tables.ts'

// A dump is lines: `#table NAME`, a JSON object for each of its rows, and so on; then `#jobs`, and each job that waits;
// then `#sequences`, and one line with the number that each has come to; then `#end`.

/** What a dump holds. */
export interface Dumped {
  /** Migrations that the schema has. */
  migrations: string[]
  /** Rows of each table. */
  rows: Record<string, number>
  /** When it was, by the clock of the database. */
  at: string
}

/** Rows of one answer, and bytes that one should not exceed by far: a row may be a megabyte. */
const ROWS = 50
const BYTES = 8_000_000

/**
 * Jobs that wait in the queue, as they would be added: what a killed process holds of them is nothing after a restore. Those
 * that were tried too often wait for a night to be tried anew, but for what has no key and comes by its timetable.
 */
const JOBS = `SELECT to_jsonb(j)::text AS line FROM (
  SELECT t.identifier, p.payload, q.queue_name, p.run_at, p.max_attempts, p.key, p.priority
  FROM graphile_worker._private_jobs p
  JOIN graphile_worker._private_tasks t ON t.id = p.task_id
  LEFT JOIN graphile_worker._private_job_queues q ON q.id = p.job_queue_id
  WHERE p.attempts < p.max_attempts OR p.key IS NOT NULL) j`

const SEQUENCES = `SELECT coalesce(jsonb_object_agg(sequencename, last_value), '{}')::text AS line
  FROM pg_sequences WHERE schemaname = 'public' AND last_value IS NOT NULL`

/**
 * Everything in the database as it was at one moment, line by line, while Galley works on.
 *
 * @returns after the last line, what it was
 * @throws GalleyError as openSession does
 */
export async function* dump(connectionString: string, patience?: Patience): AsyncGenerator<string, Dumped> {
  const client = await openSession(connectionString, 'galley, backup', patience)
  try {
    await client.query('BEGIN ISOLATION LEVEL REPEATABLE READ, READ ONLY')
    const [now] = (await client.query<{ at: Date }>('SELECT now() AS at')).rows
    const rows: Record<string, number> = {}
    for (const table of await tablesOf(client)) {
      yield `#table ${table.name}`
      rows[table.name] = yield* lines(client, `SELECT to_jsonb(t)::text AS line FROM (${selection(table)}) t`)
    }
    yield '#jobs'
    yield* lines(client, JOBS)
    // Not of the moment but of now, which is never less.
    yield '#sequences'
    yield* lines(client, SEQUENCES)
    yield '#end'
    return { migrations: await migrationsOf(client), rows, at: (now?.at ?? new Date()).toISOString() }
  } finally {
    await client.end()
  }
}

const selection = ({ name, columns }: Table): string =>
  `SELECT ${columns.map((column) => `"${column}"`).join(', ')} FROM "${name}"`

/** The lines of a question, a few at a time. */
async function* lines(client: Client, question: string): AsyncGenerator<string, number> {
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
    wanted = Math.max(1, Math.min(ROWS, Math.floor((BYTES * rows.length) / length)))
  }
  await client.query('CLOSE dumped')
  return count
}
