import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { type UpstreamCode, upstreamFailure } from '../../src/upstream/failures.ts'
import { clearUpstreamTrouble, pauseUpstream, readUpstreamState } from '../../src/upstream/health.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

let database: FreshDatabase
let pool: Pool
let accountId: string
let source: { accountId: string; id: string }
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  accountId = (await createAccount(pool, { name: 'readers' })).account.id
})
beforeEach(async () => {
  const { rows } = await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES (uuidv7(), $1, 'Maker', uuidv7()::text) RETURNING id`,
    [accountId],
  )
  source = { accountId, id: rows[0].id }
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

const firstMs = 5_000

/** @returns milliseconds until the next request of the document that failed */
function fail(code: UpstreamCode = 'upstream_down', retryAfterMs?: number) {
  const asked = { sourceId: source.id, source: 'Maker', host: 'maker.example', documentId: 'd' }
  const failure = upstreamFailure(code, asked, 'it answered 503.', { retryAfterMs })
  return pauseUpstream(pool, source, failure, null, firstMs)
}
const pausedMs = async () => (await readUpstreamState(pool, source))?.pausedMs

it('is not paused by a failure that stands alone, for which its document alone waits', async () => {
  expect(await fail()).toBe(firstMs)
  expect(await pausedMs()).toBe(0)
  await clearUpstreamTrouble(pool, source)
  expect(await fail()).toBe(firstMs)
  expect(await pausedMs()).toBe(0)
})

it('is paused for all by the second failure in a row', async () => {
  await fail()
  const waits = await fail()
  expect(waits).toBeGreaterThan(firstMs - 1)
  expect(waits).toBeLessThan(firstMs * 1.1 + 1)
  expect(await pausedMs()).toBeGreaterThan(0)
})

it.each([
  ['that refuses the key', 'upstream_refused', undefined],
  ['that asks for a pause', 'upstream_down', 60_000],
] as const)('is paused by the first failure %s', async (_, code, retryAfterMs) => {
  expect(await fail(code, retryAfterMs)).toBeCloseTo(60_000, -1)
  expect(await pausedMs()).toBeGreaterThan(0)
})
