import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { notificationEvents } from '../../src/notifications/outcomes.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const requested = { name: 'Newsroom', url: 'https://receiver.example/told' }
const make = async (more: object = {}, key = app.owner.key) =>
  (await app.ask('POST', '/v1/receivers', { key, body: { ...requested, ...more } })).body.data
/** Limits the owner's key to these sites. */
const limit = (siteIds: string[]) =>
  app.database.pool.query('UPDATE api_key SET site_ids = $1 WHERE account_id = $2', [siteIds, app.owner.id])

async function site(): Promise<string> {
  const id = randomUUID()
  const columns = { name: 'S', url: 'https://s.example', restRoot: 'https://s.example/wp-json/' }
  const signsIn = { username: 'u', applicationPassword: 'unused' }
  await app.database.prisma.site.create({ data: { id, accountId: app.owner.id, ...columns, ...signsIn } })
  return id
}

describe('/v1/receivers', () => {
  it('201-made, its secret shown only once and kept encrypted', async () => {
    const { status, body } = await app.ask('POST', '/v1/receivers', { body: requested })
    expect(status).toBe(201)
    expect(body).toMatchObject({
      id: body.data.id,
      data: { ...requested, kind: 'webhook', events: notificationEvents },
    })
    expect(body.data.secret).toMatch(/^whsec_[\w+/]{43}=$/)
    const { rows } = await app.database.pool.query('SELECT secret FROM receiver WHERE id = $1', [body.id])
    expect(rows[0].secret).toMatch(/^v1\./)
    for (const path of ['', `/${body.id}`])
      expect(JSON.stringify((await app.ask('GET', `/v1/receivers${path}`)).body)).not.toContain('whsec_')
  })

  it('200-listed, a page at a time', async () => {
    const [first, second] = [await make(), await make()]
    const { body } = await app.ask('GET', '/v1/receivers?limit=1')
    expect(body).toMatchObject({ data: [{ id: second.id }], next_cursor: second.id })
    const next = await app.ask('GET', `/v1/receivers?limit=1&cursor=${second.id}`)
    expect(next.body.data).toMatchObject([{ id: first.id }])
  })

  it('200-changed, and what is left out stays', async () => {
    const { id } = await make({ labels: ['news'] })
    const changed = await app.ask('PATCH', `/v1/receivers/${id}`, {
      body: { events: ['site.outage'], disabled: true },
    })
    expect(changed).toMatchObject({
      status: 200,
      body: { data: { ...requested, events: ['site.outage'], labels: ['news'], disabled: true } },
    })
    const again = await app.ask('PATCH', `/v1/receivers/${id}`, { body: { disabled: false } })
    expect(again.body.data).toMatchObject({ events: ['site.outage'], disabled: false })
  })

  it.each([
    ['an address with a password', { url: 'https://u:p@receiver.example/' }],
    ['another protocol', { url: 'ftp://receiver.example/' }],
    ['an unknown event', { events: ['delivery.lost'] }],
    ['no event', { events: [] }],
  ])('422-%s', async (_, more) => {
    expect(await app.ask('POST', '/v1/receivers', { body: { ...requested, ...more } })).toMatchObject({
      status: 422,
    })
  })

  it('200-rotated: the secret so far is kept beside the new one, or ends at once', async () => {
    const { id, secret } = await make()
    const { body } = await app.ask('POST', `/v1/receivers/${id}/rotate`)
    expect(body.data.secret).not.toBe(secret)
    expect(Date.parse(body.data.previous_secret_until)).toBeGreaterThan(Date.now() + 23 * 3_600_000)
    const ended = await app.ask('POST', `/v1/receivers/${id}/rotate`, { body: { previous_secret_hours: 0 } })
    expect(ended.body.data.previous_secret_until).toBeNull()
    const { rows } = await app.database.pool.query('SELECT previous_secret FROM receiver WHERE id = $1', [id])
    expect(rows[0].previous_secret).toBeNull()
  })

  it('200-told as a chat has it: what is stored stays the outcome, and mail has no format', async () => {
    const { id, format } = await make({ format: 'slack' })
    expect(format).toBe('slack')
    const changed = await app.ask('PATCH', `/v1/receivers/${id}`, { body: { format: 'teams' } })
    expect(changed).toMatchObject({ status: 200, body: { data: { id, format: 'teams' } } })
    expect((await make()).format).toBe('standard')
    const mail = { ...requested, url: 'mailto:ann@example.com', format: 'slack' }
    expect(await app.ask('POST', '/v1/receivers', { body: mail })).toMatchObject({ status: 422 })
    const other = await app.ask('POST', '/v1/receivers', { body: { ...requested, format: 'discord' } })
    expect(other).toMatchObject({ status: 422 })
  })

  it('200-a language, which mail alone has', async () => {
    const { id, language } = await make()
    expect(language).toBe('en')
    const refused = await app.ask('POST', '/v1/receivers', { body: { ...requested, language: 'de' } })
    expect(refused).toMatchObject({ status: 422 })
    const changed = await app.ask('PATCH', `/v1/receivers/${id}`, { body: { language: 'de' } })
    expect(changed).toMatchObject({ status: 409, body: { error: { code: 'OTHER_KIND' } } })
  })

  it('202-sample, of the event that is asked for, on record', async () => {
    const { id } = await make({ events: ['site.outage'] })
    const first = await app.ask('POST', `/v1/receivers/${id}/test`)
    expect(first).toMatchObject({ status: 202, body: { data: { event: 'site.outage', receiver_id: id } } })
    expect(JSON.parse(first.body.data.body)).toMatchObject({
      event: 'site.outage',
      id: first.body.data.id,
      sample: true,
      data: { what_to_do: expect.any(String) },
    })
    await app.ask('POST', `/v1/receivers/${id}/test`, { body: { event: 'delivery.held' } })
    const listed = async (query: string) =>
      (await app.ask('GET', `/v1/notifications?receiver_id=${id}${query}`)).body.data.map(
        ({ event }: { event: string }) => event,
      )
    expect(await listed('')).toEqual(['delivery.held', 'site.outage'])
    expect(await listed('&event=site.outage')).toEqual(['site.outage'])
  })

  it('200-removed: what waits is not sent, and what it was told stays', async () => {
    const { id } = await make()
    const sample = (await app.ask('POST', `/v1/receivers/${id}/test`)).body.data
    expect(await app.ask('DELETE', `/v1/receivers/${id}`)).toMatchObject({ status: 200, body: { id } })
    expect(await app.ask('GET', `/v1/receivers/${id}`)).toMatchObject({ status: 404 })
    expect((await app.ask('GET', `/v1/notifications/${sample.id}`)).body.data).toMatchObject({
      status: 'failed',
      next_attempt_at: null,
    })
    expect(await app.ask('POST', `/v1/notifications/${sample.id}/repeat`)).toMatchObject({
      status: 409,
      body: { error: { code: 'RECEIVER_REMOVED' } },
    })
    const { rows } = await app.database.pool.query('SELECT secret FROM receiver WHERE id = $1', [id])
    expect(rows).toEqual([{ secret: null }])
  })

  it('409-as-many-as-there-may-be', async () => {
    const { key } = app.stranger
    for (let n = 0; n < 50; n += 1) await make({}, key)
    expect(await app.ask('POST', '/v1/receivers', { key, body: requested })).toMatchObject({
      status: 409,
      body: { error: { code: 'TOO_MANY_RECEIVERS' } },
    })
  })

  it('403-to-a-key-of-some-sites that would have others told, 404 where others are told already', async () => {
    const [own, other] = [await site(), await site()]
    const wide = await make()
    const ofOther = await make({ site_ids: [own, other] })
    await limit([own])
    try {
      const another = await app.ask('POST', '/v1/receivers', { body: { ...requested, site_ids: [other] } })
      expect(another).toMatchObject({ status: 422, body: { error: { code: 'INVALID_REQUEST' } } })
      for (const more of [{}, { site_ids: [own], labels: ['news'] }])
        expect(await app.ask('POST', '/v1/receivers', { body: { ...requested, ...more } })).toMatchObject({
          status: 403,
          body: { error: { code: 'RECEIVER_TOO_WIDE' } },
        })
      const mine = await make({ site_ids: [own] })
      const list = await app.ask('GET', '/v1/receivers')
      expect(list.body.data).toMatchObject([{ id: mine.id }])
      const wider = await app.ask('PATCH', `/v1/receivers/${mine.id}`, { body: { site_ids: [] } })
      expect(wider).toMatchObject({ status: 403, body: { error: { code: 'RECEIVER_TOO_WIDE' } } })
      for (const { id } of [wide, ofOther])
        for (const [method, path] of [
          ['GET', ''],
          ['DELETE', ''],
          ['POST', '/rotate'],
          ['POST', '/test'],
        ] as const)
          expect(await app.ask(method, `/v1/receivers/${id}${path}`)).toMatchObject({ status: 404 })
    } finally {
      await limit([])
    }
  })
})
