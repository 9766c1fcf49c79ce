import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeJob } from '../../../src/generation/api/store.ts'
import { quickTiming } from '../../faults/stage/timing.ts'
import { image } from '../requests.ts'
import { type Stage, startStage } from './stage.ts'

const JOBS = 40

let stage: Stage
let there = 0
let go = () => {}
const all = new Promise<void>((resolve) => {
  go = resolve
})

beforeAll(async () => {
  const image = async () => {
    there += 1
    if (there === JOBS) go()
    await all
    return { url: 'https://x.test/ships' }
  }
  // Nobody else wakes what the queue has not brought.
  stage = await startStage({ image }, { timing: { ...quickTiming, sweepMs: 600_000 } })
})

afterAll(() => stage.stop())

test('jobs that are stored together are begun beside each other, each in a place of its own', async () => {
  const ids = await Promise.all(
    Array.from({ length: JOBS }, () => stage.create('image', image('a crowd of ships'))),
  )
  for (const id of ids) expect(await stage.ended(id)).toMatchObject({ status: 'completed', fence: 1 })
  const { rows } = await stage.pool.query('SELECT DISTINCT created_at FROM generation_job')
  // One statement has one moment.
  expect(rows).toHaveLength(1)
})

test('two processes that are asked for the same jobs in another order do not wait for each other', async () => {
  const accountId = randomUUID()
  await stage.pool.query(`INSERT INTO account (id, name) VALUES ($1, 'without a limit')`, [accountId])
  const ask = (pool: Pool, keys: string[]) =>
    Promise.all(
      keys.map((key) =>
        storeJob(pool, {
          ...{ id: randomUUID(), accountId, kind: 'image', request: image('ships'), price: 1 },
          ...{ idempotencyKey: key, digest: Buffer.from(key) },
        }),
      ),
    )
  const { connectionString } = stage.pool.options
  const name = 'of this test'
  const processes = [0, 1].map(() => new Pool({ connectionString, max: 4, application_name: name }))
  const [one, other] = processes as [Pool, Pool]
  const seen = async (where: string) =>
    (await stage.pool.query(`SELECT FROM pg_stat_activity WHERE application_name = $1 AND ${where}`, [name]))
      .rowCount
  const held = await stage.pool.connect()
  // Who comes first waits in the midst of its jobs, until the other waits as well.
  await held.query('BEGIN')
  await held.query(
    `INSERT INTO generation_job (id, account_id, kind, request, price, idempotency_key, request_digest)
     VALUES ($1, $2, 'image', '{}', 1, 'm', '')`,
    [randomUUID(), accountId],
  )
  const first = ask(one, ['z', 'm', 'a'])
  await expect.poll(() => seen(`wait_event_type = 'Lock'`)).toBe(1)
  const second = ask(other, ['a', 'z'])
  await expect.poll(() => seen(`wait_event_type = 'Lock'`)).toBe(2)
  await held.query('ROLLBACK')
  held.release()
  expect((await first).map(({ outcome }) => outcome)).toEqual(['made', 'made', 'made'])
  expect((await second).map(({ outcome }) => outcome)).toEqual(['known', 'known'])
  // A connection hands in what it has counted when it ends.
  for (const pool of processes) await pool.end()
  await expect.poll(() => seen('true')).toBe(0)
  const { rows } = await stage.pool.query(
    'SELECT deadlocks::int FROM pg_stat_database WHERE datname = current_database()',
  )
  expect(rows).toEqual([{ deadlocks: 0 }])
})
