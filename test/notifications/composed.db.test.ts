import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { type Receiver, startReceiver } from './stage.ts'
import { storeNotification } from './store.ts'

let database: FreshDatabase
let pool: Pool
let galley: TestGalley
let receiver: Receiver
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  galley = await startTestGalley({}, database)
  receiver = await startReceiver()
})
afterAll(async () => {
  await galley.stop()
  await receiver.close()
  await pool.end()
  await database.drop()
})

interface Shown {
  data: { status: string; tries: { http_status: number; by_hand: boolean }[] }
}

test('a Galley tells what is in its outbox, shows what came of it, and tells it once more when it is asked to', async () => {
  const { body } = await galley.call<{ data: { id: string } }>('GET', '/v1/account')
  const id = await storeNotification(pool, {
    accountId: body.data.id,
    event: 'image.completed',
    subjectId: '018f0000-0000-7000-8000-000000000000',
    url: receiver.url,
    body: '{"event":"image.completed"}',
  })
  const shown = async () => (await galley.call<Shown>('GET', `/v1/notifications/${id}`)).body.data
  await expect.poll(async () => (await shown()).status).toBe('acknowledged')
  expect((await galley.call('POST', `/v1/notifications/${id}/repeat`)).status).toBe(202)
  await expect
    .poll(async () => (await shown()).tries)
    .toMatchObject([
      { http_status: 200, by_hand: false },
      { http_status: 200, by_hand: true },
    ])
  expect(receiver.told.map(({ headers }) => headers['webhook-id'])).toEqual([id, id])
})
