import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { type Database, openDatabase } from '../../src/database/client.ts'
import {
  createToken,
  generateSecretKey,
  hashToken,
  openKeyring,
  parseSecretKeys,
} from '../../src/secrets/keyring.ts'
import { SourceLookup } from '../../src/sources/sender.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const keyring = openKeyring(parseSecretKeys(generateSecretKey(), 'this test'))
const token = createToken()
let fresh: FreshDatabase
let database: Database
let pool: Pool
let asked = 0

beforeAll(async () => {
  fresh = await freshDatabase()
  const log = { info() {}, warn() {}, error() {} }
  database = openDatabase({ connectionString: fresh.connectionString, poolSize: 2, log })
  const { account } = await createAccount(database.pool, { name: 'Owner' })
  await database.prisma.source.create({
    data: { id: uuid(), accountId: account.id, name: 'Upstream', tokenHash: hashToken(token) },
  })
  pool = new Pool({ connectionString: fresh.connectionString })
  pool.on('acquire', () => {
    asked += 1
  })
})
afterAll(async () => {
  await pool.end()
  await database.close()
  await fresh.drop()
})

test('five hundred tokens that come at once are asked for in a few questions, and the good ones found among them', async () => {
  const sources = new SourceLookup(pool, keyring)
  asked = 0
  const unknown = Array.from({ length: 500 }, () => sources.byToken(randomBytes(24).toString('hex')))
  const good = Array.from({ length: 100 }, () => sources.byToken(token))
  expect(new Set(await Promise.all(unknown))).toEqual(new Set([null]))
  for (const found of await Promise.all(good)) expect(found).toMatchObject({ signingSecrets: [] })
  expect(asked).toBeLessThan(6)
})

test.each(['', 'guess', token.toUpperCase(), `${token} `, `${token}0`, '\0', '\ud800'])(
  'the database is not asked for %j, which is no token',
  async (text) => {
    const sources = new SourceLookup(pool, keyring)
    asked = 0
    expect(await sources.byToken(text)).toBeNull()
    expect(asked).toBe(0)
  },
)

test('the next who comes after a question that failed is asked for again', async () => {
  const sources = new SourceLookup(pool, keyring)
  await pool.query('ALTER TABLE source RENAME TO sources_away')
  await expect(sources.byToken(token)).rejects.toThrow('"source"')
  await pool.query('ALTER TABLE sources_away RENAME TO source')
  expect(await sources.byToken(token)).not.toBeNull()
})
