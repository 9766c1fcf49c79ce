import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { siteWorkerJob } from '../../src/delivery/jobs.ts'
import {
  claimNext,
  claimProbe,
  claimSolo,
  deliveryLeases,
  reclaimDeliveries,
} from '../../src/delivery/ledger/claim.ts'
import { queueDueSites } from '../../src/delivery/site-worker/sweep.ts'
import { siteTasks } from '../../src/delivery/site-worker/tasks.ts'
import { releaseLeases } from '../../src/jobs/leased-work.ts'
import type { FoundSite } from '../../src/sites/health/load-site.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

let database: FreshDatabase
let pool: Pool
const accountId = randomUUID()
let siteId: string
const request = (worker: string) => ({ siteId, accountId, worker, leaseS: 60 })

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'test')`, [accountId])
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

beforeEach(async () => {
  siteId = randomUUID()
  await pool.query('DELETE FROM graphile_worker._private_jobs')
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'test', 'https://example.test', 'https://example.test/wp-json/', 'u', 'p', now())`,
    [siteId, accountId],
  )
})

async function deliver(count: number): Promise<void> {
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
     SELECT id, $1, $2, id, id, 'queued', now() FROM (SELECT gen_random_uuid() AS id FROM generate_series(1, $3)) made`,
    [accountId, siteId, count],
  )
}

const siteJobs = async (): Promise<number> =>
  (
    await pool.query('SELECT FROM graphile_worker.jobs WHERE key = $1', [
      `site_worker:${accountId}:${siteId}`,
    ])
  ).rowCount ?? 0

test('while one process holds deliveries of a site, no other claims of it, but for one that is to be alone', async () => {
  await deliver(3)
  const [held] = await claimNext(pool, request('first'), 1)
  expect(await claimNext(pool, request('second'))).toEqual([])
  expect(await claimProbe(pool, request('second'))).toBeNull()
  expect(await claimNext(pool, request('first'), 1)).toHaveLength(1)
  await pool.query(`UPDATE delivery SET crashed = '{1,2}' WHERE site_id = $1 AND status = 'queued'`, [siteId])
  expect(await claimSolo(pool, request('second'))).not.toBeNull()
  expect(held).toMatchObject({ status: 'delivering' })
})

test('what a process has given back of a site is for any other', async () => {
  await deliver(2)
  const [held] = await claimNext(pool, request('first'), 1)
  await releaseLeases(pool, deliveryLeases, 'first', [held?.id ?? ''])
  expect(await claimNext(pool, request('second'))).toHaveLength(2)
})

test('what is retried after three crashes is held again for another, and not where its process was stopped', async () => {
  await deliver(1)
  await pool.query(`UPDATE delivery SET crashed = '{1,2,3}' WHERE site_id = $1`, [siteId])
  await pool.query(
    `INSERT INTO worker_process (id, beat_at, stopping_at) VALUES ('stopped', now() - interval '1 minute', now())`,
  )
  const statusAfter = async (worker: string) => {
    const claimed = await claimSolo(pool, request(worker))
    await reclaimDeliveries(pool, { deadAfterS: 15, orphansAfterMs: 0 })
    return (await pool.query('SELECT status FROM delivery WHERE id = $1', [claimed?.id])).rows[0]?.status
  }
  expect(await statusAfter('stopped')).toBe('queued')
  expect(await statusAfter('dead')).toBe('held')
})

test('the sweep queues a site that has something due, and not while a process works on it', async () => {
  await deliver(2)
  const [held] = await claimNext(pool, request('first'), 1)
  await queueDueSites(pool)
  expect(await siteJobs()).toBe(0)
  await releaseLeases(pool, deliveryLeases, 'first', [held?.id ?? ''])
  await queueDueSites(pool)
  expect(await siteJobs()).toBe(1)
})

test('a job of a site that this process works on begins nothing, and has the site looked at once more', async () => {
  let looks = 0
  let letGo = () => {}
  const found = new Promise<FoundSite>((resolve) => {
    // Nothing may be sent to it: the site worker ends at once.
    letGo = () => resolve({ readiness: 'resting' } as FoundSite)
  })
  const load = () => {
    looks += 1
    return found
  }
  const tasks = siteTasks({ pool, load } as never, {} as never)
  const task = tasks.find(({ name }) => name === siteWorkerJob.name)
  const first = task?.run({ accountId, siteId })
  await task?.run({ accountId, siteId })
  expect({ looks, jobs: await siteJobs() }).toEqual({ looks: 1, jobs: 0 })
  letGo()
  await first
  expect({ looks, jobs: await siteJobs() }).toEqual({ looks: 1, jobs: 1 })
})
