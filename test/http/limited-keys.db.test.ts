import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { allowsSiteScope, hasRight } from '../../src/accounts/authenticate.ts'
import { allEndpoints } from '../../src/http/app.ts'
import type { Services } from '../../src/http/services.ts'
import { createDueDigests } from '../../src/notifications/mail/digest.ts'
import { someProviders } from '../generation/providers.ts'
import { storeNotification } from '../notifications/store.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
/** A manager's, limited to sites with the label `news`. */
let key: string
/** One with the label, and one without. */
let seen: string
let unseen: string
/** What is about either, by the list that shows it. */
const about = { seen: {} as Record<string, string>, unseen: {} as Record<string, string> }

beforeAll(async () => {
  app = await startApp({}, undefined, undefined, someProviders)
  seen = await site(['news'])
  unseen = await site(['sport'])
  const source = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  for (const [ids, siteId, labels] of [
    [about.seen, seen, ['news']],
    [about.unseen, unseen, ['sport']],
  ] as const) {
    const event = await app.ask('POST', new URL(source.body.data.url).pathname, {
      key: undefined,
      body: completed({ siteId }),
    })
    ids.events = event.body.event_id
    ids.deliveries = (await app.ask('GET', `/v1/deliveries?site_id=${siteId}`)).body.data[0].id
    ids.notifications = await storeNotification(app.database.pool, {
      accountId: app.owner.id,
      event: 'delivery.held',
      subjectId: ids.deliveries as string,
      url: 'https://receiver.example/',
      body: '{}',
    })
    const link = await app.database.prisma.connectLink.create({
      data: {
        ...{ id: crypto.randomUUID(), accountId: app.owner.id, tokenHash: siteId, requested: { labels } },
        ...{ url: 'https://site.example', restRoot: 'https://site.example/wp-json/' },
        expiresAt: new Date(Date.now() + 60_000),
      },
    })
    ids['connect-links'] = link.id
    ids.sites = siteId
  }
  const body = { name: 'News', role: 'manager', labels: ['news'] }
  key = (await app.ask('POST', '/v1/keys', { body })).body.data.key
})
afterAll(() => app.stop())

async function site(labels: string[]): Promise<string> {
  const id = crypto.randomUUID()
  await app.database.prisma.site.create({
    data: {
      ...{ id, accountId: app.owner.id, name: 'Site', url: 'https://site.example', username: id, labels },
      ...{ restRoot: 'https://site.example/wp-json/', applicationPassword: 'unused' },
    },
  })
  return id
}

const ask = (method: string, path: string, body?: unknown) => app.ask(method, path, { key, body })
const idsIn = async (path: string): Promise<string[]> =>
  (await ask('GET', path)).body.data.map(({ id }: { id: string }) => id)

const lists = ['sites', 'deliveries', 'events', 'notifications', 'connect-links'] as const

describe('a key that is limited to a label', () => {
  it.each(lists)('finds in a list what is about its sites, page by page: %s', async (list) => {
    expect(await idsIn(`/v1/${list}`)).toEqual([about.seen[list]])
    const { body } = await ask('GET', `/v1/${list}?limit=1`)
    expect(body).toMatchObject({ data: [{ id: about.seen[list] }], next_cursor: null })
    expect((await app.ask('GET', `/v1/${list}`)).body.data).toHaveLength(2)
  })

  it('finds its links by their status', async () => {
    const link = about.seen['connect-links']
    expect(await idsIn('/v1/connect-links?status=open&limit=1')).toEqual([link])
    expect(await idsIn('/v1/connect-links?status=used&status=expired&status=revoked')).toEqual([])
  })

  it.each(lists)('reads what is about its sites, and nothing else: %s', async (list) => {
    expect((await ask('GET', `/v1/${list}/${about.seen[list]}`)).status).toBe(200)
    expect((await ask('GET', `/v1/${list}/${about.unseen[list]}`)).status).toBe(404)
  })

  it.each([
    ['GET', ''],
    ['GET', '/edits'],
    ['POST', '/cancel'],
    ['POST', '/retry'],
  ])('hears of a delivery on another site what it hears of none: %s %s', async (method, call) => {
    const body = call === '/retry' ? {} : undefined
    const { status, body: answer } = await ask(
      method,
      `/v1/deliveries/${about.unseen.deliveries}${call}`,
      body,
    )
    expect({ status, code: answer.error.code }).toEqual({ status: 404, code: 'DELIVERY_NOT_FOUND' })
  })

  it('filters what it sees', async () => {
    expect(await idsIn('/v1/events?status=planned')).toEqual([about.seen.events])
    expect(await idsIn('/v1/events?status=unusable')).toEqual([])
    expect(await idsIn(`/v1/notifications?subject_id=${about.seen.deliveries}`)).toEqual([
      about.seen.notifications,
    ])
    expect(await idsIn(`/v1/notifications?subject_id=${about.unseen.deliveries}`)).toEqual([])
    expect(await idsIn(`/v1/deliveries?site_id=${unseen}`)).toEqual([])
  })

  it('follows a label: what gets it is seen from the next request on', async () => {
    const late = await site([])
    expect((await ask('GET', `/v1/sites/${late}`)).status).toBe(404)
    await app.ask('PATCH', `/v1/sites/${late}`, { body: { labels: ['news'] } })
    expect((await ask('GET', `/v1/sites/${late}`)).status).toBe(200)
    await app.ask('PATCH', `/v1/sites/${late}`, { body: { labels: [] } })
    expect((await ask('GET', `/v1/sites/${late}`)).status).toBe(404)
  })

  it('connects no site that it would not see', async () => {
    const requested = { url: 'https://127.0.0.1:1', username: 'x', application_password: 'y' }
    const out = { status: 422, body: { error: { code: 'SITE_OUT_OF_SIGHT' } } }
    expect(await ask('POST', '/v1/sites', requested)).toMatchObject(out)
    expect(await ask('POST', '/v1/sites', { ...requested, labels: ['sport'] })).toMatchObject(out)
    expect(await ask('POST', '/v1/connect-links', { url: requested.url })).toMatchObject(out)
    // With the label, it gets as far as the site, which nobody answers for.
    for (const [path, body] of [
      ['/v1/sites', { ...requested, labels: ['news'] }],
      ['/v1/connect-links', { url: requested.url, labels: ['news'] }],
      ['/v1/connect-links', { url: requested.url, id: seen }],
    ] as const) {
      const answer = await ask('POST', path, body)
      expect(answer.status).toBe(422)
      expect(answer.body.error.code).not.toBe('SITE_OUT_OF_SIGHT')
    }
    const taken = await ask('POST', '/v1/connect-links', { url: requested.url, id: unseen, labels: ['news'] })
    expect(taken).toMatchObject({ status: 409, body: { error: { code: 'SITE_ID_TAKEN' } } })
  })

  it('sends nothing to another site', async () => {
    const retry = (to?: string) =>
      ask('POST', `/v1/deliveries/${about.seen.deliveries}/retry`, to === undefined ? {} : { site_id: to })
    expect((await retry(unseen)).status).toBe(422)
    expect((await retry(unseen.toUpperCase())).status).toBe(422)
    expect(
      (await ask('POST', `/v1/deliveries/${about.unseen.deliveries}/retry`, { site_id: seen })).status,
    ).toBe(404)
    const order = (site_id: string) =>
      ask('POST', '/v1/document/create', { prompt: 'How tides come about', site_id })
    expect((await order(unseen)).status).toBe(422)
    const ordered = await order(seen)
    expect(ordered.status).toBe(202)
    expect((await ask('GET', `/v1/document/status/${ordered.body.id}`)).status).toBe(200)
    const other = await app.ask('POST', '/v1/document/create', {
      body: { prompt: 'How tides turn', site_id: unseen },
    })
    expect((await ask('GET', `/v1/document/status/${other.body.id}`)).status).toBe(404)
  })

  it('404-an id that is no UUID, however much it looks like one, at every path', async () => {
    const described = allEndpoints({ database: {}, config: {}, budget: {} } as Services)
    const named = described.filter(
      ({ path, right }) => path.includes('{uuid}') && allowsSiteScope(right) && hasRight('manager', right),
    )
    expect(named.length).toBeGreaterThan(20)
    for (const { method, path } of named)
      for (const id of ['a'.repeat(36), '-'.repeat(36)]) {
        const body = method === 'get' ? undefined : {}
        const { status } = await ask(method.toUpperCase(), path.replace('{uuid}', id), body)
        expect(status, `${method} ${path}`).toBe(404)
      }
  })

  it('reads no mail that is also about what belongs to no site, such as an outage of all sites', async () => {
    const { pool } = app.database
    await pool.query(
      `WITH made AS (
         INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
         SELECT gen_random_uuid(), $1, 'Desk', 'email', 'mailto:desk@example.org', '{site.outage}', 5 RETURNING id
       )
       INSERT INTO digest_item (receiver_id, event, subject_id, site_id, data, due_at)
       SELECT made.id, 'site.outage', $2::uuid, $2, '{"id": "1"}'::jsonb, now() FROM made
       UNION ALL SELECT made.id, 'outage.began', gen_random_uuid(), NULL, '{"id": "2"}', now() FROM made`,
      [app.owner.id, seen],
    )
    await createDueDigests(pool)
    const [mail] = (await app.ask('GET', '/v1/notifications?event=digest')).body.data
    expect(mail).toMatchObject({ event: 'digest', subject_id: mail.receiver_id })
    expect((await ask('GET', `/v1/notifications/${mail.id}`)).status).toBe(404)
    expect(await idsIn('/v1/notifications?event=digest')).toEqual([])
  })

  it('403-what is about all of the account', async () => {
    for (const [method, path] of [
      ['POST', '/v1/sources'],
      ['POST', '/v1/account/notification-secret'],
    ] as const)
      expect(await ask(method, path, { name: 'x' })).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      })
  })
})
