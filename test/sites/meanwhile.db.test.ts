import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { connectionOf } from '../../src/sites/connection.ts'
import { checkSite } from '../../src/sites/health/check-site.ts'
import { type Answered, startApp, type TestApp } from '../http/app.ts'
import { type Falsification, type HostileSite, type Json, startHostileSite } from '../support/hostile-site.ts'

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
