import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { siteWorkerJob } from '../../src/delivery/jobs.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { type DocumentMaker, type FaultDocument, startDocuments } from '../faults/stage/documents.ts'
import { type Lane, openLane } from '../faults/stage/lane.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { answer, restError, tooManyFor } from '../support/proxy/index.ts'
import { removeAll, wordpress } from '../support/wordpress/index.ts'

const identity = { secretKeys: generateSecretKey(), adminKey: createApiKey() }
/** Seconds for which a site asks to be left alone: longer than a restart takes. */
const PAUSE_S = 12

let database: FreshDatabase
let pool: Pool
let documents: DocumentMaker
let galley: TestGalley
const lanes: Lane[] = []

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  documents = await startDocuments()
  galley = await startTestGalley(identity, database, quickTiming)
})

afterAll(async () => {
  await removeAll(documents.word)
  await galley.stop()
  for (const { proxy } of lanes) await proxy.close()
  await documents.close()
  await pool.end()
  await database.drop()
})

async function restart(): Promise<void> {
  await galley.stop()
  galley = await startTestGalley(identity, database, quickTiming)
}

async function lane(): Promise<Lane> {
  const opened = await openLane({ call: galley.call, pool })
  lanes.push(opened)
  return opened
}

async function send(siteId: string): Promise<FaultDocument> {
  const document = documents.make(siteId)
  expect((await galley.call('POST', await webhookPath(galley), document.body)).status).toBe(202)
  return document
}

test('a site that asked for a pause is left alone after a restart too, and then served', async () => {
  const { siteId, proxy } = await lane()
  proxy.rule({}, answer(tooManyFor(String(PAUSE_S))))
  const document = await send(siteId)
  const pausedUntil = async () =>
    (await pool.query<{ paused_until: Date | null }>('SELECT paused_until FROM site WHERE id = $1', [siteId]))
      .rows[0]?.paused_until
  await expect.poll(pausedUntil, { interval: 20 }).not.toBeNull()
  const until = (await pausedUntil()) as Date
  proxy.clear()

  await restart()
  const asked = proxy.requests.length
  expect(await pausedUntil()).toEqual(until)
  await expect.poll(() => proxy.requests.length, { interval: 20 }).toBeGreaterThan(asked)
  expect(Date.now()).toBeGreaterThanOrEqual(until.getTime())
  expect(await settled(galley, document.id)).toMatchObject({ status: 'delivered', attempts: 0 })
})

test('deliveries held for refused credentials stay held over a restart, and go on when the site is connected again', async () => {
  const { siteId, proxy } = await lane()
  proxy.rule({}, answer(restError(401, 'incorrect_password', 'The password is wrong.')))
  const document = await send(siteId)
  const held = { status: 'held', error: { code: 'password_wrong' } }
  expect(await settled(galley, document.id)).toMatchObject(held)
  const asked = proxy.requests.length

  await restart()
  expect(await settled(galley, (await send(siteId)).id)).toMatchObject(held)
  expect(proxy.requests).toHaveLength(asked)
  proxy.clear()
  const { login, applicationPassword } = wordpress().users.editor
  await galley.call('PATCH', `/v1/sites/${siteId}`, {
    username: login,
    application_password: applicationPassword,
  })
  await expect.poll(async () => (await settled(galley, document.id)).status).toBe('delivered')
})

test('a job that the database gave out as it broke down, so that nobody heard of it, is given out again', async () => {
  const { siteId } = await lane()
  await pool.query(
    `SELECT graphile_worker.add_job('site_worker', json_build_object('accountId', account_id, 'siteId', id),
       job_key => ${siteWorkerJob.key?.({ accountId: 'account_id', siteId: 'id' })},
       run_at => now() + interval '1 hour')
     FROM site WHERE id = $1`,
    [siteId],
  )
  const lock =
    'SET locked_at = now(), locked_by = (SELECT id FROM worker_process ORDER BY beat_at DESC LIMIT 1)'
  await pool.query(`UPDATE graphile_worker._private_jobs ${lock} WHERE key LIKE 'site_worker:%:' || $1`, [
    siteId,
  ])
  const document = await send(siteId)
  expect(await settled(galley, document.id)).toMatchObject({ status: 'delivered' })
})
