import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createByteBudget } from '../../src/bytes/budget.ts'
import type { Endpoint } from '../../src/http/endpoint.ts'
import { siteEndpoints } from '../../src/http/routers/sites.ts'
import type { Services } from '../../src/http/services.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { connectionOf } from '../../src/sites/connection.ts'
import { checkSite } from '../../src/sites/health/check-site.ts'
import { requireSite } from '../../src/sites/health/load-site.ts'
import { type Answered, startApp, type TestApp } from '../http/app.ts'
import {
  type Falsification,
  type HostileSite,
  type Json,
  RawResponse,
  startHostileSite,
} from '../support/hostile-site.ts'

// What is tried on a site takes seconds, and somebody else may change the site meanwhile.

const credentials = { username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' }
const NEW_PASSWORD = 'mnop QRST 5678 mnop QRST 5678'
let app: TestApp
let site: HostileSite
let other: HostileSite
beforeAll(async () => {
  app = await startApp()
  site = await startHostileSite()
  other = await startHostileSite()
})
afterAll(async () => {
  await app.stop()
  await site.close()
  await other.close()
})
afterEach(async () => {
  site.lie({})
  await app.database.prisma.site.deleteMany()
})

const register = async (): Promise<string> =>
  (await app.ask('POST', '/v1/sites?check=false', { body: { url: site.url, ...credentials } })).body.id
const change = (id: string, body: object) => app.ask('PATCH', `/v1/sites/${id}`, { body })

/** Does `first`, and `second` while the site has not answered the first on this route. */
async function meanwhile(
  route: string,
  first: () => Promise<Answered>,
  second: () => Promise<Answered>,
  lies: Record<string, Falsification> = {},
): Promise<Answered> {
  let asked = false
  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  site.lie({
    ...lies,
    [route]: async (answer: Json) => {
      if (!asked) {
        asked = true
        await held
      }
      return answer
    },
  })
  const answered = first()
  await expect.poll(() => asked).toBe(true)
  expect(await second()).toMatchObject({ status: 200 })
  go()
  return answered
}

const changed = { status: 409, body: { error: { code: 'SITE_CHANGED' } } }

async function stored() {
  const [row] = await app.database.prisma.site.findMany()
  return row && connectionOf(app.keyring, row)
}

test('a change of the user does not bring back the password that another change has replaced', async () => {
  const id = await register()
  const answer = await meanwhile(
    'users/me',
    () => change(id, { username: 'ann' }),
    () => change(id, { application_password: NEW_PASSWORD }),
  )
  expect(answer).toMatchObject(changed)
  expect(await stored()).toMatchObject({ username: 'ed', applicationPassword: NEW_PASSWORD })
})

test('a new password does not bring back the address that another change has replaced', async () => {
  const id = await register()
  const answer = await meanwhile(
    'users/me',
    () => change(id, { application_password: 'never used of this' }),
    () => change(id, { url: other.url, application_password: NEW_PASSWORD }),
  )
  expect(answer).toMatchObject(changed)
  expect(await stored()).toMatchObject({
    restRoot: `${other.url}/wp-json/`,
    applicationPassword: NEW_PASSWORD,
  })
})

test('of two whole connections the later one stays', async () => {
  const id = await register()
  const whole = { url: site.url, username: 'ann', application_password: 'given as a whole' }
  const answer = await meanwhile(
    'users/me',
    () => change(id, whole),
    () => change(id, { application_password: NEW_PASSWORD }),
  )
  expect(answer).toMatchObject({ status: 200 })
  expect(await stored()).toMatchObject({ username: 'ann', applicationPassword: 'given as a whole' })
})

test('a site is not removed with a password that nobody has revoked', async () => {
  const id = await register()
  const answer = await meanwhile(
    'revoke',
    () => app.ask('DELETE', `/v1/sites/${id}?revoke=true`),
    () => change(id, { application_password: NEW_PASSWORD }),
  )
  expect(answer).toMatchObject(changed)
  expect(await stored()).toMatchObject({ applicationPassword: NEW_PASSWORD })
  site.lie({})
  expect(await app.ask('DELETE', `/v1/sites/${id}?revoke=true`)).toMatchObject({ status: 200 })
})

test('a report is about the site as it is connected, and not as it was when the doctor came', async () => {
  const id = await register()
  const answer = await meanwhile(
    'types',
    () => app.ask('POST', `/v1/sites/${id}/check`),
    () => change(id, { url: other.url, application_password: NEW_PASSWORD }),
    { index: (index) => ({ ...index, home: 'https://before.example' }) },
  )
  expect(answer.status).toBe(200)
  expect(JSON.stringify(answer.body)).not.toContain('before.example')
  const { body } = await app.ask('GET', `/v1/sites/${id}`)
  expect(body.data.report).toEqual(answer.body.data)
})

/** Answers that are as long are read within the budget of memory. */
const LONG = 'x'.repeat(200_000)

/** A check as another process makes it. */
async function checkElsewhere(id: string, budget = createByteBudget()) {
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test', budget })
  try {
    return await checkSite(
      { ...app.database, keyring: app.keyring, outbound },
      { accountId: app.owner.id, id },
    )
  } finally {
    await outbound.close()
  }
}

test('a check that began before another and ends after it does not replace its report', async () => {
  const id = await register()
  let asked = false
  let go = () => {}
  const held = new Promise<void>((resolve) => {
    go = resolve
  })
  site.lie({
    types: async (answer) => {
      asked = true
      await held
      return answer
    },
  })
  const earlier = checkElsewhere(id)
  await expect.poll(() => asked).toBe(true)
  site.lie({})
  const { body } = await app.ask('POST', `/v1/sites/${id}/check`)
  go()
  const { report } = await earlier
  expect(Date.parse(report.checked_at)).toBeLessThan(Date.parse(body.data.checked_at))
  expect((await app.ask('GET', `/v1/sites/${id}`)).body.data.report).toEqual(body.data)
})

test('a check that meets a single lost answer is made again, and does not call for the owner', async () => {
  const id = await register()
  let lost = 0
  site.lie({
    index(index) {
      lost += 1
      if (lost === 1) throw new Error('the connection is lost')
      return index
    },
  })
  const { body } = await app.ask('POST', `/v1/sites/${id}/check`)
  expect(body.data.level).toBe('warning')
  expect((await app.ask('GET', `/v1/sites/${id}`)).body.data).toMatchObject({ state: 'working' })
})

test('a check that finds no room in memory says nothing of the site', async () => {
  const id = await register()
  site.lie({ index: (index) => ({ ...index, description: LONG }) })
  const budget = createByteBudget(undefined, { waitMs: 50 })
  const others = await budget.answers.take(budget.answers.size)
  await expect(checkElsewhere(id, budget)).rejects.toMatchObject({ code: 'memory_busy', fault: 'galley' })
  others.release()
  expect((await app.ask('GET', `/v1/sites/${id}`)).body.data).toMatchObject({
    state: 'unchecked',
    report: null,
  })
})

test('a site is connected where its first check finds no room in memory, and a job makes it', async () => {
  const { pool, prisma } = app.database
  site.lie({
    index: async (index) => ((await prisma.site.count()) === 0 ? index : { ...index, description: LONG }),
  })
  const budget = createByteBudget(undefined, { waitMs: 50 })
  const others = await budget.answers.take(budget.answers.size)
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test', budget })
  const services = { database: app.database, keyring: app.keyring, outbound } as Services
  const calls = siteEndpoints(services)
  const connect = calls.find(({ operationId }) => operationId === 'connectSite') as Endpoint
  const { body } = (await connect.run({
    caller: { accountId: app.owner.id, keyId: '', role: 'owner', siteIds: null, labels: [] },
    ...{ params: {}, query: {}, headers: {}, body: { url: site.url, ...credentials } },
    ...{ gone: new AbortController().signal, hold: () => undefined },
  })) as { body: Json }
  expect(body.data).toMatchObject({ state: 'unchecked', report: null })
  const { rowCount } = await pool.query(`SELECT FROM graphile_worker.jobs WHERE key = $1`, [
    `check_site:${app.owner.id}:${body.data.id}`,
  ])
  expect(rowCount).toBe(1)
  others.release()
  await outbound.close()
})

test('a failure of the first check that may have been a hiccup is looked at once more', async () => {
  const { prisma } = app.database
  let failures = 0
  site.lie({
    index: async (index) => {
      if (failures > 0 || (await prisma.site.count()) === 0) return index
      failures += 1
      return new RawResponse(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' })
    },
  })
  const { body } = await app.ask('POST', '/v1/sites', { body: { url: site.url, ...credentials } })
  expect(failures).toBe(1)
  expect(body.data.report.findings.filter(({ seen }: Json) => /502/.test(String(seen)))).toEqual([])
})

test('what a check saw before an outage is no news after it, and deliveries go by it meanwhile', async () => {
  const id = await register()
  const { id: accountId } = app.owner
  const body = { name: 'Desk', url: 'https://desk.example/', events: ['site.regression'] }
  expect((await app.ask('POST', '/v1/receivers', { body })).status).toBe(201)
  const callsItself = (home: string) => ({ index: (index: Json) => ({ ...index, home }) })
  site.lie(callsItself('https://blog.example'))
  const { report } = await checkElsewhere(id)
  expect(report.level).toBe('warning')
  const abilities = async () => {
    const found = await requireSite(
      { ...app, pool: app.database.pool, outbound: createOutbound({ allowPrivate: [], userAgent: 'x' }) },
      { accountId, id },
    )
    const { wordpressVersion, addresses } = found.open()
    return { wordpressVersion, addresses }
  }
  const before = await abilities()
  expect(before).toMatchObject({
    wordpressVersion: '6.8',
    addresses: expect.arrayContaining(['https://blog.example/']),
  })
  const down = new RawResponse(502, '<h1>Bad Gateway</h1>', { 'content-type': 'text/html' })
  site.lie({ index: () => down, 'users/me': () => down })
  for (const _ of ['once', 'twice'])
    expect((await checkElsewhere(id)).failure).toMatchObject({ code: 'gateway_error' })
  expect(await abilities()).toEqual(before)
  site.lie(callsItself('https://blog.example'))
  const after = await checkElsewhere(id)
  expect(after.report.findings.filter(({ changed }) => changed)).toEqual([])
  expect(await app.database.prisma.notification.findMany({ where: { accountId } })).toEqual([])
})

test('a check that the end of the process cuts off says nothing of the site', async () => {
  const id = await register()
  const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  const { id: accountId } = app.owner
  let asked = () => {}
  const begun = new Promise<void>((resolve) => {
    asked = resolve
  })
  site.lie({ types: () => new Promise(() => asked()) })
  const checked = checkSite({ ...app.database, keyring: app.keyring, outbound }, { accountId, id })
  const ended = expect(checked).rejects.toMatchObject({ code: 'request_aborted', fault: 'galley' })
  await begun
  await outbound.close()
  await ended
  expect((await app.ask('GET', `/v1/sites/${id}`)).body.data).toMatchObject({
    state: 'unchecked',
    report: null,
  })
})
