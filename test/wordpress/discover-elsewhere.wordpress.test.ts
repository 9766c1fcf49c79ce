import { describe, expect, it, onTestFinished } from 'vitest'
import { discover } from '../../src/wordpress/discover/discover.ts'
import { restRootFromPage } from '../../src/wordpress/discover/rest-root.ts'
import { answer, type Fault, pages, type Reply, redirectTo, startFaultProxy } from '../support/proxy/index.ts'
import { errorOf } from './proxied.ts'
import { outbound, wordpress } from './site.ts'

/** The address of the WordPress under test, as it looks behind something. */
async function behind(fault: Fault): Promise<string> {
  const proxy = await startFaultProxy(wordpress().url, { rewriteUrls: true })
  onTestFinished(() => proxy.close())
  proxy.rule({}, fault)
  return proxy.url
}

const withoutLinks = (reply: Reply): Reply => {
  const { link: _, ...headers } = reply.headers
  return { ...reply, headers, body: Buffer.from(reply.body.toString().replaceAll('https://api.w.org/', '')) }
}

/** Plain permalinks: nothing but `?rest_route=` reaches the REST API, and no page names it. */
const plainPermalinks: Fault = {
  name: 'plain permalinks',
  async apply({ request, forward, reply }) {
    reply(request.url.includes('rest_route') ? withoutLinks(await forward()) : pages.homePage)
  },
}

/** WordPress below a folder; the rest of the host is something else. */
const inFolder = (folder: string): Fault => ({
  name: `in ${folder}`,
  async apply({ request, forward, reply }) {
    if (!request.url.startsWith(folder)) return reply(pages.notFound)
    const { headers, body, status } = await forward({ url: request.url.slice(folder.length) || '/' })
    const origin = `http://${request.headers.host}`
    const moved = (text: string) =>
      text
        .replaceAll(`${origin}/`, `${origin}${folder}/`)
        .replaceAll(`${origin}/`.replaceAll('/', '\\/'), `${origin}${folder}/`.replaceAll('/', '\\/'))
    const link: Reply['headers'] = typeof headers.link === 'string' ? { link: moved(headers.link) } : {}
    const { location: _, ...kept } = headers
    reply({ status, headers: { ...kept, ...link }, body: Buffer.from(moved(body.toString())) })
  },
})

describe('a WordPress that is not at the front door', () => {
  it('is found with plain permalinks', async () => {
    const url = await behind(plainPermalinks)
    expect(await discover(outbound, url)).toMatchObject({ restRoot: `${url}/?rest_route=/` })
  })

  it('is found by the root alone where its page names that with a language', async () => {
    const url = await behind({
      name: 'plain permalinks with a language',
      async apply({ request, forward, reply }) {
        const link = `<http://${request.headers.host}/?rest_route=/&lang=de>; rel="https://api.w.org/"`
        const isRest = request.url.includes('rest_route')
        reply(isRest ? withoutLinks(await forward()) : { ...pages.homePage, headers: { link } })
      },
    })
    expect(await discover(outbound, url)).toMatchObject({ restRoot: `${url}/?rest_route=/` })
  })

  for (const typed of ['/blog', '/blog/wp-admin/', '/blog/2026/01/a-post/', '/blog/wp-json/wp/v2/posts']) {
    it(`is found in a folder, from “${typed}”`, async () => {
      const url = await behind(inFolder('/blog'))
      expect(await discover(outbound, url + typed)).toMatchObject({ restRoot: `${url}/blog/wp-json/` })
    })
  }

  it('is found where its address redirects to', async () => {
    const canonical = await behind({
      name: 'untouched',
      apply: async ({ forward, reply }) => reply(await forward()),
    })
    const typed = await behind({
      name: 'redirected',
      apply: ({ request, reply }) => reply(redirectTo(canonical + request.url)),
    })
    expect(await discover(outbound, typed)).toMatchObject({ restRoot: `${canonical}/wp-json/` })
  })

  it('is found where visitors may not see its REST API', async () => {
    const closed = await behind({
      name: 'closed to visitors',
      async apply({ request, forward, reply }) {
        const rest = request.url.includes('wp-json') || request.url.includes('rest_route')
        const refusal = { code: 'rest_login_required', message: 'Members only.', data: { status: 401 } }
        const headers = { 'content-type': 'application/json' }
        reply(rest ? { status: 401, headers, body: Buffer.from(JSON.stringify(refusal)) } : await forward())
      },
    })
    expect(await discover(outbound, closed)).toMatchObject({ restRoot: `${closed}/wp-json/` })
  })
})

describe('something else', () => {
  const json: Reply = {
    status: 200,
    headers: { 'content-type': 'application/json' },
    body: Buffer.from('{"namespaces":[]}'),
  }
  const wix: Reply = {
    ...pages.homePage,
    body: Buffer.from(
      '<html><head><title>My shop</title><meta name="generator" content="Wix.com"></head></html>',
    ),
  }
  const hidden: Reply = {
    ...pages.homePage,
    body: Buffer.from('<html><link rel="stylesheet" href="/wp-content/themes/x/style.css"></html>'),
  }
  const cases: [string, Reply, code: string, says: string][] = [
    ['another program', wix, 'not_wordpress', 'a page called “My shop”, made by Wix.com'],
    ['an API', json, 'not_wordpress', 'application/json'],
    ['a page that is missing', pages.notFound, 'not_wordpress', 'HTTP 404'],
    ['a parked domain', pages.parking, 'parking_page', 'Check whether the domain has expired'],
    ['a firewall', pages.cloudflareChallenge, 'cloudflare_challenge', 'Cloudflare'],
    ['a login', pages.loginWall, 'login_wall', 'Members only'],
    ['a broken WordPress', pages.databaseDown, 'database_down', 'cannot reach its database'],
    ['a WordPress without its REST API', hidden, 'rest_api_disabled', 'the pages are made by WordPress'],
  ]
  for (const [what, reply, code, says] of cases) {
    it(`is called ${code}: ${what}, “${says}”`, async () => {
      const url = await behind(answer(reply))
      expect(await errorOf(discover(outbound, url))).toMatchObject({
        code,
        message: expect.stringContaining(says),
      })
    })
  }

  it('is not looked for on a private address', async () => {
    expect(await errorOf(discover(outbound, '10.0.0.1'))).toMatchObject({ code: 'address_not_allowed' })
  })

  it('is not looked for on a server that is down', async () => {
    const proxy = await startFaultProxy(wordpress().url)
    await proxy.pause()
    expect(await errorOf(discover(outbound, proxy.url))).toMatchObject({ code: 'site_unreachable' })
  })
})

describe('the REST root that a page names', () => {
  const named = (url: string, link: string | undefined, html = '') =>
    restRootFromPage({
      status: 200,
      headers: link === undefined ? {} : { link },
      body: Buffer.from(html),
      url,
    })

  it('comes from the Link header, among other links', () => {
    const link =
      '<https://a.example/?p=1>; rel=shortlink, <https://a.example/wp-json/>; rel="https://api.w.org/"'
    expect(named('https://a.example/', link)).toBe('https://a.example/wp-json/')
  })

  it('comes from the head of the page where a cache lost the header', () => {
    const html = `<link rel='https://api.w.org/' href='https://a.example/?rest_route=/&#038;x=1' />`
    expect(named('https://a.example/', undefined, html)).toBe('https://a.example/?rest_route=/&x=1')
  })

  it('keeps https where WordPress believes in http', () => {
    const link = '<http://a.example/wp-json/>; rel="https://api.w.org/"'
    expect(named('https://a.example/', link)).toBe('https://a.example/wp-json/')
    expect(named('http://a.example/', link)).toBe('http://a.example/wp-json/')
  })

  it('is nothing on a page of something else', () => {
    expect(
      named('https://a.example/', '<https://a.example/feed>; rel="alternate"', '<p>Hi</p>'),
    ).toBeUndefined()
  })
})
