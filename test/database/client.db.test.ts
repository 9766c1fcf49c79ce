import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/database/client.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const log = pino({ level: 'silent' })
let fresh: FreshDatabase
let database: Database

beforeEach(async () => {
  fresh = await freshDatabase()
  database = openDatabase({ connectionString: fresh.connectionString, poolSize: 3, log })
})
afterEach(async () => {
  await database.close()
  await fresh.drop()
})

test('Prisma and the pool see the same database', async () => {
  const id = randomUUID()
  await database.prisma.account.create({ data: { id, name: 'Agency' } })
  const { rows } = await database.pool.query('select id, name from account')
  expect(rows).toEqual([{ id, name: 'Agency' }])
})

test('never opens more connections than asked for', async () => {
  const busy = Array.from({ length: 12 }, () => database.prisma.$queryRaw`select 1 from pg_sleep(0.02)`)
  await Promise.all(busy)
  expect(database.pool.totalCount).toBe(3)
})

test('a broken connection fails one query at most, and the next one works', async () => {
  await database.prisma.account.count()
  await database.pool
    .query('select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database()')
    .catch(() => undefined)
  await expect(database.prisma.account.count()).resolves.toBe(0)
})

test('closing waits for the query that runs', async () => {
  const slow = database.prisma.$queryRaw`select 'done' as answer from pg_sleep(0.2)`.then((rows) => rows)
  await database.prisma.account.count()
  await database.close()
  await expect(slow).resolves.toEqual([{ answer: 'done' }])
  database = openDatabase({ connectionString: fresh.connectionString, poolSize: 1, log })
})
