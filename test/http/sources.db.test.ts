import { createHmac } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ publicUrl: 'https://galley.example.com' })
})
afterAll(() => app.stop())

const create = async (body: object = { name: 'Upstream' }) =>
  (await app.ask('POST', '/v1/sources', { body })).body
const pathOf = (url: string) => new URL(url).pathname
const send = (url: string, body: unknown, headers = {}) =>
  app.ask('POST', pathOf(url), { key: undefined, body, headers })
const row = (id: string) => app.database.prisma.source.findUniqueOrThrow({ where: { id } })

describe('/v1/sources', () => {
  it('201-created, its address shown only once', async () => {
    const { status, body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      success: true,
      id: body.data.id,
      data: { name: 'Upstream', signed: false, signing_secret: null, disabled: false },
    })
    expect(body.data.url).toMatch(/^https:\/\/galley\.example\.com\/v1\/webhooks\/[0-9a-f]{48}$/)
    const read = await app.ask('GET', `/v1/sources/${body.id}`)
    expect(read.body.data).not.toHaveProperty('url')
    expect(await send(body.data.url, completed())).toMatchObject({ status: 202 })
  })

  it('200-searched by a part of the name as it stands, or by a whole id', async () => {
    const { id } = await create({ name: 'Tides 100% weekly' })
    const found = async (search: string) => {
      const { body } = await app.ask('GET', `/v1/sources?search=${encodeURIComponent(search)}`)
      return body.data.map((source: { id: string }) => source.id)
    }
    expect(await found('tides 100%')).toEqual([id])
    expect(await found(id.toUpperCase())).toEqual([id])
    for (const nothing of ['tides%weekly', 'tides_', id.slice(0, 8)]) expect(await found(nothing)).toEqual([])
  })

  it('201-secret-made, and webhooks must carry its signature', async () => {
    const { data } = await create({ name: 'Signed', signing_secret: true })
    expect(data).toMatchObject({ signed: true, signing_secret: expect.stringMatching(/^whsec_/) })
    const text = JSON.stringify(completed())
    expect(await send(data.url, text)).toMatchObject({
      status: 401,
      body: { error: { code: 'SIGNATURE_MISSING' } },
    })
    const signature = createHmac('sha256', data.signing_secret).update(text).digest('hex')
    expect(await send(data.url, text, { 'x-signature-256': `sha256=${signature}` })).toMatchObject({
      status: 202,
    })
  })

  it('201-secret-given is not repeated', async () => {
    const { id, data } = await create({ name: 'Signed', signing_secret: 'a secret of the sender' })
    expect(data).toMatchObject({ signed: true, signing_secret: null })
    expect((await row(id)).signingSecret).toMatch(/^v1\./)
  })

  it('stores secrets encrypted and the token hashed', async () => {
    const { id, data } = await create({
      name: 'Secrets',
      signing_secret: 'a secret of the sender',
      upstream_base_url: 'https://api.example.com/v1',
      upstream_api_key: 'up-key-of-the-sender',
    })
    const stored = JSON.stringify(await row(id))
    for (const secret of ['a secret of the sender', 'up-key-of-the-sender', pathOf(data.url).slice(-48)])
      expect(stored).not.toContain(secret)
    expect(data).toMatchObject({
      upstream_base_url: 'https://api.example.com/v1',
      has_upstream_api_key: true,
    })
    expect(JSON.stringify(data)).not.toContain('up-key-of-the-sender')
  })

  it('422-every-mistake-named', async () => {
    const body = { name: '', signing_secret: 'short', upstream_base_url: 'ftp://x', nmae: 'typo' }
    const answer = await app.ask('POST', '/v1/sources', { body })
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'INVALID_REQUEST' } } })
    const { details } = answer.body.error
    expect(details).toEqual([
      { path: 'body.name', message: expect.any(String) },
      { path: 'body.signing_secret', message: expect.stringContaining('16 characters') },
      { path: 'body.upstream_base_url', message: expect.stringContaining('http or https') },
      { path: 'body', message: expect.stringMatching(/nmae.*did you mean "name"/) },
    ])
  })

  it.each([
    [{ upstream_base_url: 'https://ann:hunter2@api.example.com/v1' }, 'user name or a password'],
    [{ upstream_base_url: 'https://api.example.com/v1?key=hunter2' }, 'query'],
    [{ upstream_base_url: 'https://api.example.com/v1', upstream_api_key: 'hunter2\nX-Evil: 1' }, 'one line'],
    [{ upstream_base_url: 'https://api.example.com/v1', upstream_api_key: 'hünter2' }, 'ASCII'],
  ])('422-upstream-that-cannot-be-asked-so: %j', async (upstream, why) => {
    const { status, body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream', ...upstream } })
    expect(status).toBe(422)
    expect(JSON.stringify(body.error)).toContain(why)
    expect(JSON.stringify(body.error)).not.toMatch(/h[uü]nter2/)
    expect(JSON.stringify(await app.database.prisma.source.findMany())).not.toContain('hunter2')
  })

  const bytes = (count: number) => Buffer.alloc(count, 7).toString('base64')
  it.each([
    ['whsec_!!!!', 422],
    ['whsec_', 422],
    [`whsec_${bytes(23)}`, 422],
    [`whsec_${bytes(32).slice(0, -2)}!`, 422],
    [`whsec_${bytes(24)} `, 422],
    [`whsec_${bytes(24)}`, 201],
    [`whsec_${bytes(25)}`, 201],
    [`whsec_${bytes(25).replaceAll('=', '')}`, 201],
    ['fifteen letters', 422],
    ['sixteen letters!', 201],
  ])('the secret %j is %i', async (secret, status) => {
    const asked = { body: { name: 'Signed', signing_secret: secret } }
    expect(await app.ask('POST', '/v1/sources', asked)).toMatchObject({ status })
  })

  it('200-patched, leaving alone what was not named', async () => {
    const { id } = await create({
      name: 'Before',
      signing_secret: true,
      upstream_base_url: 'https://a.example',
    })
    const { status, body } = await app.ask('PATCH', `/v1/sources/${id}`, { body: { name: 'After' } })
    expect(status).toBe(200)
    expect(body.data).toMatchObject({ name: 'After', signed: true, upstream_base_url: 'https://a.example' })
  })

  it('200-patched, null takes away', async () => {
    const { id } = await create({
      name: 'Signed',
      signing_secret: true,
      upstream_base_url: 'https://a.example',
    })
    const body = { signing_secret: null, upstream_base_url: null }
    const answer = await app.ask('PATCH', `/v1/sources/${id}`, { body })
    expect(answer.body.data).toMatchObject({ signed: false, upstream_base_url: null })
  })

  it('200-nothing-to-change', async () => {
    const { id } = await create()
    expect(await app.ask('PATCH', `/v1/sources/${id}`, { body: {} })).toMatchObject({
      status: 200,
      body: { data: { id, name: 'Upstream' } },
    })
  })

  it('200-disabled, and its sender gets 404', async () => {
    const { id, data } = await create()
    await app.ask('PATCH', `/v1/sources/${id}`, { body: { disabled: true } })
    expect(await send(data.url, completed())).toMatchObject({
      status: 404,
      body: { error: { code: 'SOURCE_UNKNOWN' } },
    })
    await app.ask('PATCH', `/v1/sources/${id}`, { body: { disabled: false } })
    expect(await send(data.url, completed())).toMatchObject({ status: 202 })
  })

  it('200-rotated without overlap, the new address works and the old one does not', async () => {
    const { id, data } = await create()
    const { body } = await app.ask('POST', `/v1/sources/${id}/rotate`, { body: { overlap_hours: 0 } })
    expect(body.data.previous_address_until).toBeNull()
    expect(body.data.url).not.toBe(data.url)
    expect(await send(body.data.url, completed())).toMatchObject({ status: 202 })
    expect(await send(data.url, completed())).toMatchObject({ status: 404 })
  })

  it('200-deleted, with the events it sent', async () => {
    const { id, data } = await create()
    const { body } = await send(data.url, completed())
    expect(await app.ask('DELETE', `/v1/sources/${id}`)).toMatchObject({
      status: 200,
      body: { success: true, id },
    })
    expect(await app.ask('GET', `/v1/sources/${id}`)).toMatchObject({ status: 404 })
    expect(await app.ask('GET', `/v1/events/${body.event_id}`)).toMatchObject({ status: 404 })
  })

  it('409-source-in-use, while a delivery needs its document', async () => {
    const { id, data } = await create()
    await send(data.url, completed({ siteId: '11111111-1111-1111-1111-111111111111' }))
    expect(await app.ask('DELETE', `/v1/sources/${id}`)).toMatchObject({
      status: 409,
      body: { error: { code: 'SOURCE_IN_USE', message: expect.stringMatching(/^One delivery/) } },
    })
    expect(await app.ask('GET', `/v1/sources/${id}`)).toMatchObject({ status: 200 })
  })

  it('404-id-that-is-no-uuid', async () => {
    expect(await app.ask('GET', '/v1/sources/mine')).toMatchObject({
      status: 404,
      body: { error: { code: 'NOT_FOUND' } },
    })
  })
})
