import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { documentMarker } from '../../src/delivery/ledger/ownership.ts'
import { type OrphanContext, reconcileOrphans } from '../../src/delivery/maintenance/orphans.ts'
import { createLog } from '../../src/log/log.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { quickTiming } from './stage/timing.ts'

// How long, and in which queue, it is looked for what a site finished late.

let database: FreshDatabase
let pool: Pool
const accountId = randomUUID()

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'test')`, [accountId])
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

/** A delivery that rests, of which a request was lost. */
async function suspect(): Promise<{ deliveryId: string; documentId: string }> {
  const [deliveryId, documentId] = [randomUUID(), randomUUID()]
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, post_id, post_type, ambiguous_at)
     VALUES ($1, $2, $3, $4, $4, 'delivered', 7, 'posts', now())`,
    [deliveryId, accountId, randomUUID(), documentId],
  )
  return { deliveryId, documentId }
}

const contextWith = (siteOf: OrphanContext['siteOf']): OrphanContext => ({
  pool,
  log: createLog({ logLevel: 'silent' }),
  timing: { ...quickTiming, orphansAfterMs: 60_000 },
  siteOf,
})

const resting = () => contextWith(async () => 'rests')

const queued = async (deliveryId: string) => {
  const { rows } = await pool.query(
    `SELECT j.queue_name, p.payload, extract(epoch FROM j.run_at - now())::int AS seconds
     FROM graphile_worker.jobs j JOIN graphile_worker._private_jobs p USING (id) WHERE j.key = 'reconcile_orphans:' || $1`,
    [deliveryId],
  )
  return rows
}

test('a site that is paused is asked nothing: it is looked at later, in a queue that is no site’s', async () => {
  const { deliveryId } = await suspect()
  await reconcileOrphans(resting(), { deliveryId, tries: 2 })
  const [job] = await queued(deliveryId)
  expect(job.payload).toEqual({ deliveryId, tries: 3 })
  expect(job.queue_name).toMatch(/^reconcile_orphans:\d+$/)
  // 60 s, doubled three times; some of it may have passed already
  expect(job.seconds).toBeGreaterThan(300)
  expect(job.seconds).toBeLessThanOrEqual(480)
})

test('a site that is not connected may be again: it is looked at later, and in the end its timeline says why it was not', async () => {
  const { deliveryId } = await suspect()
  const gone = contextWith(async () => null)
  await reconcileOrphans(gone, { deliveryId, tries: 0 })
  expect((await queued(deliveryId))[0]?.payload).toEqual({ deliveryId, tries: 1 })
  await reconcileOrphans(gone, { deliveryId, tries: 7 })
  const { rows } = await pool.query('SELECT detail FROM delivery_step WHERE delivery_id = $1', [deliveryId])
  expect(rows).toEqual([{ detail: expect.stringContaining('the site is no longer connected; there may be') }])
})

test('after the last try it is left to people, and the timeline says what to look for', async () => {
  const { deliveryId, documentId } = await suspect()
  await reconcileOrphans(resting(), { deliveryId, tries: 7 })
  expect(await queued(deliveryId)).toEqual([])
  const { rows } = await pool.query(
    'SELECT step, outcome, detail FROM delivery_step WHERE delivery_id = $1',
    [deliveryId],
  )
  expect(rows).toEqual([
    { step: 'orphans', outcome: 'given_up', detail: expect.stringContaining(documentMarker(documentId)) },
  ])
})
