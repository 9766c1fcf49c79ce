import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let webhook: string
let source: string
let site: string
/** The address of an open connect link, without its origin. */
let link: string
beforeAll(async () => {
  app = await startApp()
  const made = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  webhook = new URL(made.body.data.url).pathname
  source = made.body.id
  const accountId = app.owner.id
  const row = await app.database.prisma.site.create({
    data: {
      id: crypto.randomUUID(),
      accountId,
      name: 'Site',
      url: 'https://site.example',
      restRoot: 'https://site.example/wp-json/',
      username: 'galley',
      applicationPassword: 'unused',
    },
  })
  site = row.id
  link = `/connect/${'ab'.repeat(24)}`
})
afterAll(() => app.stop())

const texts = [
  ['a NUL', 'a\0b'],
  ['the first half of a pair', 'a\ud800b'],
  ['the second half of a pair', 'a\udc00b'],
] as const
const other = { url: 'http://127.0.0.1:9', username: 'u', application_password: 'p' }

/** Every text of every body. */
const bodies: [string, () => string, (text: string) => object][] = [
  ['POST', () => '/v1/keys', (name) => ({ name })],
  ['POST', () => '/v1/sources', (name) => ({ name })],
  ['POST', () => '/v1/sources', (key) => ({ name: 'x', upstream_api_key: key })],
  ['POST', () => '/v1/sources', (part) => ({ name: 'x', upstream_base_url: `https://example.com/${part}` })],
  ['POST', () => '/v1/sources', (secret) => ({ name: 'x', signing_secret: secret.repeat(10) })],
  ['PATCH', () => `/v1/sources/${source}`, (name) => ({ name })],
  ['POST', () => '/v1/sites', (url) => ({ ...other, url })],
  ['POST', () => '/v1/sites', (username) => ({ ...other, username })],
  ['POST', () => '/v1/sites', (password) => ({ ...other, application_password: password })],
  ['POST', () => '/v1/sites', (name) => ({ ...other, name })],
  ['POST', () => '/v1/sites', (label) => ({ ...other, labels: [label] })],
  ['PATCH', () => `/v1/sites/${site}`, (name) => ({ name })],
  ['PATCH', () => `/v1/sites/${site}`, (label) => ({ labels: [label] })],
  ['PATCH', () => `/v1/sites/${site}`, (author) => ({ author })],
  ['PATCH', () => `/v1/sites/${site}`, (name) => ({ default_categories: [name] })],
  ['PATCH', () => `/v1/sites/${site}`, (name) => ({ settings: { fallback_category: name } })],
  ['PATCH', () => `/v1/sites/${site}`, (name) => ({ category_aliases: { [name]: 'News' } })],
  ['PATCH', () => `/v1/sites/${site}`, (name) => ({ category_aliases: { News: name } })],
  ['POST', () => '/v1/connect-links', (url) => ({ url })],
  ['POST', () => '/v1/connect-links', (name) => ({ url: other.url, asked_by: name })],
]

describe.each(texts)('422 for %s, never 500', (_, text) => {
  it.each(bodies)('in the body of %s %s: %s', async (method, path, body) => {
    const answer = await app.ask(method, path(), { body: body(text) })
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'INVALID_REQUEST' } } })
  })
})

describe('what no address or query can hold', () => {
  it.each([
    ['/v1/sites?label=%00', 422],
    ['/v1/sites?label=a%0Ab', 422],
    ['/v1/sites?label=a&label=b', 422],
    ['/v1/sites?cursor=%00', 422],
    ['/v1/deliveries?document_id=%00', 422],
    ['/v1/events?status=%00', 422],
    ['/v1/deliveries?created_from=0000-01-01T00:00:00Z', 422],
    ['/v1/deliveries?updated_to=0001-01-01T00:00:00%2B12:00', 422],
    ['/v1/deliveries?updated_from=9999-12-31T23:59:59-12:00', 422],
    ['/v1/deliveries?updated_from=2026-01-01T00:00:00%2B23:59', 200],
    [`/v1/deliveries?created_to=2020-01-01T00:00:00.${'0'.repeat(200)}Z`, 422],
    ['/v1/deliveries/counts?created_from=0001-01-01T00:00:00Z', 200],
    ['/v1/causes?created_to=9999-12-31T23:59:59.999Z', 200],
    ['/v1/audit?since=0000-01-01T00:00:00Z&until=9999-12-31T23:59:59-12:00', 200],
    ['/v1/keys?limit=1e999', 422],
    ['/v1/sites/%00', 404],
    ['/v1/sites/%ED%A0%80', 400],
    ['/v1/sites/%', 400],
    ['/%00', 404],
    ['/v1/bulk/%2e%2e', 404],
    ['/connect/%00', 404],
    ['/connect/%ED%A0%80', 400],
    ['/V1/keys', 404],
    ['/v1/keys/', 404],
    ['//v1/keys', 404],
  ])('GET %s is %i', async (path, status) => {
    expect(await app.ask('GET', path)).toMatchObject({ status })
  })
})

it('422 for a key that ends in the year 10000', async () => {
  const body = { name: 'x', expires_at: '9999-12-31T23:59:59-12:00' }
  expect(await app.ask('POST', '/v1/keys', { body })).toMatchObject({ status: 422 })
})

describe('what no header can hold', () => {
  it.each([
    ['GET', '/', { accept: 'text/plain' }, 406],
    ['GET', '/', { accept: 'image/*' }, 406],
    ['GET', '/', { accept: '*/*' }, 200],
    ['GET', '/v1/keys', { accept: 'image/png' }, 200],
    ['POST', '/v1/keys', { 'content-type': 'application/json; charset=utf-99' }, 415],
    ['POST', '/v1/keys', { 'content-type': 'application/json; charset=' }, 201],
    ['POST', '/v1/keys', { 'content-type': 'application/json; charset=UTF8' }, 201],
    ['POST', '/v1/keys', { 'content-type': '/' }, 415],
    ['POST', '/v1/imports', { 'content-type': 'text/csv; charset=klingon' }, 415],
    ['POST', '/v1/keys', { 'content-encoding': 'gzip, gzip' }, 415],
    ['POST', '/v1/keys', { 'content-encoding': 'zstd' }, 415],
  ] as const)('%s %s with %o is %i', async (method, path, headers, status) => {
    const body = method === 'POST' ? '{"name": "x"}' : undefined
    expect(await app.ask(method, path, { headers, body })).toMatchObject({ status })
  })
})

describe('a body that is not what its Content-Encoding says', () => {
  const whole = JSON.stringify(completed())
  const calls = [
    ['/v1/keys', 'application/json'],
    ['/v1/imports', 'text/csv'],
    ['the webhook', 'application/json'],
  ] as const
  const encodings = [
    ['gzip', Buffer.from(whole)],
    ['deflate', Buffer.from(whole)],
    ['br', Buffer.from(whole)],
    ['gzip', gzipSync(whole).subarray(0, -20)],
    ['br', brotliCompressSync(whole).subarray(0, -20)],
  ] as const
  it.each(calls.flatMap((call) => encodings.map((encoding) => [...call, ...encoding] as const)))(
    '400: %s as %s, %s',
    async (path, type, encoding, body) => {
      const answer = await app.ask('POST', path === 'the webhook' ? webhook : path, {
        body: new Uint8Array(body),
        headers: { 'content-type': type, 'content-encoding': encoding },
      })
      expect(answer).toMatchObject({ status: 400, body: { error: { code: 'BODY_UNDECODABLE' } } })
    },
  )

  it.each([
    ['gzip', gzipSync],
    // the best compression takes seconds for it
    ['br', (bytes: Buffer) => brotliCompressSync(bytes, { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } })],
  ] as const)('413 for a bomb: %s', async (encoding, compress) => {
    const body = new Uint8Array(compress(Buffer.alloc(24 * 1024 * 1024)))
    for (const path of ['/v1/keys', webhook])
      expect(await app.ask('POST', path, { body, headers: { 'content-encoding': encoding } })).toMatchObject({
        status: 413,
      })
  })
})

it('422 for too many values in UTF-16, whatever characters are among them', async () => {
  const values = `{"a": ["\u2201"${', 1'.repeat(600_000)}]}`
  const answer = await app.ask('POST', '/v1/deliveries', {
    body: new Uint8Array(Buffer.from(values, 'utf16le')),
    headers: { 'content-type': 'application/json; charset=utf-16le' },
  })
  expect(answer).toMatchObject({ status: 422, body: { error: { code: 'DOCUMENT_TOO_MANY_VALUES' } } })
})

describe('a form', () => {
  it.each([
    ['of more than 1,000 fields', Array.from({ length: 1001 }, (_, n) => `f${n}=`).join('&'), 413],
    ['that is too long', `state=${'x'.repeat(20_000)}`, 413],
    ['with a NUL', 'state=%00&user_login=%00&password=%00', 303],
    ['with a % that begins nothing', 'state=%&user_login=%ED%A0%80&password=%', 303],
  ])('%s is answered with a page', async (_, body, status) => {
    const response = await fetch(`${app.url}${link}`, {
      method: 'POST',
      redirect: 'manual',
      body,
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
    expect(response.status).toBe(status)
  })
})

describe('a webhook whose ids are none', () => {
  const send = (body: unknown) => app.ask('POST', webhook, { key: undefined, body })
  const newest = async () => (await app.ask('GET', '/v1/events?limit=1')).body.data[0]

  it.each(['', 'x'.repeat(10_000), '\0', '\ud800'])(
    '202 of another kind: kept with its issue named, for %j',
    async (id) => {
      expect(await send({ event: 'text.completed', id })).toMatchObject({ status: 202 })
      expect(await newest()).toMatchObject({
        event: 'text.completed',
        status: 'kept',
        document_id: null,
        issues: [{ path: 'id', message: expect.stringContaining('expected the id of the document') }],
      })
    },
  )

  it('202 of another kind, with an id that is one and in capitals', async () => {
    const id = crypto.randomUUID()
    await send({ event: 'image.failed', id: id.toUpperCase() })
    expect(await newest()).toMatchObject({ status: 'kept', document_id: id, issues: [] })
  })

  it.each([
    { event: 'document.failed', id: '', error: {} },
    { ...completed(), id: 'two\nlines' },
    { ...completed(), delivery: { id: '123' } },
    { event: '\0', id: '123' },
  ])('422 of a document: %j', async (body) => {
    expect(await send(body)).toMatchObject({ status: 422, body: { error: { code: 'WEBHOOK_UNUSABLE' } } })
    expect(await newest()).toMatchObject({ status: 'unusable' })
  })
})

it('of many unknown members some are named, and the others counted', async () => {
  const unknown = Array.from({ length: 1_000 }, (_, number) => [`stranger ${number}`, 0])
  const body = { name: 'x', ...Object.fromEntries(unknown) }
  const { status, body: answer } = await app.ask('POST', '/v1/keys', { body })
  expect(status).toBe(422)
  const [{ message }] = answer.error.details
  expect(message).toMatch(
    /^"stranger 0" is not known here: .*"stranger 9" is not known here: [^"]*; and 990 more are not known$/,
  )
})

it.each([
  ['/v1/sites', { catgories: [] }, 'body', /"catgories" is not known here/],
  ['/v1/sites', { default_catgories: [] }, 'body', /did you mean "default_categories"\?/],
  ['/v1/sites', { url: 7 }, 'body.url', /^must be a string$/],
  ['/v1/sites', { id: 'x' }, 'body.id', /^must be a UUID, such as/],
  ['/v1/sites', { concurrency: 9 }, 'body.concurrency', /^must be at most 8$/],
  [
    '/v1/sites',
    { term_policy: 'x' },
    'body.term_policy',
    /^must be "create" or "existing_only" or "reject"$/,
  ],
  ['/v1/sites', { category_aliases: { x: 7 } }, 'body.category_aliases.x', /^must be a string$/],
  ['/v1/keys', { name: '' }, 'body.name', /^must not be empty$/],
  ['/v1/keys', undefined, 'body', /^is missing: it must be an object$/],
])('POST %s %j says of %s what it must be', async (path, body, field, sentence) => {
  const { status, body: answer } = await app.ask('POST', path, { body })
  expect(status).toBe(422)
  expect(answer.error.details).toContainEqual({ path: field, message: expect.stringMatching(sentence) })
  expect(answer.error.message).toMatch(/[^.?][.?]$/)
})

it('422-a query where none is taken is named, and nothing is done', async () => {
  const { status, body } = await app.ask('GET', `/v1/sources/${crypto.randomUUID()}?limit=2`)
  expect(status).toBe(422)
  expect(body.error.details).toEqual([
    { path: 'query', message: '"limit" is not known here; nothing is accepted' },
  ])
})
