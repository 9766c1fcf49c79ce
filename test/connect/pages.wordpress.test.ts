import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { connectOptionsFor } from '../../src/connect/connect.ts'
import { askPage } from '../../src/connect/pages.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { misbehavingSite, wordpress } from '../support/wordpress/index.ts'
import { behindTls } from '../wordpress/site.ts'
import { inputOf, Visitor, wordsOf } from './visitor.ts'

const { url, users } = wordpress()

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

/** The path of a new link, under this app's own address. */
async function makeLink(requested: object = {}) {
  const { body } = await app.ask('POST', '/v1/connect-links', { body: { url, ...requested } })
  return { id: body.id as string, address: `${app.url}${new URL(body.data.link).pathname}` }
}

describe('POST /v1/connect-links', () => {
  it('201-made, its address shown once and its token kept as a hash', async () => {
    const { status, body } = await app.ask('POST', '/v1/connect-links', {
      body: { url: `${url}/wp-admin`, expires_in: 3600 },
    })
    expect(status).toBe(201)
    expect(body.data).toMatchObject({
      url,
      status: 'open',
      link: expect.stringMatching(/\/connect\/[0-9a-f]{48}$/),
    })
    expect(Date.parse(body.data.expires_at) - Date.now()).toBeLessThanOrEqual(3_600_000)
    const token = body.data.link.slice(-48)
    expect(JSON.stringify(await app.ask('GET', '/v1/connect-links'))).not.toContain(token)
    expect(JSON.stringify(await app.database.prisma.connectLink.findMany())).not.toContain(token)
  })

  it('422-not-a-wordpress, so that nobody is sent to a site that cannot be connected', async () => {
    expect(await app.ask('POST', '/v1/connect-links', { body: { url: 'http://127.0.0.1:9' } })).toMatchObject(
      {
        status: 422,
        body: { error: { code: 'SITE_UNREACHABLE' } },
      },
    )
  })
})

describe('a link that is of no use', () => {
  const visit = async (address: string) => {
    const page = await new Visitor().open(address)
    return { status: page.status, words: wordsOf(page) }
  }

  it('404-unknown', async () => {
    expect(await visit(`${app.url}/connect/${'0'.repeat(48)}`)).toMatchObject({
      status: 404,
      words: expect.stringContaining('There is no such link'),
    })
  })

  it('410-expired', async () => {
    const { id, address } = await makeLink()
    await app.database.prisma.connectLink.update({ where: { id }, data: { expiresAt: new Date() } })
    expect(await visit(address)).toMatchObject({ status: 410, words: expect.stringContaining('has expired') })
  })

  it('410-withdrawn', async () => {
    const { id, address } = await makeLink()
    expect(await app.ask('DELETE', `/v1/connect-links/${id}`)).toMatchObject({
      status: 200,
      body: { data: { status: 'revoked' } },
    })
    expect(await visit(address)).toMatchObject({
      status: 410,
      words: expect.stringContaining('was withdrawn'),
    })
  })

  it('502-site-away, with the reason', async () => {
    const { id, address } = await makeLink()
    await app.database.prisma.connectLink.update({ where: { id }, data: { url: 'http://127.0.0.1:9' } })
    expect(await visit(address)).toMatchObject({ status: 502, words: expect.stringContaining('127.0.0.1:9') })
  })
})

describe('the page of a link', () => {
  it('runs no script, is stored nowhere, tells no other site of itself, and binds the browser to the link', async () => {
    const { address } = await makeLink()
    const visitor = new Visitor()
    const { headers, html } = await visitor.open(address)
    expect(headers.get('content-security-policy')).toMatch(/^default-src 'none'; style-src 'sha256-/)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
    expect(headers.getSetCookie()[0]).toMatch(/; Path=\/connect\/[0-9a-f]{48}; .*HttpOnly; SameSite=Lax/)
    expect(html).not.toMatch(/<script|style="/)
  })

  it('shows whoever asks as text, whatever the name', async () => {
    const { address } = await makeLink({ asked_by: '<img src=x onerror=alert(1)>' })
    const { html } = await new Visitor().open(address)
    expect(html).toContain('&lt;img src=x onerror=alert(1)&gt;')
    expect(html).not.toContain('<img')
  })

  it('says that application passwords are off without https, what to do, and offers the form', async () => {
    const site = await misbehavingSite('no-application-passwords')
    const { address } = await makeLink({ url: site.url })
    const page = await new Visitor().open(address)
    expect(wordsOf(page)).toMatch(/not reached over https.*switch https on/)
    expect(inputOf(page, 'state')).toMatch(/^[0-9a-f]{64}$/)
    expect(page.html).not.toContain('class="button" href')
    await site.close()
  })

  it('says where WordPress does not know that it is reached over https', async () => {
    const site = await misbehavingSite('no-application-passwords')
    const asked = { url: site.url.replace('http:', 'https:'), askedBy: null }
    const options = await connectOptionsFor(behindTls, asked, { approved: app.url, rejected: app.url })
    await site.close()
    expect(options).toEqual({ way: 'form', why: 'https_unseen' })
  })

  it('says who may have switched them off where https is not the reason', () => {
    const { body } = askPage({
      link: {
        token: 'unused',
        askedBy: 'Brightwater Media',
        row: {
          url: 'https://example.com',
          restRoot: 'https://example.com/wp-json/',
          expiresAt: new Date(0),
        } as Parameters<typeof askPage>[0]['link']['row'],
      },
      options: { way: 'form', why: 'switched_off' },
      form: { action: '/', state: '' },
      problem: undefined,
      orphanedPassword: false,
    })
    expect(body.text).toMatch(/a security plugin or a setting has switched them\s+off/)
  })

  it('writes neither token nor password to the log', async () => {
    const { address } = await makeLink()
    const visitor = new Visitor()
    const state = inputOf(await visitor.open(address), 'state')
    const secret = 'abcdEFGH1234abcdEFGH1234'
    await visitor.request(
      `${address}/approved?state=${state}&user_login=${users.author.login}&password=${secret}`,
    )
    await visitor.request(address, { state, user_login: users.author.login, password: secret })
    const log = app.logged.join('')
    expect(log).toContain('/connect/[redacted]/approved')
    for (const hidden of [secret, state, address.slice(-48)]) expect(log).not.toContain(hidden)
  })

  it('429-too-many-tries of credentials with one link', async () => {
    const { address } = await makeLink()
    const tries: number[] = []
    for (let count = 0; count < 12; count += 1)
      tries.push((await new Visitor().request(`${address}/approved`)).status)
    expect(tries.slice(0, 10)).toEqual(Array(10).fill(303))
    expect(tries.slice(10)).toEqual([429, 429])
  })
})
