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

/** A delivery to a site that nobody connected: it is held. */
async function held() {
  const siteId = crypto.randomUUID()
  const event = completed({ siteId })
  await app.ask('POST', path, { key: undefined, body: event })
  const { body } = await app.ask('GET', `/v1/deliveries?document_id=${event.id}`)
  return { siteId, documentId: event.id, delivery: body.data[0] }
}

describe('/v1/deliveries', () => {
  it('200-listed, by document, site and status', async () => {
    const { siteId, documentId, delivery } = await held()
    await held()
    expect(delivery).toMatchObject({ document_id: documentId, site_id: siteId, status: 'held', post: null })
    for (const filter of [`site_id=${siteId}`, `site_id=${siteId}&status=held`])
      expect((await app.ask('GET', `/v1/deliveries?${filter}`)).body.data).toEqual([delivery])
    expect((await app.ask('GET', `/v1/deliveries?site_id=${siteId}&status=failed`)).body.data).toEqual([])
  })

  it('200-read, step by step', async () => {
    const { delivery } = await held()
    const { body } = await app.ask('GET', `/v1/deliveries/${delivery.id}`)
    expect(body.data).toMatchObject({
      ...delivery,
      error: { code: 'site_unknown', step: 'plan', message: expect.any(String) },
      timeline: [{ step: 'plan', outcome: 'held', at: expect.any(String) }],
    })
  })

  it('422-retry-while-the-site-is-not-connected', async () => {
    const { delivery } = await held()
    expect(await app.ask('POST', `/v1/deliveries/${delivery.id}/retry`)).toMatchObject({
      status: 422,
      body: { error: { code: 'SITE_UNKNOWN' } },
    })
  })

  it('202-retried-at-another-site', async () => {
    const { delivery } = await held()
    const site = await app.database.prisma.site.create({
      data: {
        id: crypto.randomUUID(),
        accountId: app.owner.id,
        name: 'Elsewhere',
        url: 'https://elsewhere.example',
        restRoot: 'https://elsewhere.example/wp-json/',
        username: 'galley',
        applicationPassword: 'unused',
      },
    })
    const body = { site_id: site.id }
    expect(await app.ask('POST', `/v1/deliveries/${delivery.id}/retry`, { body })).toMatchObject({
      status: 202,
      body: { success: true, data: { id: delivery.id, site_id: site.id, status: 'queued', error: null } },
    })
  })

  it('422-retry-with-an-unknown-field', async () => {
    const { delivery } = await held()
    const answer = await app.ask('POST', `/v1/deliveries/${delivery.id}/retry`, { body: { force: true } })
    expect(answer).toMatchObject({
      status: 422,
      body: {
        error: { details: [{ path: 'body', message: expect.stringContaining('site_id, overwrite') }] },
      },
    })
  })

  it('404-unknown', async () => {
    for (const [method, suffix] of [
      ['GET', ''],
      ['POST', '/retry'],
    ] as const)
      expect(await app.ask(method, `/v1/deliveries/${crypto.randomUUID()}${suffix}`)).toMatchObject({
        status: 404,
      })
  })
})
