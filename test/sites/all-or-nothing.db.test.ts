import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { csrfState } from '../../src/connect/links.ts'
import { createToken } from '../../src/secrets/keyring.ts'
import { storeDeliveries } from '../bulk/stage.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, startHostileSite } from '../support/hostile-site.ts'
import { importCsv } from './run-import.ts'

// What waits for another password, key or address goes on with it. Where that cannot be stored, neither is the password.

const body = { username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' }
const NEW = 'mnopQRST5678mnopQRST5678'
let app: TestApp
let site: HostileSite
beforeAll(async () => {
  app = await startApp()
  site = await startHostileSite()
})
afterAll(async () => {
  await app.stop()
  await site.close()
})
afterEach(async () => {
  await mend()
  await app.database.prisma.delivery.deleteMany()
  await app.database.prisma.site.deleteMany()
})

/** From now on no delivery can be changed. */
const fail = () =>
  app.database.pool.query(
    `CREATE FUNCTION fail() RETURNS trigger AS $$ BEGIN RAISE EXCEPTION 'broken'; END $$ LANGUAGE plpgsql;
     CREATE TRIGGER fail BEFORE UPDATE ON delivery FOR EACH ROW EXECUTE FUNCTION fail()`,
  )
const mend = () =>
  app.database.pool.query('DROP TRIGGER IF EXISTS fail ON delivery; DROP FUNCTION IF EXISTS fail')

/** A connected site, and a delivery that waits for another password. */
async function waiting() {
  const { id } = (await app.ask('POST', '/v1/sites?check=false', { body: { url: site.url, ...body } })).body
  const siteId = id as string
  await storeDeliveries(app, { accountId: app.owner.id, siteId, count: 1, code: 'not_logged_in' })
  await app.database.pool.query(`UPDATE site SET trouble = '{"code": "not_logged_in", "message": "No."}'`)
  return siteId
}

const stored = async () => (await app.database.prisma.site.findMany())[0]
const statuses = async () => (await app.database.prisma.delivery.findMany()).map(({ status }) => status)

test('a password is not changed where what waits for it cannot be started', async () => {
  const id = await waiting()
  const before = await stored()
  await fail()
  const change = () => app.ask('PATCH', `/v1/sites/${id}`, { body: { application_password: NEW } })
  expect((await change()).status).toBe(500)
  expect(await stored()).toEqual(before)
  await mend()
  expect(await change()).toMatchObject({ status: 200, body: { data: { state: 'unchecked' } } })
  expect(await statuses()).toEqual(['queued'])
})

test('a site is not connected again where what was held for it cannot be started', async () => {
  const id = await waiting()
  await app.ask('DELETE', `/v1/sites/${id}`)
  await fail()
  const connect = () => app.ask('POST', '/v1/sites?check=false', { body: { id, url: site.url, ...body } })
  expect((await connect()).status).toBe(500)
  expect(await stored()).toBeUndefined()
  await mend()
  expect(await connect()).toMatchObject({ status: 201, body: { id } })
  expect(await statuses()).toEqual(['queued'])
})

test('a line of a file connects no site where what was held for it cannot be started', async () => {
  const id = await waiting()
  await app.ask('DELETE', `/v1/sites/${id}`)
  await fail()
  const csv = `id,url,username,application_password\n${id},${site.url},${body.username},${body.application_password}`
  const send = () => importCsv(app, csv)
  expect(await send()).toMatchObject([{ status: 'refused', error: { code: 'INTERNAL' } }])
  expect(await stored()).toBeUndefined()
  await mend()
  expect(await send()).toMatchObject([{ status: 'connected', id }])
  expect(await statuses()).toEqual(['queued'])
})

test('a connect link is not used up where what waits for its site cannot be started', async () => {
  await waiting()
  const before = await stored()
  const { data } = (await app.ask('POST', '/v1/connect-links', { body: { url: site.url } })).body
  const token = data.link.slice(-48)
  const nonce = createToken()
  const query = new URLSearchParams({ state: csrfState(token, nonce), user_login: 'ed', password: NEW })
  const answer = async () => {
    const headers = { cookie: `galley_connect=${nonce}` }
    const approved = `${app.url}/connect/${token}/approved?${query}`
    return (await fetch(approved, { redirect: 'manual', headers })).headers.get('location')
  }
  await fail()
  expect(await answer()).toMatch(/\/failed$/)
  expect(await stored()).toEqual(before)
  expect((await app.ask('GET', `/v1/connect-links/${data.id}`)).body.data.status).toBe('open')
  await mend()
  // WordPress makes another password for the next approval.
  query.set('password', NEW.toLowerCase())
  expect(await answer()).toMatch(/\/connected\?/)
  expect(await statuses()).toEqual(['queued'])
})

test('the key of an upstream is not changed where what it refused cannot be started', async () => {
  const siteId = await waiting()
  const [delivery] = await storeDeliveries(app, {
    ...{ accountId: app.owner.id, siteId, count: 1 },
    code: 'upstream_refused',
  })
  const event = await app.database.prisma.event.findFirstOrThrow({
    where: { documentId: delivery as string },
  })
  const { sourceId: id } = event
  const change = (key: string) =>
    app.ask('PATCH', `/v1/sources/${id}`, {
      body: { upstream_base_url: 'https://upstream.example', upstream_api_key: key },
    })
  const key = async () =>
    (await app.database.prisma.source.findUniqueOrThrow({ where: { id } })).upstreamApiKey
  await fail()
  expect((await change('first')).status).toBe(500)
  expect(await key()).toBeNull()
  await mend()
  expect((await change('second')).status).toBe(200)
  expect(await key()).not.toBeNull()
  expect((await statuses()).sort()).toEqual(['held', 'queued'])
})

test('however many an upstream refused, a statement starts some of them, and a job the others', async () => {
  const siteId = await waiting()
  const [delivery] = await storeDeliveries(app, {
    ...{ accountId: app.owner.id, siteId, count: 2_500 },
    code: 'upstream_refused',
  })
  const event = await app.database.prisma.event.findFirstOrThrow({
    where: { documentId: delivery as string },
  })
  const body = { upstream_base_url: 'https://upstream.example', upstream_api_key: 'another' }
  expect((await app.ask('PATCH', `/v1/sources/${event.sourceId}`, { body })).status).toBe(200)
  const { rows } = await app.database.pool.query(
    `SELECT count(*)::int AS n FROM delivery_step WHERE detail LIKE 'the upstream of its source%' GROUP BY at ORDER BY n`,
  )
  expect(rows).toEqual([{ n: 2_000 }])
  const jobs = await app.database.pool.query(
    `SELECT key FROM graphile_worker.jobs WHERE key LIKE 'resume_source%'`,
  )
  expect(jobs.rows).toEqual([{ key: `resume_source:${event.sourceId}` }])
})
