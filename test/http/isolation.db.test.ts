import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { endpoints } from '../../scripts/openapi/routes.ts'
import { allowsSiteScope } from '../../src/accounts/authenticate.ts'
import { someProviders } from '../generation/providers.ts'
import { storeNotification } from '../notifications/store.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

type Kind =
  | 'sites'
  | 'connect-links'
  | 'sources'
  | 'events'
  | 'deliveries'
  | 'keys'
  | 'notifications'
  | 'receivers'
  | 'document/status'
  | 'audio/status'
  | 'image/status'
  | 'jobs'
  | 'bulk'
  | 'imports'

let app: TestApp
/** What the owner has, by the list that shows it. */
let owned: Record<Kind, string>
/** A manager's of the same account, limited to sites with a label that none has. */
let limited: string

beforeAll(async () => {
  app = await startApp({}, undefined, undefined, someProviders)
  const source = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  const event = await app.ask('POST', new URL(source.body.data.url).pathname, {
    key: undefined,
    body: completed({ siteId: crypto.randomUUID() }),
  })
  const deliveries = await app.ask('GET', '/v1/deliveries')
  const keys = await app.ask('GET', '/v1/keys')
  const site = await app.database.prisma.site.create({
    data: {
      id: crypto.randomUUID(),
      accountId: app.owner.id,
      name: 'Site',
      url: 'https://site.example',
      restRoot: 'https://site.example/wp-json/',
      username: 'galley',
      applicationPassword: 'unused',
    },
  })
  const link = await app.database.prisma.connectLink.create({
    data: {
      id: crypto.randomUUID(),
      accountId: app.owner.id,
      tokenHash: 'unused',
      url: 'https://site.example',
      restRoot: 'https://site.example/wp-json/',
      requested: { labels: [] },
      expiresAt: new Date(Date.now() + 60_000),
    },
  })
  const job = async (kind: string, body: object): Promise<string> =>
    (await app.ask('POST', `/v1/${kind}/create`, { body })).body.id
  const notifications = await storeNotification(app.database.pool, {
    accountId: app.owner.id,
    event: 'image.completed',
    subjectId: crypto.randomUUID(),
    url: 'https://receiver.example/',
    body: '{}',
  })
  const limit = { name: 'Elsewhere', role: 'manager', labels: ['elsewhere'] }
  limited = (await app.ask('POST', '/v1/keys', { body: limit })).body.data.key
  // That a key is in use is written down once.
  await app.ask('GET', '/v1/sites', { key: limited })
  const bulk = await app.ask('POST', '/v1/bulk', { body: { action: 'retry', filter: {}, dry_run: true } })
  const csv = 'url,username,application_password\nhttps://127.0.0.1:1,x,y'
  const imports = await app.ask('POST', '/v1/imports', { body: csv, headers: { 'content-type': 'text/csv' } })
  const ordered = await job('document', { prompt: 'How tides come about', site_id: site.id })
  owned = {
    notifications,
    'document/status': ordered,
    jobs: ordered,
    receivers: (
      await app.ask('POST', '/v1/receivers', { body: { name: 'R', url: 'https://receiver.example/' } })
    ).body.id,
    'audio/status': await job('audio', { text: 'The sea rises and falls.' }),
    'image/status': await job('image', { prompt: 'A harbour at low water' }),
    'connect-links': link.id,
    sites: site.id,
    sources: source.body.id,
    events: event.body.event_id,
    deliveries: deliveries.body.data[0].id,
    keys: keys.body.data[0].id,
    bulk: bulk.body.id,
    imports: imports.body.id,
  }
})
afterAll(() => app.stop())

const everything = async () => {
  const { rows } = await app.database.pool.query(
    `SELECT jsonb_build_array(
       (SELECT jsonb_agg(s ORDER BY s.id) FROM site s), (SELECT jsonb_agg(s ORDER BY s.id) FROM source s),
       (SELECT jsonb_agg(d ORDER BY d.id) FROM delivery d), (SELECT jsonb_agg(k ORDER BY k.id) FROM api_key k),
       (SELECT jsonb_agg(l ORDER BY l.id) FROM connect_link l), (SELECT jsonb_agg(n ORDER BY n.id) FROM notification n),
       (SELECT jsonb_agg(r ORDER BY r.id) FROM receiver r),
       (SELECT jsonb_agg(b ORDER BY b.id) FROM bulk_job b)) AS all`,
  )
  return rows[0].all
}

describe('what belongs to one account', () => {
  it.each([
    'sites',
    'connect-links',
    'sources',
    'events',
    'deliveries',
    'notifications',
    'receivers',
  ] as const)('is in no list of another: %s', async (list) => {
    expect((await app.ask('GET', `/v1/${list}`)).body.data).toHaveLength(1)
    expect(await app.ask('GET', `/v1/${list}`, { key: app.stranger.key })).toMatchObject({
      status: 200,
      body: { data: [], next_cursor: null },
    })
  })

  it('is in no list of another: keys', async () => {
    const { body } = await app.ask('GET', '/v1/keys', { key: app.stranger.key })
    expect(body.data.map(({ last_four }: { last_four: string }) => last_four)).toEqual([
      app.stranger.key.slice(-4),
    ])
  })

  const calls = [
    ['GET', 'sites', ''],
    ['GET', 'sites', '/choices'],
    ['GET', 'sites', '/styles'],
    ['PATCH', 'sites', '', { name: 'Mine now' }],
    ['DELETE', 'sites', ''],
    ['DELETE', 'sites', '?revoke=true'],
    ['POST', 'sites', '/check'],
    ['POST', 'sites', '/pause', { reason: 'Mine now' }],
    ['POST', 'sites', '/resume'],
    ['POST', 'sites', '/preview', { data: completed().data }],
    ['GET', 'connect-links', ''],
    ['DELETE', 'connect-links', ''],
    ['GET', 'sources', ''],
    ['PATCH', 'sources', '', { name: 'Mine now' }],
    ['POST', 'sources', '/rotate'],
    ['POST', 'sources', '/backfill', { document_ids: ['11111111-1111-4111-8111-111111111111'] }],
    ['GET', 'sources', '/backfill'],
    ['DELETE', 'sources', ''],
    ['GET', 'events', ''],
    ['POST', 'events', '/deliver', { site_ids: [crypto.randomUUID()] }],
    ['GET', 'deliveries', ''],
    ['GET', 'deliveries', '/edits'],
    ['POST', 'deliveries', '/retry'],
    ['POST', 'deliveries', '/undo'],
    ['POST', 'deliveries', '/withdraw', { to: 'draft' }],
    ['POST', 'deliveries', '/cancel'],
    ['PATCH', 'keys', '', { name: 'Mine now' }],
    ['POST', 'keys', '/rotate'],
    ['DELETE', 'keys', ''],
    ['GET', 'notifications', ''],
    ['POST', 'notifications', '/repeat'],
    ['GET', 'receivers', ''],
    ['PATCH', 'receivers', '', { name: 'Mine now' }],
    ['DELETE', 'receivers', ''],
    ['POST', 'receivers', '/rotate'],
    ['POST', 'receivers', '/test'],
    ['GET', 'jobs', ''],
    ['POST', 'jobs', '/cancel'],
    ['POST', 'jobs', '/resume'],
    ['GET', 'document/status', ''],
    ['GET', 'audio/status', ''],
    ['GET', 'image/status', ''],
    ['GET', 'bulk', ''],
    ['GET', 'bulk', '/items'],
    ['POST', 'bulk', '/cancel'],
    ['GET', 'imports', ''],
  ] as const
  it.each(calls)('404-to-another: %s /v1/%s/{uuid}%s', async (method, kind, suffix, body?: object) => {
    const before = await everything()
    const answer = await app.ask(method, `/v1/${kind}/${owned[kind]}${suffix}`, {
      key: app.stranger.key,
      body,
    })
    expect(answer).toMatchObject({ status: 404, body: { success: false } })
    expect(await everything()).toEqual(before)
  })

  it.each(calls)(
    '404-to a key that is limited to another site: %s /v1/%s/{uuid}%s',
    async (method, kind, suffix, body?: object) => {
      const path = `/v1/${kind}/{uuid}${suffix.replace(/\?.*/, '')}`
      const described = endpoints().find((one) => one.path === path && one.method === method.toLowerCase())
      // What is about all of the account it may not do at all, and a source or what was made for no site is all of its keys'.
      const whole = described !== undefined && !allowsSiteScope(described.right)
      if (!whole && ['sources', 'audio/status', 'image/status'].includes(kind)) return
      const before = await everything()
      const answer = await app.ask(method, `/v1/${kind}/${owned[kind]}${suffix}`, { key: limited, body })
      expect(answer).toMatchObject({ status: whole ? 403 : 404, body: { success: false } })
      expect(await everything()).toEqual(before)
    },
  )

  it.each(
    endpoints()
      .filter(
        ({ method, path }) => method === 'get' && !path.includes('{') && !path.startsWith('/v1/accounts'),
      )
      .map(({ path }) => path),
  )('is in nothing that another, or a limited key, is told: GET %s', async (path) => {
    const told = async (key: string) => {
      const stop = new AbortController()
      const response = await fetch(app.url + path, {
        headers: { authorization: `Bearer ${key}` },
        signal: stop.signal,
      })
      // A stream of events has no end, and begins with what is new.
      const text = response.headers.get('content-type')?.startsWith('text/event-stream')
        ? ''
        : await response.text()
      stop.abort()
      return text
    }
    const ids = Object.values(owned)
    const stranger = await told(app.stranger.key)
    expect(ids.filter((id) => stranger.includes(id))).toEqual([])
    const other = await told(limited)
    // A source is all the account's, and so is what its ledger of credits says was made.
    const all = ['sources', 'jobs', 'document/status', 'audio/status', 'image/status']
    const ofSites = Object.entries(owned).filter(([kind]) => !all.includes(kind))
    expect(ofSites.filter(([, id]) => other.includes(id))).toEqual([])
  })

  it('covers every call that names something', async () => {
    const { body } = await app.ask('GET', '/openapi.json')
    const described = Object.entries<object>(body.paths)
      // An account is for an operator to change, and for no owner to see: accounts.db.test.ts.
      .filter(([path]) => path.includes('{uuid}') && !path.startsWith('/v1/accounts/'))
      .flatMap(([path, operations]) =>
        Object.keys(operations).map((method) => `${method.toUpperCase()} ${path}`),
      )
    const covered = calls.map(
      ([method, kind, suffix]) => `${method} /v1/${kind}/{uuid}${suffix.replace(/\?.*/, '')}`,
    )
    expect(new Set(covered)).toEqual(new Set(described))
  })

  it('keeps no id from another: its own is taken, the same of another account is not', async () => {
    const body = { id: owned.sites, url: 'https://127.0.0.1:1', username: 'x', application_password: 'y' }
    const register = (key: string) => app.ask('POST', '/v1/sites?check=false', { key, body })
    expect(await register(app.owner.key)).toMatchObject({
      status: 409,
      body: { error: { code: 'SITE_ID_TAKEN' } },
    })
    // It gets as far as the site, which nobody answers for.
    const { status, body: answer } = await register(app.stranger.key)
    expect(status).toBe(422)
    expect(answer.error.code).not.toBe('SITE_ID_TAKEN')
    const link = { id: owned.sites, url: 'https://127.0.0.1:1' }
    const asked = await app.ask('POST', '/v1/connect-links', { key: app.stranger.key, body: link })
    expect(asked.status).toBe(422)
  })

  it('422-delivery-to-a-site-of-another', async () => {
    const { key } = app.stranger
    const source = await app.ask('POST', '/v1/sources', { key, body: { name: 'Upstream' } })
    const event = completed({ siteId: owned.sites })
    await app.ask('POST', new URL(source.body.data.url).pathname, { key: undefined, body: event })
    const list = await app.ask('GET', '/v1/deliveries', { key })
    expect(list.body.data).toMatchObject([{ status: 'held', error: { code: 'site_unknown' } }])
    const retry = await app.ask('POST', `/v1/deliveries/${list.body.data[0].id}/retry`, { key, body: {} })
    expect(retry).toMatchObject({ status: 422, body: { error: { code: 'SITE_UNKNOWN' } } })
  })
})
