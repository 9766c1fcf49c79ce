import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { inTransaction } from '../../src/database/transaction.ts'
import {
  addJob,
  createTask,
  defineJob,
  enqueue,
  enqueueMany,
  isQueuedOrRunning,
  isReadyInQueue,
} from '../../src/jobs/job.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const water = defineJob({
  name: 'water',
  payload: z.object({ plant: z.string(), litres: z.int().default(1) }),
  queue: ({ plant }) => `('garden:' || ${plant})`,
  key: ({ plant }) => `('water:' || ${plant})`,
  keepsPlace: true,
  maxAttempts: 3,
})

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

const queued = async (plant: string) => {
  const { rows } = await pool.query(
    `SELECT j.task_identifier, j.queue_name, j.max_attempts, p.payload, j.run_at > now() AS later
     FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p USING (id) WHERE j.key = 'water:' || $1`,
    [plant],
  )
  return rows
}

const stands = async (condition: string, plant: string): Promise<boolean> =>
  (await pool.query(`SELECT ${condition} AS stands`, [plant])).rows[0].stands

test('a job is added with all that its kind says', async () => {
  await enqueue(pool, water, { plant: 'rose', litres: 2 })
  expect(await queued('rose')).toEqual([
    {
      task_identifier: 'water',
      queue_name: 'garden:rose',
      max_attempts: 3,
      payload: { plant: 'rose', litres: 2 },
      later: false,
    },
  ])
})

test('a job that is added in a transaction is undone with it', async () => {
  const undone = inTransaction(pool, async (transaction) => {
    await enqueue(transaction, water, { plant: 'fern' })
    throw new Error('undone')
  })
  await expect(undone).rejects.toThrow('undone')
  expect(await queued('fern')).toEqual([])
})

test('a statement adds the same job as a call does', async () => {
  await pool.query(`SELECT ${addJob(water, { plant: '$1::text', litres: '2' })}`, ['lily'])
  await enqueue(pool, water, { plant: 'oak', litres: 2 })
  const [lily, oak] = [(await queued('lily'))[0], (await queued('oak'))[0]]
  expect({ ...lily, payload: { ...lily.payload, plant: 'oak' }, queue_name: 'garden:oak' }).toEqual(oak)
})

test('many jobs are each added as one is', async () => {
  const plants = Array.from({ length: 2_500 }, (_, number) => `moss ${number}`)
  await enqueueMany(
    pool,
    water,
    plants.map((plant) => ({ plant, litres: 2 })),
  )
  await enqueue(pool, water, { plant: 'fir', litres: 2 })
  const { rows } = await pool.query(`SELECT FROM graphile_worker.jobs WHERE key LIKE 'water:moss %'`)
  expect(rows).toHaveLength(plants.length)
  const [last, fir] = [(await queued('moss 2499'))[0], (await queued('fir'))[0]]
  expect({ ...last, payload: { ...last.payload, plant: 'fir' }, queue_name: 'garden:fir' }).toEqual(fir)
  await enqueueMany(pool, water, [])
})

test('of one key one job waits, and keeps its time', async () => {
  await enqueue(pool, water, { plant: 'elm' }, 60_000)
  await enqueue(pool, water, { plant: 'elm' })
  expect(await queued('elm')).toMatchObject([{ later: true }])
})

test('a job that is to run later is planned, and does not wait', async () => {
  const fields = { plant: '$1::text' }
  expect(await stands(isQueuedOrRunning(water, fields), 'ash')).toBe(false)
  await enqueue(pool, water, { plant: 'ash' }, 60_000)
  expect(await stands(isQueuedOrRunning(water, fields), 'ash')).toBe(true)
  expect(await stands(isReadyInQueue(water, fields), 'ash')).toBe(false)
  await enqueue(pool, water, { plant: 'yew' })
  expect(await stands(isReadyInQueue(water, fields), 'yew')).toBe(true)
})

test('a task sees its payload read by the schema, and is not run with another', async () => {
  const seen: unknown[] = []
  const { run } = createTask(water, async (payload) => {
    seen.push(payload)
  })
  await run({ plant: 'rose' })
  await expect(run({ plant: 7 })).rejects.toThrow()
  expect(seen).toEqual([{ plant: 'rose', litres: 1 }])
})
