import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/database/transaction.ts'
import { internalIntake } from '../../src/intake/direct.ts'
import { hashToken } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'

let database: FreshDatabase
let galley: TestGalley
let pool: Pool
let accountId: string
let sourceId: string

const store = internalIntake(pino({ level: 'silent' }))
const documentId = '5b1c0c5e-6a0c-4a52-9d0b-0f3f5a3c2a11'
const siteId = '7d9a4f0e-1f6f-4b57-8a51-3a4f0f6f2b22'
const body = () => Buffer.from(JSON.stringify(completed({ id: documentId, siteId })))

beforeAll(async () => {
  database = await freshDatabase()
  galley = await startTestGalley({}, database)
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  accountId = (await pool.query('SELECT id FROM account')).rows[0].id
})

afterAll(async () => {
  await pool.end()
  await galley.stop()
  await database.drop()
})

test('what is stored in a transaction that is undone was never there, nor its source', async () => {
  const undone = inTransaction(pool, async (transaction) => {
    await store(transaction, { accountId, body: body() })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  const { rows } = await pool.query(
    'SELECT (SELECT count(*)::int FROM event) AS events, (SELECT count(*)::int FROM source WHERE built_in) AS sources',
  )
  expect(rows).toEqual([{ events: 0, sources: 0 }])
})

test('documents that come at once come in through one source of their account, and have their deliveries', async () => {
  const bodies = [0, 1, 2, 3].map((n) =>
    Buffer.from(JSON.stringify(completed({ id: documentId.replace(/.$/, String(n)), siteId }))),
  )
  const stored = await Promise.all(
    bodies.map((one) => inTransaction(pool, (transaction) => store(transaction, { accountId, body: one }))),
  )
  expect(stored.map(({ refusal }) => refusal)).toEqual([null, null, null, null])
  const { rows } = await pool.query('SELECT id FROM source WHERE built_in')
  expect(rows).toHaveLength(1)
  sourceId = rows[0].id
  const { rowCount } = await pool.query('SELECT FROM delivery WHERE account_id = $1', [accountId])
  expect(rowCount).toBe(4)
})

test('what it brings is judged as anybody’s', async () => {
  const { refusal } = await store(pool, { accountId, body: Buffer.from('{"event": 1}') })
  expect(refusal).toContain('event: expected one of')
})

test('nobody outside can send through it, be it with its token', async () => {
  const token = 'a'.repeat(48)
  await pool.query('UPDATE source SET token_hash = $2 WHERE id = $1', [sourceId, hashToken(token)])
  const response = await fetch(`${galley.url}/v1/webhooks/${token}`, { method: 'POST', body: '{}' })
  expect(response.status).toBe(404)
})

test.each([
  ['PATCH', '', { name: 'Mine' }],
  ['POST', '/rotate', undefined],
  ['DELETE', '', undefined],
])('409 where somebody would change it: %s %s', async (method, path, asked) => {
  const { status, body } = await galley.call<{ error: { code: string } }>(
    method,
    `/v1/sources/${sourceId}${path}`,
    asked,
  )
  expect([status, body.error.code]).toEqual([409, 'SOURCE_BUILT_IN'])
  const { body: shown } = await galley.call<{ data: object }>('GET', `/v1/sources/${sourceId}`)
  expect(shown.data).toMatchObject({ name: 'Documents that Galley creates', built_in: true })
})
