import { get } from 'node:http'
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { createKey } from '../../src/accounts/keys.ts'
import { startApp, type TestApp } from './app.ts'

// Signing in to the page: a key is traded for a cookie.

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const own = { 'sec-fetch-site': 'same-origin' }

/** Signs in and answers what the browser would send from then on. */
async function signIn(key = app.owner.key, headers: Record<string, string> = {}) {
  const { status, body, headers: answered } = await app.ask('POST', '/v1/session', { key, headers })
  const [set = ''] = answered.getSetCookie()
  return { status, body, set, cookie: set.replace(/;.*/, '') }
}

const withCookie = (cookie: string, headers: Record<string, string> = own) => ({
  key: undefined,
  headers: { cookie, ...headers },
})

describe('signing in', () => {
  it('201-cookie-that-no-script-reads', async () => {
    const { status, body, set } = await signIn()
    expect(status).toBe(201)
    expect(body.data).toMatchObject({ account: { name: 'Owner' }, role: 'owner', limited: false })
    expect(set).toMatch(/^galley=[0-9a-f]{48}; Max-Age=1209600; Path=\/;.* HttpOnly; SameSite=Strict$/)
  })

  it('201-only-over-https, under a name that no other host can set, where the page came so', async () => {
    const { set } = await signIn(app.owner.key, { origin: 'https://galley.example.net' })
    expect(set).toMatch(/^__Host-galley=[0-9a-f]{48};.* HttpOnly; Secure; SameSite=Strict$/)
    expect(await app.ask('GET', '/v1/session', withCookie(set.replace(/;.*/, '')))).toMatchObject({
      status: 200,
    })
  })

  it('401-plain-cookie-over-https: another host could have set it, of a session of its own', async () => {
    const { cookie } = await signIn()
    expect(cookie).toMatch(/^galley=/)
    const asked = withCookie(cookie, { ...own, origin: 'https://galley.example.net' })
    expect(await app.ask('GET', '/v1/session', asked)).toMatchObject({ status: 401 })
    const published = await startApp({ publicUrl: app.url.replace('http:', 'https:') }, app.connectionString)
    try {
      const there = { host: new URL(app.url).host, ...own }
      const ask = (headers: object) =>
        new Promise<number | undefined>((resolve) => {
          get(`${published.url}/v1/session`, { headers: { ...there, ...headers } }, (response) => {
            response.resume()
            resolve(response.statusCode)
          })
        })
      expect(await ask({ cookie })).toBe(401)
      expect(await ask({ cookie: `__Host-${cookie}` })).toBe(200)
      expect(await ask({ cookie, host: '127.0.0.1' })).toBe(200)
    } finally {
      await published.stop()
    }
  })

  it('keeps the hash of what the cookie says alone', async () => {
    const { cookie } = await signIn()
    const token = cookie.replace('galley=', '')
    const { rows } = await app.database.pool.query('SELECT * FROM session')
    expect(JSON.stringify(rows)).not.toContain(token)
  })

  it('401-wrong-key, as everywhere', async () => {
    expect(await app.ask('POST', '/v1/session', { key: 'wrong' })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_API_KEY' } },
    })
  })

  it('409-session-begins-no-other', async () => {
    const { cookie } = await signIn()
    expect(await app.ask('POST', '/v1/session', withCookie(cookie))).toMatchObject({
      status: 409,
      body: { error: { code: 'SIGNED_IN_ALREADY' } },
    })
  })

  it('is entered in the audit log', async () => {
    const { body } = await signIn()
    const log = await app.ask('GET', '/v1/audit?action=session.begin&limit=1')
    expect(log.body.data[0]).toMatchObject({ subject_kind: 'session', subject_id: body.id })
  })

  it('ends the oldest where a key has fifty', async () => {
    const { key } = await createKey(app.database.prisma, { accountId: app.owner.id, name: 'busy' })
    const { cookie } = await signIn(key)
    for (let others = 0; others < 50; others++) await signIn(key)
    expect(await app.ask('GET', '/v1/session', withCookie(cookie))).toMatchObject({ status: 401 })
  })
})

describe('a session', () => {
  let cookie: string
  beforeEach(async () => {
    cookie = (await signIn()).cookie
  })

  it('200-stands-for-its-key', async () => {
    expect(await app.ask('GET', '/v1/keys', withCookie(cookie))).toMatchObject({ status: 200 })
    const { body } = await app.ask('GET', '/v1/session', withCookie(cookie))
    expect(body.data.rights).toContain('keys.manage')
    expect(Date.parse(body.data.session.until)).toBeGreaterThan(Date.now())
  })

  it('403-limited-as-its-key-is', async () => {
    const { prisma } = app.database
    const { key } = await createKey(prisma, { accountId: app.owner.id, name: 'editor', role: 'editor' })
    const editor = await signIn(key)
    expect(editor.body.data.rights).not.toContain('sites.change')
    expect(await app.ask('GET', '/v1/keys', withCookie(editor.cookie))).toMatchObject({ status: 403 })
  })

  it.each([
    ['another origin of the same site', { 'sec-fetch-site': 'same-site' }],
    ['another site', { 'sec-fetch-site': 'cross-site' }],
    ['an address that was typed', { 'sec-fetch-site': 'none' }],
    ['an older browser on another origin', { origin: 'https://elsewhere.example' }],
    ['a page without an origin', { origin: 'null' }],
  ])('403-other-origin: %s', async (_who, headers) => {
    expect(await app.ask('DELETE', '/v1/session', withCookie(cookie, headers))).toMatchObject({
      status: 403,
      body: { error: { code: 'OTHER_ORIGIN' } },
    })
  })

  it('403-nothing-changes where a browser says nothing of where it comes from', async () => {
    expect(await app.ask('DELETE', '/v1/session', withCookie(cookie, {}))).toMatchObject({ status: 403 })
    // Which no other origin could read.
    expect(await app.ask('GET', '/v1/session', withCookie(cookie, {}))).toMatchObject({ status: 200 })
  })

  it('200-same-origin by its name, over http from another machine', async () => {
    expect(await app.ask('DELETE', '/v1/session', withCookie(cookie, { origin: app.url }))).toMatchObject({
      status: 200,
    })
  })

  it('401-the-key-of-the-request-counts, where it has both', async () => {
    expect(await app.ask('GET', '/v1/session', { key: 'wrong', headers: { cookie, ...own } })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_API_KEY' } },
    })
  })

  it('401-signed-out', async () => {
    const { status, headers, body } = await app.ask('DELETE', '/v1/session', withCookie(cookie))
    expect({ status, body }).toEqual({ status: 200, body: { success: true, ended: 1 } })
    expect(headers.getSetCookie().join()).toMatch(/galley=;.*Expires=Thu, 01 Jan 1970/)
    expect(await app.ask('GET', '/v1/session', withCookie(cookie))).toMatchObject({
      status: 401,
      body: { error: { code: 'SESSION_ENDED', message: expect.stringContaining('Sign in again') } },
    })
  })

  it('401-signed-out-everywhere, and nobody else is', async () => {
    const other = await signIn()
    const stranger = await signIn(app.stranger.key)
    await app.ask('DELETE', '/v1/session?everywhere=true', withCookie(other.cookie))
    expect(await app.ask('GET', '/v1/session', withCookie(cookie))).toMatchObject({ status: 401 })
    expect(await app.ask('GET', '/v1/session', withCookie(stranger.cookie))).toMatchObject({ status: 200 })
  })

  it('401-key-revoked, at once', async () => {
    const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'Short-lived' } })
    const short = await signIn(body.data.key)
    await app.ask('DELETE', `/v1/keys/${body.id}`)
    expect(await app.ask('GET', '/v1/session', withCookie(short.cookie))).toMatchObject({
      status: 401,
      body: { error: { code: 'SESSION_ENDED' } },
    })
  })

  it.each([
    ['401-idle for a day', "last_used_at = now() - interval '25 hours'"],
    ['401-over after two weeks', "created_at = now() - interval '15 days'"],
  ])('%s, and the next one of the key sweeps it away', async (_name, change) => {
    const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'Aged' } })
    const aged = await signIn(body.data.key)
    await app.database.pool.query(`UPDATE session SET ${change} WHERE id = $1`, [aged.body.id])
    expect(await app.ask('GET', '/v1/session', withCookie(aged.cookie))).toMatchObject({ status: 401 })
    await signIn(body.data.key)
    const { rows } = await app.database.pool.query('SELECT id FROM session WHERE id = $1', [aged.body.id])
    expect(rows).toEqual([])
  })

  it('stays with use', async () => {
    const { body, cookie } = await signIn()
    const { pool } = app.database
    await pool.query("UPDATE session SET last_used_at = now() - interval '23 hours' WHERE id = $1", [body.id])
    await app.ask('GET', '/v1/session', withCookie(cookie))
    const { rows } = await pool.query(
      "SELECT last_used_at > now() - interval '1 hour' AS used FROM session WHERE id = $1",
      [body.id],
    )
    expect(rows).toEqual([{ used: true }])
  })

  it('403-account-disabled', async () => {
    const stranger = await signIn(app.stranger.key)
    const { prisma } = app.database
    await prisma.account.update({ where: { id: app.stranger.id }, data: { disabledAt: new Date() } })
    expect(await app.ask('GET', '/v1/session', withCookie(stranger.cookie))).toMatchObject({
      status: 403,
      body: { error: { code: 'ACCOUNT_DISABLED' } },
    })
  })
})

it('401-guesses of a cookie are limited like those of a key', async () => {
  const guess = () => app.ask('GET', '/v1/session', withCookie(`galley=${'0'.repeat(48)}`))
  const codes: string[] = []
  for (let tries = 0; tries < 62; tries++) codes.push((await guess()).body.error.code)
  expect(codes).toContain('SESSION_ENDED')
  expect(codes.at(-1)).toBe('TOO_MANY_REQUESTS')
})
