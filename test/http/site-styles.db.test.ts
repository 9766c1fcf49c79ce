import { afterAll, beforeAll, expect, it } from 'vitest'
import { signStylesUrl, verifyStylesUrl } from '../../src/http/routers/styles.ts'
import { generateSecretKey, openKeyring, parseSecretKeys } from '../../src/secrets/keyring.ts'
import { type HostileSite, RawResponse, startHostileSite } from '../support/hostile-site.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let site: HostileSite
let id: string
beforeAll(async () => {
  app = await startApp()
  site = await startHostileSite()
  const answer = await app.ask('POST', '/v1/sites?check=false', {
    body: { url: site.url, username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' },
  })
  id = answer.body.id
})
afterAll(async () => {
  await site.close()
  await app.stop()
})

it('says why there are none, and asks again the next time', async () => {
  const answer = await app.ask('GET', `/v1/sites/${id}/styles`)
  expect(answer.status).toBe(422)
  expect(answer.body.error).toMatchObject({
    code: 'NO_STYLES',
    message: expect.stringMatching(/could not be read: its front page names none\.$/),
  })
})

it('serves them at an address that needs no key, as a style sheet and nothing else', async () => {
  site.lie({
    page: () => new RawResponse(200, '<style>p{x:y;z:url(a)}</style>', { 'content-type': 'text/html' }),
  })
  const answer = await app.ask('GET', `/v1/sites/${id}/styles`)
  expect(answer.status).toBe(200)
  const { path } = answer.body.data
  const served = await app.ask('GET', path, { key: undefined })
  expect(served.status).toBe(200)
  expect(served.body).toMatch(/p\{x:y;z: none \}/)
  expect(Object.fromEntries(served.headers)).toMatchObject({
    'content-type': 'text/css; charset=utf-8',
    'x-content-type-options': 'nosniff',
    'cross-origin-resource-policy': 'cross-origin',
    'content-security-policy': "default-src 'none'; sandbox",
    'cache-control': 'no-store',
  })
  for (const wrong of [path.replace('.css', ''), path.replace('v1.', 'v2.'), `${path.slice(0, -8)}AAAA.css`])
    expect((await app.ask('GET', wrong)).status).toBe(404)
  await app.ask('DELETE', `/v1/sites/${id}?revoke=false`)
  expect((await app.ask('GET', path, { key: undefined })).status).toBe(404)
})

it('makes an address that ends after an hour, and can be made by nobody else', () => {
  const keyring = () => openKeyring(parseSecretKeys(generateSecretKey(), 'this test'))
  const [ours, theirs] = [keyring(), keyring()]
  const of = { accountId: crypto.randomUUID(), id: crypto.randomUUID() }
  const nameOf = (address: string) => address.replace('/styles/', '')
  expect(verifyStylesUrl(ours, nameOf(signStylesUrl(ours, of)))).toEqual(of)
  expect(verifyStylesUrl(ours, nameOf(signStylesUrl(theirs, of)))).toBeUndefined()
  const ended = ours.encrypt(JSON.stringify({ ...of, until: Date.now() - 1 }), 'address:styles')
  expect(verifyStylesUrl(ours, `${ended}.css`)).toBeUndefined()
  // A secret of another kind is no address.
  const other = ours.encrypt(JSON.stringify({ ...of, until: Date.now() + 60_000 }), 'site:x')
  expect(verifyStylesUrl(ours, `${other}.css`)).toBeUndefined()
})
