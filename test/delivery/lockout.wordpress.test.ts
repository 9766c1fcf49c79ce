import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { settled } from '../support/galley.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { misbehavingSite, rest, wordpress } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Plugins such as Limit Login Attempts lock an address out after three failed logins: Galley fails one at a time.

let stage: DeliveryStage
beforeAll(async () => {
  stage = await startStage({ checkAgainAfterMs: 0 })
})
afterAll(() => stage.close())

const WRONG = 'abcd EFGH 1234 abcd EFGH 1234'
const { login: username, applicationPassword } = wordpress().users.editor

/** The real WordPress, which counts. */
async function countingSite() {
  const how = `counts-logins:${randomUUID()}`
  const site = await misbehavingSite(how)
  onTestFinished(() => site.close())
  const failed = async () => Number((await fetch(site.url)).headers.get('x-galley-test-failed'))
  return { how, url: site.url, failed }
}

const connect = (url: string, password: string) =>
  stage.galley.call<{ id: string; error: { code: string; message: string } }>('POST', '/v1/sites', {
    url,
    username,
    application_password: password,
  })

test('a connection that is refused is one failed login, and the right password works then', async () => {
  const { url, failed } = await countingSite()
  for (const tries of [1, 2]) {
    expect(await connect(url, WRONG)).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'NOT_LOGGED_IN',
          message: expect.stringContaining(`a user by the name “${username}”`),
        },
      },
    })
    expect(await failed()).toBe(tries)
  }
  const { status, body } = await connect(url, applicationPassword)
  expect(status).toBe(201)
  await stage.galley.call('DELETE', `/v1/sites/${body.id}`)
  // What is no application password is refused, and said so.
  expect(await connect(url, 'editor-password')).toMatchObject({
    status: 422,
    body: { error: { code: 'PASSWORD_WRONG', message: expect.stringContaining('24 letters and digits') } },
  })
  expect(await failed()).toBe(3)
})

test('an approval whose password is refused is one failed login, and says that the header is lost', async () => {
  const { url, failed } = await countingSite()
  const { body } = await stage.galley.call<{ data: { id: string; link: string } }>(
    'POST',
    '/v1/connect-links',
    { url },
  )
  const address = stage.galley.url + new URL(body.data.link).pathname
  const page = await fetch(address)
  const state = /name="state" value="([^"]*)"/.exec(await page.text())?.[1] ?? ''
  const cookie = page.headers.getSetCookie()[0]?.split(';')[0] ?? ''
  const query = new URLSearchParams({ state, user_login: username, password: WRONG })
  const answer = await fetch(`${address}/approved?${query}`, { redirect: 'manual', headers: { cookie } })
  expect(answer.status).toBe(303)
  expect(answer.headers.get('location')).toMatch(/left_over=1$/)
  expect(await failed()).toBe(1)
  const link = await stage.galley.call<{ data: { problem: { code: string } } }>(
    'GET',
    `/v1/connect-links/${body.data.id}`,
  )
  expect(link.body.data.problem).toMatchObject({ code: 'authorization_stripped' })
})

test('of a password that was revoked, a check and a retry fail one login each, and a delivery none', async () => {
  const made = await rest<{ uuid: string; password: string }>(
    'editor',
    'POST',
    '/wp/v2/users/me/application-passwords',
    { name: `Galley ${randomUUID()}` },
  )
  const { how, failed } = await countingSite()
  const { siteId, proxy } = await stage.lane('editor')
  proxy.rule({}, withHeaders({ 'x-galley-test': how }))
  const reconnected = await stage.galley.call('PATCH', `/v1/sites/${siteId}`, {
    application_password: made.password,
  })
  expect(reconnected.status).toBe(200)
  await rest('editor', 'DELETE', `/wp/v2/users/me/application-passwords/${made.uuid}`)

  await stage.galley.call('POST', `/v1/sites/${siteId}/check`)
  expect(await failed()).toBe(1)
  const held = await stage.deliver(stage.documents.make(siteId))
  expect(held).toMatchObject({ status: 'held', error: { code: 'not_logged_in' } })
  expect(await failed()).toBe(1)
  await stage.galley.call('POST', `/v1/deliveries/${held.id}/retry`)
  const { trouble } = (
    await stage.galley.call<{ data: { trouble: { code: string } } }>('GET', `/v1/sites/${siteId}`)
  ).body.data
  expect(trouble).toMatchObject({ code: 'not_logged_in' })
  expect(await failed()).toBeLessThanOrEqual(2)
})

test('of an address that a plugin has locked, the doctor says so; a delivery waits, and goes on when that is over', async () => {
  const { how, url, failed } = await countingSite()
  const authorization = `Basic ${Buffer.from(`${username}:${WRONG}`).toString('base64')}`
  for (const tries of [1, 2, 3]) {
    await fetch(`${url}/wp-json/wp/v2/users/me`, { headers: { authorization } })
    expect(await failed()).toBe(tries)
  }
  const { siteId, proxy } = await stage.lane('editor')
  proxy.rule({}, withHeaders({ 'x-galley-test': how }))
  const { body } = await stage.galley.call<{ data: { findings: { check: string; seen: string }[] } }>(
    'POST',
    `/v1/sites/${siteId}/check`,
  )
  expect(body.data.findings.find(({ check }) => check === 'credentials')?.seen).toContain(
    'has locked Galley out for a while, after too many failed logins: “Too many failed login attempts”',
  )

  const document = stage.documents.make(siteId)
  await stage.send(document)
  const site = async () =>
    (await stage.galley.call<{ data: { status: string; trouble: object } }>('GET', `/v1/sites/${siteId}`))
      .body.data
  await expect.poll(site).toMatchObject({ trouble: { code: 'locked_out' } })
  const { body: waiting } = await stage.galley.call<{ data: object[] }>(
    'GET',
    `/v1/deliveries?document_id=${document.id}`,
  )
  expect(waiting.data).toMatchObject([{ post: null, status: 'waiting', stands: { waits_for: 'site' } }])

  proxy.clear()
  expect(await settled(stage.galley, document.id)).toMatchObject({ status: 'delivered' })
  expect(await postsOf(document)).toHaveLength(1)
  expect(await site()).toMatchObject({ trouble: null })
  expect(await failed()).toBe(3)
})
