import { pino } from 'pino'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { claimDueDocument } from '../../src/backfill/work.ts'
import { bulkWork, runBulk } from '../../src/bulk/run.ts'
import { csrfState } from '../../src/connect/links.ts'
import { resumeLockedSite } from '../../src/delivery/ledger/outage.ts'
import type { Heartbeat } from '../../src/jobs/heartbeat.ts'
import type { RoomWork } from '../../src/jobs/job.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { createToken } from '../../src/secrets/keyring.ts'
import { importWork } from '../../src/sites/import-job/work.ts'
import { storeDeliveries } from '../bulk/stage.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, startHostileSite } from '../support/hostile-site.ts'

// An account is disabled while something long is under way for it. That waits, as its deliveries do, and nothing of it is lost.

let app: TestApp
let site: HostileSite
let outbound: ReturnType<typeof createOutbound>
beforeAll(async () => {
  app = await startApp()
  site = await startHostileSite()
  outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
})
afterAll(async () => {
  await outbound.close()
  await site.close()
  await app.stop()
})
afterEach(async () => {
  await disabled(false)
  await app.database.prisma.delivery.deleteMany()
  await app.database.prisma.site.deleteMany()
})

const disabled = (is: boolean) =>
  app.database.prisma.account.update({
    where: { id: app.owner.id },
    data: { disabledAt: is ? new Date() : null },
  })

const going = new AbortController().signal
const needs = () => ({
  ...app.database,
  ...{ keyring: app.keyring, outbound, publicUrl: app.url, log: pino({ level: 'silent' }), retentionDays: 0 },
  resume: resumeLockedSite,
})
const process = { heartbeat: new Promise<Heartbeat>(() => undefined), stopping: going }

const password = 'abcd EFGH 1234 abcd EFGH 1234'
const connect = async () =>
  (
    await app.ask('POST', '/v1/sites?check=false', {
      body: { url: site.url, username: 'ed', application_password: password },
    })
  ).body.id as string

const known = async (key: string) =>
  (await app.database.pool.query('SELECT FROM graphile_worker.jobs WHERE key = $1', [key])).rowCount

/** The job has been done as far as it goes: the queue knows it no more. */
const forget = () =>
  app.database.pool.query('SELECT graphile_worker.complete_jobs(array_agg(id)) FROM graphile_worker.jobs')

/** Does the first task of some work while the account is disabled, and again when the sweep has planned it once more. */
async function waitsAndGoesOn(work: RoomWork, key: string, told: object, isUntouched: () => Promise<void>) {
  await disabled(true)
  await work.tasks[0]?.run({ ...told, accountId: app.owner.id })
  await forget()
  await work.sweep?.rarely?.[0]?.()
  expect(await known(key)).toBe(0)
  await isUntouched()
  await disabled(false)
  await work.sweep?.rarely?.[0]?.()
  expect(await known(key)).toBe(1)
  await work.tasks[0]?.run({ ...told, accountId: app.owner.id })
}

test('a bulk job waits between two batches', async () => {
  const siteId = await connect()
  await storeDeliveries(app, { accountId: app.owner.id, siteId, count: 70 })
  const started = await app.ask('POST', '/v1/bulk', {
    body: { action: 'cancel', filter: { site_id: siteId } },
  })
  const { id } = started.body
  const read = () => app.database.prisma.bulkJob.findUniqueOrThrow({ where: { id } })
  while ((await read()).status === 'collecting' || (await read()).done === 0)
    await runBulk(needs(), id, going, 0)
  expect(await read()).toMatchObject({ done: 50, endedAt: null })
  await waitsAndGoesOn(bulkWork(needs())(process), `bulk:${id}`, { bulkId: id }, async () => {
    expect(await read()).toMatchObject({ done: 50, endedAt: null })
  })
  expect(await read()).toMatchObject({ status: 'done', done: 70 })
})

test('an import connects no further site', async () => {
  const csv = `url,username,application_password\n${site.url},ed,${password}`
  const { body } = await app.ask('POST', '/v1/imports', {
    body: csv,
    headers: { 'content-type': 'text/csv' },
  })
  const work = importWork(needs())(process)
  await waitsAndGoesOn(work, `import:${body.id}`, { importId: body.id }, async () => {
    expect(await app.database.prisma.site.count()).toBe(0)
  })
  expect((await app.ask('GET', `/v1/imports/${body.id}`)).body.data).toMatchObject({
    status: 'done',
    connected: 1,
  })
})

test('the upstream of a source is not asked for documents', async () => {
  const source = await app.ask('POST', '/v1/sources', {
    body: { name: 'Maker', upstream_base_url: 'https://upstream.example', upstream_api_key: 'a key' },
  })
  const asked = { accountId: app.owner.id, id: source.body.id as string }
  await app.ask('POST', `/v1/sources/${asked.id}/backfill`, { body: { document_ids: [crypto.randomUUID()] } })
  await disabled(true)
  expect(await claimDueDocument(app.database.pool, asked)).toBeNull()
  await disabled(false)
  expect(await claimDueDocument(app.database.pool, asked)).toMatchObject({ tries: 1 })
})

/** The owner approves on WordPress, which makes a password and sends the browser back with it. */
async function approval(): Promise<() => Promise<Response>> {
  const { data } = (await app.ask('POST', '/v1/connect-links', { body: { url: site.url } })).body
  const token = data.link.slice(-48)
  const nonce = createToken()
  const query = new URLSearchParams({ state: csrfState(token, nonce), user_login: 'ed', password })
  site.received.length = 0
  const headers = { cookie: `galley_connect=${nonce}` }
  return () => fetch(`${app.url}/connect/${token}/approved?${query}`, { redirect: 'manual', headers })
}

const expectNothingLeft = async () => {
  expect(await app.database.prisma.site.count()).toBe(0)
  expect(site.received.map(({ method, route }) => `${method} ${route}`)).toContainEqual(
    expect.stringMatching(/^DELETE .*application-passwords/),
  )
}

test('an owner who approves afterwards connects nothing, and the password that was made for it is revoked', async () => {
  const send = await approval()
  await disabled(true)
  expect((await send()).status).toBe(303)
  await expectNothingLeft()
})

test('nor does one whose approval is being tried just then', async () => {
  const send = await approval()
  const answer = send()
  await expect.poll(() => site.received.length, { interval: 1 }).toBeGreaterThan(0)
  await disabled(true)
  expect((await answer).status).toBe(303)
  await expectNothingLeft()
})
