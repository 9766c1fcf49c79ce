import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let path: string
beforeAll(async () => {
  app = await startApp()
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  path = new URL(body.data.url).pathname
})
afterAll(() => app.stop())

const send = (body: unknown) => app.ask('POST', path, { key: undefined, body })

describe('/v1/events', () => {
  it('200-planned, with the document it was about', async () => {
    const event = completed({ siteId: crypto.randomUUID() })
    await send(event)
    const { body } = await app.ask('GET', '/v1/events?status=planned')
    expect(body.data[0]).toMatchObject({
      event: 'document.completed',
      document_id: event.id,
      status: 'planned',
      issues: [],
    })
    expect(body.data[0]).not.toHaveProperty('body')
  })

  it('200-kept, with the body as it came', async () => {
    const text = JSON.stringify(completed(), null, 2)
    const { body } = await send(text)
    expect(await app.ask('GET', `/v1/events/${body.event_id}`)).toMatchObject({
      status: 200,
      body: { data: { status: 'kept', body: text, body_encoding: 'utf-8' } },
    })
  })

  it('200-not-even-text, as base64', async () => {
    const bytes = Uint8Array.of(0xff, 0xfe, 0x00)
    await send(bytes)
    const list = await app.ask('GET', '/v1/events?status=unusable&limit=1')
    const { body } = await app.ask('GET', `/v1/events/${list.body.data[0].id}`)
    expect(body.data).toMatchObject({ body: Buffer.from(bytes).toString('base64'), body_encoding: 'base64' })
  })

  it('200-full-of-control-characters, as base64: JSON would have six letters for each', async () => {
    const bytes = new Uint8Array(1000)
    await send(bytes)
    const list = await app.ask('GET', '/v1/events?status=unusable&limit=1')
    const { body } = await app.ask('GET', `/v1/events/${list.body.data[0].id}`)
    expect(body.data).toMatchObject({ body: Buffer.from(bytes).toString('base64'), body_encoding: 'base64' })
  })

  it('200-purged, its body gone', async () => {
    const { body } = await send(completed())
    await app.database.prisma.event.update({ where: { id: body.event_id }, data: { body: null } })
    expect(await app.ask('GET', `/v1/events/${body.event_id}`)).toMatchObject({
      status: 200,
      body: { data: { body: null } },
    })
  })

  it('422-unknown-status, naming those there are', async () => {
    expect(await app.ask('GET', '/v1/events?status=lost')).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'query.status', message: expect.stringContaining('unusable') }] } },
    })
  })

  it.each(['0', '101', 'ten', '1.5'])('422-limit-%s', async (limit) => {
    expect(await app.ask('GET', `/v1/events?limit=${limit}`)).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'query.limit' }] } },
    })
  })

  it('404-unknown', async () => {
    expect(await app.ask('GET', `/v1/events/${crypto.randomUUID()}`)).toMatchObject({ status: 404 })
  })
})
