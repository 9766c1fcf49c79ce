import { randomUUID } from 'node:crypto'
import pMap from 'p-map'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { addOrphanCheck } from '../../src/delivery/jobs.ts'
import { queueSiteWorker } from '../../src/delivery/site-worker/tasks.ts'
import { standardTiming } from '../../src/jobs/heartbeat.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'

/** Simulated sites that answer as quickly as WordPress does: one has a backlog, a fifth will hang, the others are well. */
const SITES = 100
const BACKLOG = 20_000
const [BUSY, FIRST_HANGING, FIRST_HEALTHY] = [0, 1, 21]

/** Longer than a test: a site that hangs is never given up, so that whatever waits for it waits for ever. */
const HANGING_MS = 600_000
const exchangeMs = { read: HANGING_MS, write: HANGING_MS, upload: HANGING_MS }

let database: FreshDatabase
let galley: TestGalley
let pool: Pool
let sites: Sites
let siteIds: string[]
let webhook: string
/** What to call when a document's post has its content. */
const expected = new Map<string, () => void>()

beforeAll(async () => {
  database = await freshDatabase()
  const secretKeys = generateSecretKey()
  galley = await startTestGalley({ secretKeys }, database, { ...standardTiming, exchangeMs })
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  sites = await startSites(SITES, (documentId) => expected.get(documentId)?.())
  siteIds = await addSites(
    pool,
    secretKeys,
    sites.urls.map((url) => ({ url })),
  )
  webhook = await webhookPath(galley)
})

afterAll(async () => {
  sites.close()
  await galley.stop()
  await pool.end()
  await database.drop()
})

async function send(siteId: string, documentId: string = randomUUID()): Promise<void> {
  const { status } = await galley.call('POST', webhook, completed({ id: documentId, siteId }))
  expect(status).toBe(202)
}

/** Sends a document to a site, and resolves when its post has its content. */
async function posted(siteId: string): Promise<void> {
  const documentId = randomUUID()
  const filled = new Promise<void>((resolve) => expected.set(documentId, resolve))
  await send(siteId, documentId)
  await filled
}

/** A document for each healthy site, a few of them at a time. How long they take beside the others: `npm run bench`. */
const healthySitesHaveTheirs = () => pMap(siteIds.slice(FIRST_HEALTHY), posted, { concurrency: 4 })

/** As many documents wait for a site as if each had come by a webhook. */
async function fillBacklog(siteId: string): Promise<void> {
  const body = completed({ id: '{document}', siteId })
  await pool.query(
    `WITH document AS (
       SELECT gen_random_uuid() AS id, gen_random_uuid() AS event_id FROM generate_series(1, $3)
     ), written AS (
       SELECT id, event_id, convert_to(replace($2, '{document}', id::text), 'UTF8') AS body FROM document
     ), stored AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
       SELECT event_id, source.account_id, source.id, 'document.completed', written.id, 'planned', sha256(body), body
       FROM written, source RETURNING id, account_id, document_id
     )
     INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, updated_at)
     SELECT gen_random_uuid(), account_id, $1, document_id, id, 'queued', now(), now() FROM stored`,
    [siteId, JSON.stringify(body), BACKLOG],
  )
  const { rows } = await pool.query('SELECT id AS "accountId" FROM account')
  await queueSiteWorker(pool, { accountId: rows[0].accountId, id: siteId })
}

async function statesOf(siteId: string): Promise<Record<string, number>> {
  const { rows } = await pool.query<{ status: string; n: number }>(
    'SELECT status, count(*)::int AS n FROM delivery WHERE site_id = $1 GROUP BY status',
    [siteId],
  )
  return Object.fromEntries(rows.map(({ status, n }) => [status, n]))
}

/** Resolves when a job of the site that is none of its site worker's has run. */
async function otherJobRuns(siteId: string): Promise<void> {
  const { rows } = await pool.query(
    `SELECT (${addOrphanCheck('id', '0', '0')}).id AS job FROM delivery WHERE site_id = $1 AND status = 'delivered' LIMIT 1`,
    [siteId],
  )
  const left = () => pool.query('SELECT 1 FROM graphile_worker.jobs WHERE id = $1', [rows[0].job])
  await expect.poll(async () => (await left()).rowCount).toBe(0)
}

test('one site with 20,000 waiting documents does not delay the others', async () => {
  const busy = siteIds[BUSY] as string
  await fillBacklog(busy)
  await expect.poll(async () => (await statesOf(busy)).delivered ?? 0).toBeGreaterThan(0)
  const before = (await statesOf(busy)).delivered ?? 0
  await healthySitesHaveTheirs()
  await otherJobRuns(busy)
  const after = await statesOf(busy)
  // The backlog moved meanwhile, and was there to the end.
  expect(after.delivered).toBeGreaterThan(before)
  expect(after.queued).toBeGreaterThan(BACKLOG * 0.9)
  // In the order in which everybody locks them, or this and a heartbeat would wait for each other.
  await pool.query(
    `DELETE FROM delivery WHERE id IN (
       SELECT id FROM delivery WHERE site_id = $1 ORDER BY account_id, site_id, document_id FOR UPDATE)`,
    [busy],
  )
})

test('a fifth of the sites hanging does not delay the others', async () => {
  const hanging = siteIds.slice(FIRST_HANGING, FIRST_HEALTHY)
  sites.hang(hanging.map((_, n) => FIRST_HANGING + n))
  for (const siteId of [...hanging, ...hanging, ...hanging]) await send(siteId)
  const allHang = async () =>
    (await Promise.all(hanging.map(statesOf))).every(({ delivering, delivered }) => delivering && !delivered)
  await expect.poll(allHang).toBe(true)
  await healthySitesHaveTheirs()
  expect(await allHang()).toBe(true)
})
