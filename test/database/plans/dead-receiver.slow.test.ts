import { Client, Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { CONCURRENCY_LIMITS, claimDueAttempts } from '../../../src/notifications/claim.ts'
import { type FreshDatabase, freshDatabase } from '../../support/database/fresh-database.ts'
import { record } from './record.ts'
import { analyse } from './report.ts'

/** What waits for a receiver that is dead. */
const WAITING = 20_000

/** Accounts that each have something for one receiver. */
const OTHERS = 30

let database: FreshDatabase
let pool: Pool
let client: Client

beforeAll(async () => {
  database = await freshDatabase()
  const { connectionString } = database
  pool = new Pool({ connectionString, max: 2 })
  client = new Client({ connectionString })
  await client.connect()
  await client.query(
    `INSERT INTO account (id, name) SELECT md5(n::text)::uuid, 'account' FROM generate_series(0, $1::int) AS n`,
    [OTHERS],
  )
  await client.query(
    `INSERT INTO notification (id, account_id, event, subject_id, url, body, due_at)
     SELECT gen_random_uuid(), md5('0')::uuid, 'delivery.delivered', gen_random_uuid(), 'https://dead.test/hook', '{}'::bytea,
       now() - interval '1 day' - n * interval '1 second'
     FROM generate_series(1, $1::int) AS n
     UNION ALL
     SELECT gen_random_uuid(), md5(n::text)::uuid, 'delivery.delivered', gen_random_uuid(), 'https://other.test/hook', '{}', now()
     FROM generate_series(1, $2::int) AS n`,
    [WAITING, OTHERS],
  )
  await client.query('ANALYZE')
})

afterAll(async () => {
  await pool.end()
  await client.end()
  await database.drop()
})

test('what waits for a dead receiver is not read to find what others are to be told', async () => {
  const claim = () => claimDueAttempts(pool, 1, { places: CONCURRENCY_LIMITS.ofProcess, bytes: 1024 * 1024 })
  const addresses = (await claim()).map(({ url }) => url)
  expect(addresses.filter((url) => url === 'https://other.test/hook')).toHaveLength(OTHERS)
  expect(addresses).toHaveLength(OTHERS + CONCURRENCY_LIMITS.ofOrigin)

  const recording = record()
  expect(await claim()).toEqual([])
  recording.stop()
  const [asked] = recording.statements.values()
  if (asked === undefined) throw new Error('Nothing was asked')
  const [read] = await analyse(client, [asked])
  expect(read?.pages).toBeLessThan(200)
})
