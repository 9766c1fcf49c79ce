import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

async function source(more: object) {
  const answer = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream', ...more } })
  expect(answer.status).toBe(201)
  const { id, url } = answer.body.data
  const send = (body: unknown) => app.ask('POST', new URL(url).pathname, { key: undefined, body })
  const patch = (body: object) => app.ask('PATCH', `/v1/sources/${id}`, { body })
  return { id, data: answer.body.data, send, patch }
}

async function site(accountId: string, labels: string[]): Promise<string> {
  const id = randomUUID()
  const address = { url: 'https://site.example', restRoot: 'https://site.example/wp-json/' }
  await app.database.prisma.site.create({
    data: { id, accountId, labels, name: 'Site', username: 'galley', applicationPassword: 'x', ...address },
  })
  return id
}

const upstream = { upstream_base_url: 'https://api.example.com/v1', upstream_api_key: 'key-of-the-upstream' }
const none = { sites: [], labels: [], highest_status: null }

describe('limits and defaults of a source', () => {
  it('are shown, stay when something else is changed, and go with null', async () => {
    const limits = { sites: [randomUUID()], labels: ['news'], highest_status: 'draft' }
    const defaults = { post_status: 'pending', categories: ['Science'], tags: [] }
    const { data, patch } = await source({ limits, defaults })
    expect(data).toMatchObject({ limits, defaults, confirm: false, backfill: false, upstream_trouble: null })
    expect((await patch({ name: 'Another' })).body.data).toMatchObject({ limits, defaults })
    const alone = { highest_status: 'pending' }
    expect((await patch({ limits: alone })).body.data).toMatchObject({
      limits: { ...none, ...alone },
      defaults,
    })
    const bare = (await patch({ limits: null, defaults: null })).body.data
    expect(bare).toMatchObject({ limits: none })
    expect(bare.defaults).toEqual({})
  })

  it.each([
    [{ limits: { highest_status: 'private' } }, 'body.limits.highest_status'],
    [{ limits: { sites: ['mine'] } }, 'body.limits.sites.0'],
    [{ defaults: { categories: 'News' } }, 'body.defaults.categories'],
    [{ limits: { site: [] } }, 'body.limits'],
  ])('422 for %j', async (more, path) => {
    const answer = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream', ...more } })
    expect(answer).toMatchObject({ status: 422, body: { error: { details: [{ path }] } } })
  })

  it.each(['confirm', 'backfill'])(
    '422 for %s without an upstream, now or when that is taken away',
    async (what) => {
      const refused = { status: 422, body: { error: { code: 'UPSTREAM_NEEDED' } } }
      const bare = { name: 'Upstream', [what]: true }
      expect(await app.ask('POST', '/v1/sources', { body: bare })).toMatchObject(refused)
      const { data, patch } = await source({ ...upstream, [what]: true })
      expect(data).toMatchObject({ [what]: true })
      expect(await patch({ upstream_api_key: null })).toMatchObject(refused)
      expect(await patch({ upstream_base_url: null })).toMatchObject(refused)
      expect(await patch({ upstream_base_url: null, [what]: false })).toMatchObject({ status: 200 })
    },
  )
})

describe('a document for a site that its source may not send to', () => {
  it('is acknowledged, so that its sender does not send it again, kept, and delivered nowhere', async () => {
    const { send, patch } = await source({ limits: { sites: [randomUUID()] } })
    const siteId = randomUUID()
    const body = completed({ siteId })
    const answer = await send(body)
    const warnings = [
      { path: 'delivery.id', message: expect.stringContaining(`${siteId}, to which this source`) },
    ]
    expect(answer).toMatchObject({ status: 202, body: { success: true, delivery: false, warnings } })
    const event = await app.ask('GET', `/v1/events/${answer.body.event_id}`)
    expect(event.body.data).toMatchObject({ status: 'refused', document_id: body.id, issues: warnings })
    expect(await app.ask('GET', '/v1/events?status=refused')).toMatchObject({
      body: { data: [{ id: answer.body.event_id }] },
    })
    expect(await app.database.prisma.delivery.count({ where: { documentId: body.id } })).toBe(0)
    expect(await send(body)).toMatchObject({ status: 200, body: { duplicate: true } })

    await patch({ limits: null })
    expect(await send(body)).toMatchObject({ status: 202, body: { delivery: true } })
    expect(await app.database.prisma.delivery.count({ where: { documentId: body.id, siteId } })).toBe(1)
  })

  it('is told from one that it names, whether that is connected or not', async () => {
    const siteId = randomUUID()
    const { send } = await source({ limits: { sites: [siteId.toUpperCase()] } })
    expect(await send(completed({ siteId }))).toMatchObject({ status: 202, body: { delivery: true } })
  })

  it('is told by the labels that the site has now, in this account', async () => {
    const { send, patch } = await source({ limits: { labels: ['news', 'local'] } })
    const mine = await site(app.owner.id, ['local'])
    const other = await site(app.owner.id, ['shop'])
    const strangers = await site(app.stranger.id, ['news'])
    const delivered = async (siteId: string) => (await send(completed({ siteId }))).body.delivery
    expect(await delivered(mine)).toBe(true)
    expect([await delivered(other), await delivered(strangers), await delivered(randomUUID())]).toEqual([
      false,
      false,
      false,
    ])
    await app.ask('PATCH', `/v1/sites/${other}`, { body: { labels: ['news'] } })
    expect(await delivered(other)).toBe(true)
    await patch({ limits: { labels: ['shop'], sites: [mine] } })
    expect([await delivered(mine), await delivered(other)]).toEqual([true, false])
  })
})

describe('a key that sees some sites only', () => {
  it('makes, sees and changes the sources that can send to no other', async () => {
    const [mine, other] = [await site(app.owner.id, []), await site(app.owner.id, ['news'])]
    const limited = { name: 'Agency', role: 'manager', site_ids: [mine] }
    const { key } = (await app.ask('POST', '/v1/keys', { body: limited })).body.data
    const ask = (method: string, path: string, body?: object) => app.ask(method, path, { key, body })
    const requested = (limits?: object) =>
      ask('POST', '/v1/sources', { name: 'Upstream', ...(limits && { limits }) })
    for (const limits of [undefined, {}, { sites: [mine, other] }, { sites: [mine], labels: ['news'] }])
      expect(await requested(limits)).toMatchObject({ status: 403, body: { error: { code: 'FORBIDDEN' } } })
    const made = await requested({ sites: [mine] })
    expect(made.status).toBe(201)
    const path = `/v1/sources/${made.body.id}`
    expect((await ask('GET', '/v1/sources')).body.data).toMatchObject([{ id: made.body.id }])
    expect(await ask('PATCH', path, { name: 'Another' })).toMatchObject({ status: 200 })
    for (const limits of [null, { sites: [other] }])
      expect(await ask('PATCH', path, { limits })).toMatchObject({ status: 403 })
    expect(await ask('POST', `${path}/rotate`)).toMatchObject({ status: 200 })

    const wide = await source({ ...upstream, limits: { sites: [mine, other] } })
    const theirs = `/v1/sources/${wide.id}`
    const documents = { document_ids: [randomUUID()] }
    for (const [method, to, body] of [
      ['GET', theirs],
      ['PATCH', theirs, { name: 'Mine' }],
      ['POST', `${theirs}/rotate`],
      ['POST', `${theirs}/backfill`, documents],
      ['GET', `${theirs}/backfill`],
      ['DELETE', theirs],
    ] as const)
      expect(await ask(method, to, body), method + to).toMatchObject({
        status: 404,
        body: { error: { code: 'NOT_FOUND' } },
      })
    expect(await ask('DELETE', path)).toMatchObject({ status: 200 })
  })
})

describe('a source that says where its documents go', () => {
  const placed = async (more: object) => {
    const { send } = await source(more)
    return async (body: { id: string }) => {
      const answer = await send(body)
      const { body: list } = await app.ask('GET', `/v1/deliveries?document_id=${body.id}`)
      return { answer, sites: list.data.map(({ site_id }: { site_id: string }) => site_id).sort() }
    }
  }
  const unaddressed = (delivery?: object) => {
    const { delivery: _, ...webhook } = completed()
    return { ...webhook, ...(delivery && { delivery }) }
  }

  it('delivers one that names no site to its site, and one that names a site there', async () => {
    const [mine, other] = [await site(app.owner.id, []), await site(app.owner.id, [])]
    const send = await placed({ defaults: { site_id: mine, post_status: 'pending' } })
    const { answer, sites } = await send(unaddressed())
    expect(answer).toMatchObject({ status: 202, body: { delivery: true } })
    expect(answer.body.warnings).toBeUndefined()
    expect(sites).toEqual([mine])
    expect((await send(unaddressed({ post_status: 'draft' }))).sites).toEqual([mine])
    expect((await send(completed({ siteId: other }))).sites).toEqual([other])
  })

  it('delivers to each site that has a label, but for those that the source may not send to', async () => {
    const label = `label ${randomUUID()}`
    const [one, two] = [await site(app.owner.id, [label, 'open']), await site(app.owner.id, [label, 'open'])]
    const shut = await site(app.owner.id, [label])
    const everywhere = await placed({ defaults: { labels: [label] } })
    expect((await everywhere(unaddressed())).sites).toEqual([one, two, shut].sort())
    const limited = await placed({ defaults: { labels: [label] }, limits: { labels: ['open'] } })
    const { answer, sites } = await limited(unaddressed())
    expect(sites).toEqual([one, two].sort())
    expect(answer.body.warnings).toMatchObject([
      { path: 'delivery.id', message: expect.stringContaining(shut) },
    ])
  })

  it('keeps one where no site has the label, says so, and delivers it when it comes again and one has', async () => {
    const label = `label ${randomUUID()}`
    const send = await placed({ defaults: { labels: [label] } })
    const document = unaddressed()
    const { answer, sites } = await send(document)
    expect(answer).toMatchObject({ status: 202, body: { delivery: false } })
    expect(answer.body.warnings).toMatchObject([
      { path: 'delivery', message: expect.stringContaining(`no site has the label ${label}`) },
    ])
    expect(sites).toEqual([])
    const late = await site(app.owner.id, [label])
    expect((await send(document)).sites).toEqual([late])
  })

  it('delivers to as many sites as one document may have, and says that there are more', async () => {
    const label = `label ${randomUUID()}`
    await app.database.pool.query(
      `INSERT INTO site (id, account_id, labels, name, username, application_password, url, rest_root, updated_at)
       SELECT gen_random_uuid(), $1, ARRAY[$2], 'Site', 'galley', 'x', 'https://site.example', 'https://site.example/wp-json/', now()
       FROM generate_series(1, 501)`,
      [app.owner.id, label],
    )
    const { answer } = await (await placed({ defaults: { labels: [label] } }))(unaddressed())
    expect(answer.body.warnings).toMatchObject([
      { path: 'delivery', message: expect.stringContaining('more than 500 sites') },
    ])
    const { rowCount } = await app.database.pool.query(
      'SELECT FROM delivery d JOIN site ON site.id = d.site_id WHERE labels = ARRAY[$1]',
      [label],
    )
    expect(rowCount).toBe(500)
  })

  it('422 for a site beside labels', async () => {
    const defaults = { site_id: randomUUID(), labels: ['news'] }
    expect(await app.ask('POST', '/v1/sources', { body: { name: 'Upstream', defaults } })).toMatchObject({
      status: 422,
      body: { error: { details: [{ path: 'body.defaults.labels' }] } },
    })
  })
})
