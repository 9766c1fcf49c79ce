import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { connectionOf } from '../../src/sites/connection.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, RawResponse, startHostileSite } from '../support/hostile-site.ts'
import { importCsv } from './run-import.ts'

const credentials = { username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' }
let app: TestApp
/** The site that the password was given for, and a server that would like to have it. */
let site: HostileSite
let thief: HostileSite
beforeAll(async () => {
  app = await startApp()
  site = await startHostileSite()
  thief = await startHostileSite()
})
afterAll(async () => {
  await app.stop()
  await site.close()
  await thief.close()
})
afterEach(async () => {
  site.lie({})
  thief.received.length = 0
  await app.database.prisma.site.deleteMany()
})

const register = (url = site.url) =>
  app.ask('POST', '/v1/sites?check=false', { body: { url, ...credentials } })
const change = (id: string, body: object) => app.ask('PATCH', `/v1/sites/${id}`, { body })
const rows = () => app.database.prisma.site.findMany()
/** What arrived there with a password in it. */
const stolen = () =>
  thief.received.filter(({ authorization, body }) => authorization || body.includes('EFGH'))

const needed = { status: 422, body: { error: { code: 'PASSWORD_NEEDED' } } }
const elsewhere = { status: 422, body: { error: { code: 'ADDRESS_LEADS_ELSEWHERE' } } }

describe('PATCH with another address', () => {
  it('422-password-needed, and nothing at all is sent there', async () => {
    const { id } = (await register()).body
    for (const url of [thief.url, thief.url.replace('http:', 'https:'), thief.url.replace('http://', '')])
      expect(await change(id, { url })).toMatchObject(needed)
    expect(await change(id, { url: thief.url, username: 'eve' })).toMatchObject(needed)
    expect(thief.received).toEqual([])
    expect((await rows())[0]?.restRoot).toBe(`${site.url}/wp-json/`)
  })

  it('422-password-needed for https on the same host, which another server may answer', async () => {
    const { id } = (await register()).body
    expect(await change(id, { url: site.url.replace('http:', 'https:') })).toMatchObject(needed)
  })

  it('200 with the password, which is then bound to the new one', async () => {
    const { id } = (await register()).body
    const answer = await change(id, { url: thief.url, application_password: 'given to the new address' })
    expect(answer).toMatchObject({ status: 200, body: { data: { rest_root: `${thief.url}/wp-json/` } } })
    expect(stolen().length).toBeGreaterThan(0)
    expect(JSON.stringify(stolen())).not.toContain(
      Buffer.from(`ed:${credentials.application_password}`).toString('base64'),
    )
  })

  it('200 without it for another spelling of the same address', async () => {
    const { id } = (await register()).body
    for (const url of [`${site.url}/wp-admin/`, site.url.replace('http://', '')])
      expect((await change(id, { url })).status).toBe(200)
  })
})

/** Ways in which a site can point elsewhere by itself. */
const pointers: Record<string, () => Parameters<HostileSite['lie']>[0]> = {
  'the Link header of its page': () => ({
    page: () => new RawResponse(200, '', { link: `<${thief.url}/wp-json/>; rel="https://api.w.org/"` }),
  }),
  'the Link header of its index': () => ({
    index: (index) =>
      new RawResponse(200, JSON.stringify(index), {
        link: `<${thief.url}/wp-json/>; rel="https://api.w.org/"`,
      }),
  }),
  'a redirect of its page': () => ({ page: () => new RawResponse(302, '', { location: `${thief.url}/` }) }),
  'a redirect of its REST root': () => ({
    index: () => new RawResponse(301, '', { location: `${thief.url}/wp-json/` }),
  }),
}

describe('a site that points to another server', () => {
  for (const [name, lies] of Object.entries(pointers)) {
    it(`gets no stored password there by ${name}`, async () => {
      const { id } = (await register()).body
      site.lie(lies())
      expect(await change(id, { url: site.url })).toMatchObject(needed)
      await app.ask('POST', `/v1/sites/${id}/check`)
      expect(stolen()).toEqual([])
    })

    it(`gets no new password there by ${name}: not by registration, import, or a change`, async () => {
      const { id } = (await register()).body
      site.lie(lies())
      expect(await register(`${site.url}/`)).toMatchObject(elsewhere)
      expect(await change(id, { url: site.url, ...credentials })).toMatchObject(elsewhere)
      const csv = `url,username,application_password\n${site.url},eve,${credentials.application_password}`
      expect(await importCsv(app, csv)).toMatchObject([
        { status: 'refused', error: { code: 'ADDRESS_LEADS_ELSEWHERE' } },
      ])
      expect(stolen()).toEqual([])
    })
  }
})

describe('a new password', () => {
  it('does not travel unencrypted unless http:// was typed', async () => {
    const bare = site.url.replace('http://', '')
    site.received.length = 0
    const refused = await register(bare)
    expect(refused).toMatchObject({ status: 422, body: { error: { code: 'TLS_FAILED' } } })
    expect(refused.body.error.message).toContain('Give the address with http:// if plain http is meant')
    expect(site.received.filter(({ authorization }) => authorization)).toEqual([])
    expect((await register(`http://${bare}`)).status).toBe(201)
  })
})

describe('a stored password', () => {
  it('does not decrypt beside another address, whoever put that there', async () => {
    await register()
    const [row] = await rows()
    if (row === undefined) throw new Error('no site')
    expect(connectionOf(app.keyring, row).applicationPassword).toBe(credentials.application_password)
    expect(() => connectionOf(app.keyring, { ...row, restRoot: `${thief.url}/wp-json/` })).toThrow(
      expect.objectContaining({ code: 'secret_unreadable' }),
    )
  })
})

describe("a source's upstream", () => {
  const made = {
    name: 'Upstream',
    upstream_base_url: 'https://api.example.com/v1',
    upstream_api_key: 'the key',
  }
  const patch = (id: string, body: object) => app.ask('PATCH', `/v1/sources/${id}`, { body })

  it('422-upstream-key-needed for another origin, and not for another path', async () => {
    const { id } = (await app.ask('POST', '/v1/sources', { body: made })).body
    for (const url of [
      'https://evil.example/v1',
      'http://api.example.com/v1',
      'https://api.example.com:444/v1',
    ])
      expect(await patch(id, { upstream_base_url: url })).toMatchObject({
        status: 422,
        body: { error: { code: 'UPSTREAM_KEY_NEEDED' } },
      })
    expect((await patch(id, { upstream_base_url: 'https://api.example.com/v2' })).status).toBe(200)
    expect(
      (await patch(id, { upstream_base_url: 'https://b.example', upstream_api_key: 'another' })).status,
    ).toBe(200)
  })

  it('keeps no key without an address, and takes none', async () => {
    const { id } = (await app.ask('POST', '/v1/sources', { body: made })).body
    const without = await patch(id, { upstream_base_url: null })
    expect(without.body.data).toMatchObject({ upstream_base_url: null, has_upstream_api_key: false })
    const { upstream_base_url: _, ...keyAlone } = made
    expect(await app.ask('POST', '/v1/sources', { body: keyAlone })).toMatchObject({
      status: 422,
      body: { error: { code: 'UPSTREAM_ADDRESS_NEEDED' } },
    })
  })
})

describe('a user who may not write', () => {
  it('422-rights-missing, also in an import, and nothing is stored', async () => {
    site.lie({
      'users/me': (user) => ({ ...user, roles: ['subscriber'], capabilities: { read: true } }),
      types: () => new RawResponse(403, '{"code":"rest_cannot_view","message":"No."}'),
    })
    expect(await register()).toMatchObject({
      status: 422,
      body: { error: { code: 'RIGHTS_MISSING', message: expect.stringContaining('subscriber') } },
    })
    expect(await rows()).toEqual([])
  })

  it('201 where WordPress lets the user edit what the profile does not show', async () => {
    site.lie({ 'users/me': (user) => ({ ...user, capabilities: { read: true } }) })
    expect((await register()).status).toBe(201)
  })
})

describe('a check', () => {
  it('marks a site with a problem, in the list and its filters, until a check finds none', async () => {
    const { id } = (await register()).body
    const listed = async (query: string) =>
      (await app.ask('GET', `/v1/sites?${query}`)).body.data.map((found: { id: string }) => found.id)
    expect(await listed('state=unchecked')).toEqual([id])
    site.lie({ types: () => ({}) })
    await app.ask('POST', `/v1/sites/${id}/check`)
    expect((await app.ask('GET', `/v1/sites/${id}`)).body.data).toMatchObject({ state: 'needs_owner' })
    expect(await listed('state=needs_owner')).toEqual([id])
    expect(await listed('level=problem')).toEqual([id])
    expect(await listed('state=working')).toEqual([])
    site.lie({})
    await app.ask('POST', `/v1/sites/${id}/check`)
    expect(await listed('state=working')).toEqual([id])
    expect(await listed('state=needs_owner')).toEqual([])
  })
})

describe('what a site repeats of its password', () => {
  const spaced = credentials.application_password
  const bare = spaced.replaceAll(' ', '')
  const echoes = {
    'as it is': spaced,
    'without spaces': bare,
    'in an address': encodeURIComponent(spaced),
    'in a form': spaced.replaceAll(' ', '+'),
    'as its header': `Basic ${Buffer.from(`ed:${spaced}`).toString('base64')}`,
    'as its header, without spaces': Buffer.from(`ed:${bare}`).toString('base64'),
    'as its header, in PHP’s JSON': Buffer.from(`ed:${spaced}`).toString('base64').replaceAll('/', '\\/'),
  }
  for (const [name, echo] of Object.entries(echoes)) {
    it(`is neither answered, stored nor logged: ${name}`, async () => {
      const said = `got ${echo} from you`
      site.lie({
        index: (index) => ({ ...index, name: said }),
        'users/me': (user) => ({ ...user, name: said }),
        posts: () => new RawResponse(500, `<title>${said}</title>`, { 'content-type': 'text/html' }),
        media: () => new RawResponse(403, JSON.stringify({ code: 'rest_cannot_create', message: said })),
      })
      const { status, body } = await app.ask('POST', '/v1/sites', { body: { url: site.url, ...credentials } })
      expect(status).toBe(201)
      expect(body.data.name).toBe(
        'got [redacted] from you'.replace('[', echo.startsWith('Basic') ? 'Basic [' : '['),
      )
      site.lie({ 'users/me': () => new RawResponse(401, JSON.stringify({ code: 'x', message: said })) })
      const refused = await change(body.id, { username: 'ed' })
      const everything = JSON.stringify([body, refused.body, await rows(), app.logged])
      expect(everything).not.toContain(echo)
    })
  }
})
