import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { inTransaction } from '../../src/database/transaction.ts'
import { claimNext, claimSolo } from '../../src/delivery/ledger/claim.ts'
import { pauseSite, resumeSite } from '../../src/delivery/ledger/outage.ts'
import { GalleyError } from '../../src/errors.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'

let database: FreshDatabase
let pool: Pool
let galley: TestGalley
let sites: Sites
let webhook: string
let siteId: string
let accountId: string

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  sites = await startSites(1, () => undefined)
  const secretKeys = generateSecretKey()
  galley = await startTestGalley({ secretKeys }, database, quickTiming)
  webhook = await webhookPath(galley)
  ;[siteId] = (await addSites(pool, secretKeys, [{ url: sites.urls[0] as string }])) as [string]
  accountId = (await pool.query('SELECT id FROM account')).rows[0].id
})
afterAll(async () => {
  await galley.stop()
  sites.close()
  await pool.end()
  await database.drop()
})

afterEach(() => vi.useRealTimers())

const send = async (): Promise<string> => {
  const event = completed({ siteId })
  expect(await galley.call('POST', webhook, event)).toMatchObject({ status: 202 })
  return event.id
}
const delivery = async (documentId: string) =>
  (await galley.call<{ data: object[] }>('GET', `/v1/deliveries?document_id=${documentId}`)).body.data[0]

test('a site that is paused by hand is sent nothing, also when its outage ends, until it is resumed', async () => {
  expect(await settled(galley, await send())).toMatchObject({ status: 'delivered' })
  const paused = await galley.call('POST', `/v1/sites/${siteId}/pause`, { reason: 'It moves house' })
  expect(paused).toMatchObject({
    status: 200,
    body: { data: { state: 'paused', stopped: { reason: 'It moves house' } } },
  })
  const waiting = await send()
  // Its job has run, and found nothing that it may claim.
  const jobs = () => pool.query(`SELECT FROM graphile_worker.jobs WHERE key LIKE 'site_worker:%'`)
  await expect.poll(async () => (await jobs()).rowCount).toBe(0)
  await pool.query(`UPDATE site SET trouble = '{"code": "unreachable", "message": ""}', paused_until = now()`)
  await resumeSite(pool, { accountId, id: siteId })
  const request = { siteId, accountId, worker: 'a test', leaseS: 60 }
  expect(await claimNext(pool, request)).toEqual([])
  await pool.query(`UPDATE delivery SET crashed = '{1,2}' WHERE document_id = $1`, [waiting])
  expect(await claimSolo(pool, request)).toBeNull()
  await pool.query(`UPDATE delivery SET crashed = '{}' WHERE document_id = $1`, [waiting])
  expect(await delivery(waiting)).toMatchObject({ status: 'waiting', next_attempt_at: null })

  const resumed = await galley.call('POST', `/v1/sites/${siteId}/resume`)
  expect(resumed).toMatchObject({ status: 200, body: { data: { stopped: null } } })
  expect(await settled(galley, waiting)).toMatchObject({ status: 'delivered' })
})

test('pausing twice keeps its first moment and takes the newer reason; resuming ends no outage', async () => {
  const pause = (reason?: string) =>
    galley.call<{ data: { stopped: { at: string } } }>(
      'POST',
      `/v1/sites/${siteId}/pause`,
      reason && { reason },
    )
  const { at } = (await pause()).body.data.stopped
  expect(await pause('Because')).toMatchObject({ body: { data: { stopped: { at, reason: 'Because' } } } })
  await pool.query(`UPDATE site SET trouble = '{"code": "password_wrong", "message": "Wrong."}'`)
  const resumed = await galley.call('POST', `/v1/sites/${siteId}/resume`)
  expect(resumed).toMatchObject({ body: { data: { state: 'needs_owner', stopped: null } } })
})

test('a pause that is over by the clock of the database is over, whatever that of the process says', async () => {
  await pool.query(
    `UPDATE site SET trouble = '{"code": "unreachable", "message": ""}', trouble_count = 1, paused_until = now(), stopped_at = NULL`,
  )
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() - 3 * 3_600_000 })
  expect(await settled(galley, await send())).toMatchObject({ status: 'delivered' })
})

test('a site that fails rests for half a minute at most, after ten minutes for longer, and as long as it asks for', async () => {
  const restMs = async (failures: number, ageS: number, retryAfterMs?: number) => {
    const failure = new GalleyError({
      code: 'site_error',
      message: 'It is down.',
      fault: 'site',
      retryAfterMs,
    })
    // In one transaction, so that nobody asks the site between the two statements.
    const { rows } = await inTransaction(pool, async (database) => {
      await database.query(
        `UPDATE site SET trouble_count = $1, trouble = '{"code": "site_error", "message": ""}',
           paused_until = now() - interval '1 second',
           trouble_since = now() - make_interval(secs => $2)`,
        [failures - 1, ageS],
      )
      await pauseSite({ database, timing: { firstPauseMs: 5_000 } }, { accountId, id: siteId }, failure)
      return database.query<{ rest: number; count: number }>(
        'SELECT (extract(epoch FROM paused_until - now()) * 1000)::float8 AS rest, trouble_count AS count FROM site',
      )
    })
    expect(rows[0]?.count).toBe(failures)
    return Math.round(rows[0]?.rest ?? 0)
  }
  for (const [failures, ageS, least, requested] of [
    [1, 0, 5_000],
    [2, 5, 10_000],
    [3, 15, 20_000],
    [3, 15, 120_000, 120_000],
    [4, 35, 30_000],
    [20, 599, 30_000],
    [21, 601, 120_000],
    [100, 86_400, 900_000],
  ] as const) {
    const rest = await restMs(failures, ageS, requested)
    expect(rest).toBeGreaterThanOrEqual(least)
    // up to a tenth by chance, and what passed between the two statements
    expect(rest).toBeLessThanOrEqual(least * 1.1 + 1_000)
  }
})
