import { randomUUID } from 'node:crypto'
import { request } from 'node:http'
import { gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
  const findings = Array.from({ length: 25 }, (_, n) => ({
    check: `check_${n}`,
    level: n === 7 ? 'warning' : 'ok',
    seen: `What was seen here, in words of the usual length, ${n}.`,
    means: 'What this means for deliveries: they get through, and nothing is missing from their posts.',
    todo: null,
  }))
  const report = { checkedAt: new Date().toISOString(), level: 'warning', findings, worse: [] }
  for (let n = 0; n < 30; n += 1)
    await app.database.pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, report, report_at)
       VALUES ($1, $2, $3::text, 'https://' || $3, 'r', 'u', 'p', now(), $4, now())`,
      [randomUUID(), app.owner.id, `site-${n}`, report],
    )
})
afterAll(() => app.stop())

/** The answer as it came, not decompressed. */
const raw = (
  path: string,
  { method = 'GET', body, type }: { method?: string; body?: string; type?: string } = {},
) =>
  new Promise<{ headers: Record<string, unknown>; bytes: Buffer }>((resolve, reject) => {
    const headers = {
      authorization: `Bearer ${app.owner.key}`,
      'accept-encoding': 'gzip',
      ...(type && { 'content-type': type }),
    }
    const sent = request(`${app.url}${path}`, { method, headers }, (response) => {
      const parts: Buffer[] = []
      response.on('data', (part: Buffer) => {
        parts.push(part)
        // A stream has no end.
        if (path === '/v1/stream') response.destroy()
      })
      response.on('close', () => resolve({ headers: response.headers, bytes: Buffer.concat(parts) }))
    })
    sent.on('error', reject)
    sent.end(body)
  })

it('200-a-list-of-sites is short: without reports and settings, and compressed', async () => {
  const { headers, bytes } = await raw('/v1/sites?limit=30')
  expect(headers).toMatchObject({
    'content-encoding': 'gzip',
    vary: expect.stringContaining('Accept-Encoding'),
  })
  const text = gunzipSync(bytes)
  const { data } = JSON.parse(String(text))
  expect(data).toHaveLength(30)
  expect(data[0]).toMatchObject({ checked: { level: 'warning' }, worst_finding: { check: 'check_7' } })
  expect(Object.keys(data[0])).not.toEqual(expect.arrayContaining(['report']))
  expect(Object.keys(data[0])).not.toEqual(expect.arrayContaining(['settings']))
  expect(text.length).toBeLessThan(30_000)
  expect(bytes.length).toBeLessThan(6_000)
})

it('200-one site has both, and the export too, compressed as it comes', async () => {
  const { headers, bytes } = await raw('/v1/sites/export')
  expect(headers['content-encoding']).toBe('gzip')
  const sites = String(gunzipSync(bytes))
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line))
  expect(sites[0]).toMatchObject({ report: { level: 'warning' }, settings: { post_type: 'posts' } })
  const one = await app.ask('GET', `/v1/sites/${sites[0].id}`)
  expect(one.body.data).toMatchObject({ report: { level: 'warning' }, settings: { post_type: 'posts' } })
})

it('200-a HEAD has no body and names no encoding', async () => {
  const { headers, bytes } = await raw('/v1/sites', { method: 'HEAD' })
  expect([headers['content-encoding'], bytes.length]).toEqual([undefined, 0])
  expect(headers.vary).toContain('Accept-Encoding')
})

it('200-what a POST answers is never compressed: it may hold a secret', async () => {
  const lines = Array.from({ length: 100 }, (_, n) => `https://${n}.example,,secret`)
  const body = ['url,username,application_password', ...lines].join('\n')
  const { headers, bytes } = await raw('/v1/imports?dry_run=true', {
    method: 'POST',
    body,
    type: 'text/csv',
  })
  expect(bytes.length).toBeGreaterThan(2_000)
  expect(headers['content-encoding']).toBeUndefined()
})

it('200-an event stream is sent as it is', async () => {
  const { headers, bytes } = await raw('/v1/stream')
  expect(headers['content-encoding']).toBeUndefined()
  expect(String(bytes)).toContain('retry:')
})

it('200-uncompressed where that is wanted', async () => {
  const { headers, body } = await app.ask('GET', '/v1/sites', { headers: { 'accept-encoding': 'identity' } })
  expect([headers.get('content-encoding'), body.success]).toEqual([null, true])
})
