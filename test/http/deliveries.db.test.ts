import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { resumeSite } from '../../src/delivery/ledger/outage.ts'
import { queueForKnownSites } from '../../src/delivery/maintenance/unknown-site.ts'
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
      event_id: expect.any(String),
      media: [],
      timeline: [{ step: 'plan', outcome: 'held', at: expect.any(String) }],
    })
  })

  it('409-edits-before-there-is-a-post', async () => {
    const { delivery } = await held()
    expect(await app.ask('GET', `/v1/deliveries/${delivery.id}/edits`)).toMatchObject({
      status: 409,
      body: { error: { code: 'DELIVERY_HAS_NO_POST' } },
    })
  })

  it('422-overwrite-and-status-only-at-once', async () => {
    const { delivery } = await held()
    const body = { overwrite: true, status_only: true }
    expect(await app.ask('POST', `/v1/deliveries/${delivery.id}/retry`, { body })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'body.status_only' }] } },
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

  it('200-cancelled: it stays so until a retry, or a newer version', async () => {
    const { siteId, documentId, delivery } = await held()
    const cancel = () => app.ask('POST', `/v1/deliveries/${delivery.id}/cancel`)
    const cancelled = {
      status: 200,
      body: { data: { status: 'cancelled', error: null, next_attempt_at: null } },
    }
    expect(await cancel()).toMatchObject(cancelled)
    expect(await cancel()).toMatchObject(cancelled)
    // What brings back all that was held for a site that is connected now.
    await app.database.prisma.site.create({
      data: {
        id: siteId,
        accountId: app.owner.id,
        name: 'Connected since',
        url: 'https://since.example',
        restRoot: 'https://since.example/wp-json/',
        username: 'galley',
        applicationPassword: 'unused',
      },
    })
    await resumeSite(app.database.pool, { accountId: app.owner.id, id: siteId })
    await queueForKnownSites(app.database.pool)
    const read = async () => (await app.ask('GET', `/v1/deliveries/${delivery.id}`)).body.data
    expect(await read()).toMatchObject({ status: 'cancelled' })
    expect((await read()).timeline).toMatchObject([
      { outcome: 'held' },
      { step: 'plan', outcome: 'cancelled' },
    ])
    const newer = completed({ siteId })
    const again = { ...newer, id: documentId, data: { ...(newer.data as object), title: 'In other words' } }
    await app.ask('POST', path, { key: undefined, body: again })
    expect(await read()).toMatchObject({ status: 'queued' })
    expect(await cancel()).toMatchObject(cancelled)
    expect(await app.ask('POST', `/v1/deliveries/${delivery.id}/retry`)).toMatchObject({
      status: 202,
      body: { data: { status: 'queued' } },
    })
  })

  it.each([
    ['delivering', 'DELIVERY_UNDER_WAY'],
    ['delivered', 'DELIVERY_DONE'],
  ])('409-cancelled-while-%s: %s', async (status, code) => {
    const { delivery } = await held()
    await app.database.pool.query('UPDATE delivery SET status = $2 WHERE id = $1', [delivery.id, status])
    expect(await app.ask('POST', `/v1/deliveries/${delivery.id}/cancel`)).toMatchObject({
      status: 409,
      body: { error: { code } },
    })
    expect((await app.ask('GET', `/v1/deliveries/${delivery.id}`)).body.data).toMatchObject({ status })
  })

  it('404-unknown', async () => {
    for (const [method, suffix] of [
      ['GET', ''],
      ['POST', '/retry'],
      ['POST', '/cancel'],
    ] as const)
      expect(await app.ask(method, `/v1/deliveries/${crypto.randomUUID()}${suffix}`)).toMatchObject({
        status: 404,
      })
  })
})
