import { Pool } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../../src/database/index.ts'
import { tablesOf } from '../../../src/operations/backup/tables.ts'
import { fillTables } from '../../operations/awkward.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database/fresh-database.ts'
import { earlierSchemas, migrateTo } from './schemas.ts'

// A database of every earlier schema, with rows in each of its tables, is brought to the newest in one go, as a start does.

let database: FreshDatabase
let pool: Pool
beforeEach(async () => {
  database = await emptyDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

/** What a migration takes away on purpose: nothing ever read or wrote it. */
const DROPPED = { 'delivery_media.record': '20261122142000_delivery_media_record' }

/** What a migration calls otherwise. */
const RENAMED: Readonly<Record<string, string>> = {
  'connect_link.wish': 'requested',
  'site_import_line.wish': 'requested',
}

/** Every value as PostgreSQL writes it: a number of JavaScript would lose the end of a large one. */
type Row = Record<string, string>

async function rowsOf(table: string): Promise<Row[]> {
  const { rows } = await pool.query<{ row: Row }>(
    `SELECT (SELECT jsonb_object_agg(key, value::text) FROM jsonb_each(to_jsonb(t))) AS row FROM "${table}" t`,
  )
  return rows.map(({ row }) => row)
}

async function keyColumns(table: string): Promise<string[]> {
  const { rows } = await pool.query<{ name: string }>(
    `SELECT a.attname::text AS name FROM pg_index i
     JOIN pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey)
     WHERE i.indrelid = $1::regclass AND i.indisprimary`,
    [table],
  )
  return rows.map(({ name }) => name)
}

/** What of the rows of a table is no longer as it was. */
async function lossesOf(table: string, before: readonly Row[]): Promise<string[]> {
  const key = await keyColumns(table)
  const keyOf = (row: Row) => key.map((column) => row[column]).join(' ')
  const now = new Map((await rowsOf(table)).map((row) => [keyOf(row), row]))
  return before.flatMap((row) => {
    const found = now.get(keyOf(row))
    if (found === undefined) return [`${table} ${keyOf(row)}`]
    const lost = Object.keys(row).filter(
      (column) => found[RENAMED[`${table}.${column}`] ?? column] !== row[column],
    )
    return lost.map((column) => `${table}.${column}`)
  })
}

test.each(earlierSchemas)('rows of the schema of %s are kept, every value of them', async (schema) => {
  await migrateTo(database.connectionString, schema)
  await fillTables(pool)
  const tables = (await tablesOf(pool)).map(({ name }) => name)
  const before = new Map<string, Row[]>()
  for (const table of tables) before.set(table, await rowsOf(table))
  expect([...before.values()].map(({ length }) => length)).toEqual(tables.map(() => 4))

  await migrate({ connectionString: database.connectionString, log: pino({ level: 'silent' }) })
  const lost = new Set<string>()
  for (const [table, rows] of before) for (const loss of await lossesOf(table, rows)) lost.add(loss)
  const dropped = Object.entries(DROPPED).filter(([, migration]) => migration > schema)
  expect([...lost]).toEqual(dropped.map(([column]) => column))
})
