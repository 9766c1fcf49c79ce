import { randomUUID } from 'node:crypto'
import { Client, Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/client.ts'
import { databaseFailure, databaseMessage, isUniqueViolation } from '../../src/database/errors.ts'
import { GenerationError } from '../../src/generation/failure.ts'
import { AttemptFailed } from '../../src/generation/jobs/ledger.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

let fresh: FreshDatabase
let database: Database

beforeAll(async () => {
  fresh = await freshDatabase()
  database = openDatabase({
    connectionString: fresh.connectionString,
    poolSize: 4,
    log: pino({ level: 'silent' }),
  })
})
afterAll(async () => {
  await database.close()
  await fresh.drop()
})

const thrownBy = (work: () => Promise<unknown>): Promise<unknown> =>
  work().then(
    () => expect.unreachable('it should have failed'),
    (error: unknown) => error,
  )
const asked = (text: string, values: unknown[] = []) => thrownBy(() => database.pool.query(text, values))

describe('what PostgreSQL refuses is refused, and is said in its words', () => {
  test.each([
    ['a NUL in a text', 'SELECT $1::text', ['a\0b'], '22021'],
    ['a NUL in jsonb', `SELECT '{"a": "\\u0000"}'::jsonb`, [], '22P05'],
    ['half a surrogate pair in jsonb', `SELECT '{"a": "\\ud800"}'::jsonb`, [], '22P02'],
    ['an id that is none', 'SELECT $1::uuid', ['123'], '22P02'],
    ['a number that is too large', 'SELECT 99999999999::int', [], '22003'],
    ['a column that is not there', 'SELECT nothing FROM site', [], '42703'],
    ['a row without what it needs', 'INSERT INTO account (id) VALUES (gen_random_uuid())', [], '23502'],
  ])('%s', async (_, text, values, code) => {
    const error = await asked(text, values)
    expect(databaseFailure(error)).toBe('refused')
    expect(databaseMessage(error)).toContain(code)
  })

  test('through Prisma, too', async () => {
    const error = await thrownBy(() =>
      database.prisma.account.create({ data: { id: randomUUID(), name: 'a\0b' } }),
    )
    expect(databaseFailure(error)).toBe('refused')
    expect(databaseMessage(error)).toContain('22021')
  })
})

test('a key that is there already is taken, through the pool and through Prisma', async () => {
  const id = randomUUID()
  await database.prisma.account.create({ data: { id, name: 'A' } })
  const errors = [
    await asked('INSERT INTO account (id, name) VALUES ($1, $2)', [id, 'A']),
    await thrownBy(() => database.prisma.account.create({ data: { id, name: 'A' } })),
  ]
  for (const error of errors) {
    expect(isUniqueViolation(error)).toBe(true)
    expect(databaseFailure(error)).toBe('refused')
  }
  expect(isUniqueViolation(await asked('SELECT 1/0'))).toBe(false)
})

test('two transactions that wait for each other are in conflict', async () => {
  const ids = [randomUUID(), randomUUID()]
  for (const id of ids) await database.prisma.account.create({ data: { id, name: 'A' } })
  const clients = await Promise.all(ids.map(() => database.pool.connect()))
  const touch = (n: number, id: string | undefined) =>
    clients[n]?.query('UPDATE account SET name = name WHERE id = $1', [id])
  for (const client of clients) await client.query('BEGIN')
  await touch(0, ids[0])
  await touch(1, ids[1])
  const outcomes = await Promise.allSettled([touch(0, ids[1]), touch(1, ids[0])])
  for (const client of clients) {
    await client.query('ROLLBACK')
    client.release()
  }
  const failures = outcomes.flatMap((outcome) => (outcome.status === 'rejected' ? [outcome.reason] : []))
  expect(failures.map(databaseFailure)).toEqual(['conflict'])
})

test('a server that takes no connection is away, one that ends the session too, and one that says nothing is silent', async () => {
  expect(databaseFailure(await thrownBy(() => new Client('postgresql://127.0.0.1:1/none').connect()))).toBe(
    'away',
  )
  const unanswered = await thrownBy(() =>
    database.pool.query({ text: 'SELECT pg_sleep(5)', query_timeout: 50 }),
  )
  expect(databaseFailure(unanswered)).toBe('silent')

  const pool = new Pool({ connectionString: fresh.connectionString, max: 1 })
  pool.on('error', () => undefined)
  const client = await pool.connect()
  client.on('error', () => undefined)
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid')
  const ended = thrownBy(() => client.query('SELECT pg_sleep(5)'))
  await database.pool.query('SELECT pg_terminate_backend($1)', [rows[0].pid])
  expect(databaseFailure(await ended)).toBe('away')
  client.release(true)
  await pool.end()
})

test.each([
  new Error('no such thing'),
  Object.assign(new Error('a file'), { code: 'EPERM' }),
  Object.assign(new Error('busy'), { code: 'EBUSY' }),
  undefined,
  'text',
])('%s is none of the database', (error) => {
  expect(databaseFailure(error)).toBeUndefined()
  expect(databaseMessage(error)).toBeUndefined()
})

test.each(['ECONNREFUSED', 'ENOTFOUND', 'ECONNRESET', 'ENOENT'])(
  'a provider or a store that fails with %s is not the database',
  (code) => {
    const cause = Object.assign(new Error('Connection terminated'), { code })
    const failure = new GenerationError({
      reason: 'PROVIDER_UNAVAILABLE',
      of: 'provider',
      message: 'Connection terminated by the provider.',
      cause,
    })
    expect(databaseFailure(cause)).toBeDefined()
    expect(databaseFailure(failure)).toBeUndefined()
    expect(databaseFailure(new AttemptFailed(failure))).toBeUndefined()
  },
)
