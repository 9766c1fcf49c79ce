import { randomUUID } from 'node:crypto'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { operatorKey, startApp, type TestApp } from './app.ts'

const LIMIT = 64 * 1024

let app: TestApp
let path: string
beforeAll(async () => {
  app = await startApp({ maxWebhookBytes: LIMIT })
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  path = new URL(body.data.url).pathname
})
afterAll(() => app.stop())

const send = (body: unknown, headers = {}) => app.ask('POST', path, { key: undefined, body, headers })

describe('/v1/webhooks/{token}', () => {
  it('202-accepted, without any key', async () => {
    expect(await send(completed())).toMatchObject({ status: 202, body: { success: true, delivery: false } })
  })

  it('202-said-what-is-not-done: no delivery, names that are not known, a member in the wrong place', async () => {
    const nowhere = await send(completed())
    expect(nowhere.body.warnings).toEqual([
      { path: 'delivery', message: expect.stringContaining('delivered nowhere') },
    ])
    const id = randomUUID()
    const event = completed({ id, siteId: randomUUID() })
    const delivery = {
      ...(event.delivery as object),
      poststatus: 'publish',
      tags: ['a'],
      metadata: { catgories: ['b'] },
    }
    const { status, body } = await send({ ...event, delivery, site_id: id, request_id: 'r' })
    expect([status, body.delivery]).toEqual([202, true])
    const heard = [
      { path: 'site_id', message: 'is not read here: it belongs in delivery.id' },
      { path: 'delivery.poststatus', message: '"poststatus" is not known here: did you mean "post_status"?' },
      { path: 'delivery.tags', message: 'is not read here: it belongs in delivery.metadata.tags' },
      {
        path: 'delivery.metadata.catgories',
        message: '"catgories" is not known here: did you mean "categories"?',
      },
    ]
    expect(body.warnings).toEqual(heard)
    const kept = await app.ask('GET', `/v1/events/${body.event_id}`)
    expect(kept.body.data).toMatchObject({ status: 'planned', issues: heard })
  })

  it.each([
    ['no blocks', []],
    ['blocks without anything in them', [{ type: 'paragraph', content: [] }, {}, { type: 'divider' }, '  ']],
  ])('422-nothing-to-post, with %s', async (_, blocks) => {
    const { status, body } = await send(completed({ blocks }))
    expect([status, body.error.code]).toEqual([422, 'WEBHOOK_UNUSABLE'])
    expect(body.error.details).toEqual([
      { path: 'data.content.content', message: expect.stringContaining('nothing that a reader would see') },
    ])
  })

  it('200-repeated', async () => {
    const event = completed()
    await send(event)
    expect(await send(event)).toMatchObject({ status: 200, body: { success: true, duplicate: true } })
  })

  it('202-whatever-the-content-type', async () => {
    expect(await send(JSON.stringify(completed()), { 'content-type': 'text/plain' })).toMatchObject({
      status: 202,
    })
  })

  it('202-compressed', async () => {
    const body = gzipSync(JSON.stringify(completed()))
    expect(await send(body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 202 })
  })

  it('202-in-chunks, of a length that nobody says', async () => {
    const body = new Blob([JSON.stringify(completed())]).stream()
    const response = await fetch(`${app.url}${path}`, { method: 'POST', body, duplex: 'half' } as RequestInit)
    expect(response.status).toBe(202)
  })

  it.each([
    ['taken', completed(), 202],
    ['refused', '{"event": ', 400],
  ])('is told of once, under its id, when it is %s', async (_, body, status) => {
    const key = await operatorKey(app)
    const counted = async () => {
      const { body } = await app.ask('GET', '/metrics', { key })
      const labels = `method="POST",route="/v1/webhooks/{token}",status="${String(status)[0]}xx"`
      return Number(body.split(`duration_seconds_count{${labels}} `)[1]?.split('\n')[0] ?? 0)
    }
    const before = await counted()
    const id = randomUUID()
    const answer = await send(body, { 'x-request-id': id })
    expect(answer).toMatchObject({ status })
    expect(answer.headers.get('x-request-id')).toBe(id)
    await expect.poll(() => app.logged.filter((line) => line.includes(id)).length).toBe(1)
    expect(JSON.parse(app.logged.find((line) => line.includes(id)) ?? '')).toMatchObject({
      subsystem: 'http',
      req: { id, method: 'POST', url: '/v1/webhooks/[redacted]', remoteAddress: '127.0.0.1' },
      res: { statusCode: status },
      responseTime: expect.any(Number),
      msg: 'request completed',
    })
    expect(await counted()).toBe(before + 1)
  })

  it('400-malformed-json', async () => {
    expect(await send('{"event": ')).toMatchObject({
      status: 400,
      body: { error: { code: 'MALFORMED_JSON' } },
    })
  })

  it('400-no-body', async () => {
    expect(await send(undefined)).toMatchObject({ status: 400, body: { error: { code: 'MALFORMED_JSON' } } })
  })

  it('404-unknown-token', async () => {
    const answer = await app.ask('POST', '/v1/webhooks/guess', { key: undefined, body: completed() })
    expect(answer).toMatchObject({ status: 404, body: { error: { code: 'SOURCE_UNKNOWN' } } })
  })

  it('405-get, naming what is possible', async () => {
    const answer = await app.ask('GET', path, { key: undefined })
    expect(answer).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } })
    expect(answer.headers.get('allow')).toBe('POST')
  })

  it('413-body-too-large, naming the limit', async () => {
    expect(await send(JSON.stringify({ filler: 'x'.repeat(LIMIT) }))).toMatchObject({
      status: 413,
      body: { error: { code: 'BODY_TOO_LARGE', message: expect.stringContaining(`${LIMIT} bytes`) } },
    })
  })

  it('413-body-too-large-once-unpacked', async () => {
    const body = gzipSync(JSON.stringify({ filler: 'x'.repeat(LIMIT) }))
    expect(body.length).toBeLessThan(LIMIT)
    expect(await send(body, { 'content-encoding': 'gzip' })).toMatchObject({ status: 413 })
  })

  it('415-unknown-compression', async () => {
    expect(await send('{}', { 'content-encoding': 'rot13' })).toMatchObject({
      status: 415,
      body: { error: { code: 'UNSUPPORTED_MEDIA_TYPE' } },
    })
  })

  it('422-unusable, kept where it can be seen', async () => {
    const answer = await send({ event: 'document.completed', id: '' })
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'WEBHOOK_UNUSABLE' } } })
    expect(answer.body.error.details).toEqual(
      expect.arrayContaining([{ path: expect.stringContaining('id'), message: expect.any(String) }]),
    )
    const { body } = await app.ask('GET', '/v1/events?status=unusable&limit=1')
    expect(body.data[0]).toMatchObject({ status: 'unusable', issues: answer.body.error.details })
  })

  it('422-more-than-a-document-may-become, naming the limit and where', async () => {
    const table = { type: 'table', headers: Array(7_000).fill(''), rows: Array(7_000).fill({}) }
    const answer = await send({ ...completed(), data: { title: 'T', content: { content: [table] } } })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'WEBHOOK_UNUSABLE',
          details: [
            { path: 'data.content.content.0.rows', message: expect.stringContaining('at most 50,000 cells') },
          ],
        },
      },
    })
  })

  it('keeps the token out of the log', async () => {
    const token = path.split('/').at(-1) as string
    await send(completed())
    expect(app.logged.join('')).toContain('/v1/webhooks/[redacted]')
    expect(app.logged.join('')).not.toContain(token)
  })
})
