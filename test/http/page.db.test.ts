import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

// The page at `/`, as `npm run build` has made it.

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const browser = { key: undefined, headers: { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' } }

describe('the page', () => {
  it.each(['/', '/sites', '/deliveries/0d9f3c1e-6a57-4c55-9c8b-3f1f6c9f2a10', '/welcome?step=2'])(
    '200-for a browser at %s',
    async (path) => {
      const { status, headers, body } = await app.ask('GET', path, browser)
      expect(status).toBe(200)
      expect(headers.get('content-type')).toBe('text/html; charset=utf-8')
      expect(headers.get('cache-control')).toBe('no-store')
      expect(body).toContain('<div id="page">')
    },
  )

  it('has a policy under which nothing of the page itself runs, and no other page shows it', async () => {
    const { headers } = await app.ask('GET', '/sites', browser)
    const policy = headers.get('content-security-policy') ?? ''
    expect(policy).toContain("default-src 'none'")
    expect(policy).toContain("script-src 'self';")
    expect(policy).toContain("frame-ancestors 'none'")
    expect(policy).not.toContain('unsafe')
  })

  it('200-JSON for programs at /', async () => {
    expect(await app.ask('GET', '/', { key: undefined })).toMatchObject({
      status: 200,
      body: { name: 'Galley' },
    })
  })

  it.each([
    '/v1/nowhere',
    '/docs/nowhere.js',
    '/files/nowhere',
    '/assets/nowhere.js',
    '/robots.txt',
    '/.env',
  ])('404-for a browser at %s', async (path) => {
    expect(await app.ask('GET', path, browser)).toMatchObject({ status: 404, body: { success: false } })
  })

  it('404-for programs, and for what changes something', async () => {
    expect(await app.ask('GET', '/sites', { key: undefined })).toMatchObject({ status: 404 })
    expect(await app.ask('POST', '/sites', browser)).toMatchObject({ status: 404 })
  })
})

describe('its files', () => {
  const script = async () =>
    /\/assets\/[\w-]+\.js/.exec((await app.ask('GET', '/', browser)).body)?.[0] as string

  it('200-kept for ever, and compressed for who takes that', async () => {
    const path = await script()
    const plain = await fetch(`${app.url}${path}`, { headers: { 'accept-encoding': 'identity' } })
    const small = await fetch(`${app.url}${path}`, { headers: { 'accept-encoding': 'gzip' } })
    expect(plain.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect(small.headers.get('content-encoding')).toBe('gzip')
    expect(plain.headers.get('content-encoding')).toBeNull()
    expect(await small.text()).toBe(await plain.text())
  })

  it('style sheets are also for a frame that has an origin of its own, and scripts are not', async () => {
    const { body } = await app.ask('GET', '/', browser)
    const sheet = /\/assets\/[\w-]+\.css/.exec(body)?.[0] as string
    const policy = async (path: string) =>
      (await app.ask('GET', path, { key: undefined })).headers.get('cross-origin-resource-policy')
    expect([await policy(sheet), await policy(await script())]).toEqual(['cross-origin', 'same-origin'])
  })

  it('404-names that lead out of its folder', async () => {
    expect(await app.ask('GET', '/assets/..%2Findex.html', { key: undefined })).toMatchObject({ status: 404 })
  })
})
