import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { hashToken } from '../../src/secrets/keyring.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let first: string
let second: string

beforeAll(async () => {
  app = await startApp()
  first = await storeSite(app.owner.id, ['news'])
  second = await storeSite(app.owner.id, ['news', 'shop'])
})
afterAll(() => app.stop())

async function storeSite(accountId: string, labels: string[]): Promise<string> {
  const id = randomUUID()
  const url = `https://${id}.example`
  const data = {
    name: 'Site',
    url,
    restRoot: `${url}/wp-json/`,
    username: 'galley',
    applicationPassword: 'unused',
  }
  await app.database.prisma.site.create({ data: { id, accountId, labels, ...data } })
  return id
}

const document = (requested: Parameters<typeof completed>[0] = {}) => {
  const { id, data } = completed(requested)
  return { id, data }
}

const deliver = (body: object, headers: Record<string, string> = {}, key = app.owner.key) =>
  app.ask('POST', '/v1/deliveries', { body, headers, key })

const events = async () => (await app.ask('GET', '/v1/events?limit=100')).body.data.length

test('202 with a delivery for each site that is named, in their order; the document is stored as a webhook would be', async () => {
  const body = {
    ...document({ title: 'Tides' }),
    delivery: { post_status: 'publish', metadata: { categories: ['Sea'] } },
    site_ids: [second, first],
  }
  const answer = await deliver(body)
  expect(answer.status).toBe(202)
  expect(answer.body.data).toMatchObject([
    { site_id: second, status: 'queued' },
    { site_id: first, status: 'queued' },
  ])
  for (const { id, site_id } of answer.body.data) {
    const { body: shown } = await app.ask('GET', `/v1/deliveries/${id}`)
    expect(shown.data).toMatchObject({ document_id: body.id, site_id, status: 'queued' })
  }
  const { body: event } = await app.ask('GET', `/v1/events/${answer.body.id}`)
  expect(event.data).toMatchObject({ event: 'document.completed', status: 'planned', document_id: body.id })
  expect(JSON.parse(event.data.body)).toMatchObject({
    data: { title: 'Tides' },
    delivery: { id: second, post_status: 'publish', metadata: { categories: ['Sea'] } },
  })
})

test('the same document for the same site is the same delivery, also where another is added', async () => {
  const body = document()
  const one = await deliver({ ...body, site_ids: [first] })
  const two = await deliver({ ...body, site_ids: [first, second] })
  expect(two.body.data[0].id).toBe(one.body.data[0].id)
  const { body: list } = await app.ask('GET', `/v1/deliveries?document_id=${body.id}`)
  expect(list.data).toHaveLength(2)
})

test('a version that says what an older one said is the newest all the same', async () => {
  const [old, other] = [document({ title: 'Old' }), document({ title: 'New' })]
  await deliver({ ...old, site_ids: [first] })
  await deliver({ ...other, id: old.id, site_ids: [first] })
  const { body } = await deliver({ ...old, site_ids: [first] })
  const row = await app.database.prisma.delivery.findUniqueOrThrow({ where: { id: body.data[0].id } })
  expect(row.wantedEventId).toBe(body.id)
})

test('a member that is not read is named, and never with one that this call does not read either', async () => {
  const delivery = { id: first, site_id: first, poststatus: 'publish' }
  const { body } = await deliver({ ...document(), delivery, site_ids: [first] })
  const warnings = JSON.stringify(body.warnings)
  expect(body.warnings).toHaveLength(3)
  expect(warnings).toContain('it belongs in site_ids')
  expect(warnings).toContain('did you mean \\"post_status\\"')
  expect(warnings).not.toContain('belongs in delivery.id')
})

test('labels name all sites that have one of them', async () => {
  const sites = async (labels: string[], more: object = {}) =>
    (await deliver({ ...document(), labels, ...more })).body.data.map(
      ({ site_id }: { site_id: string }) => site_id,
    )
  expect((await sites(['news'])).sort()).toEqual([first, second].sort())
  expect(await sites(['shop', 'nobody has it'])).toEqual([second])
  // Beside sites that are named, and have none of them.
  expect(await sites(['shop'], { site_ids: [first] })).toEqual([first, second])
})

test('its documents come in through a source of their own, through which nobody outside can send', async () => {
  await deliver({ ...document(), site_ids: [first] })
  const { body } = await app.ask('GET', '/v1/sources?limit=100')
  const [source] = body.data.filter(({ name }: { name: string }) => name.includes('/v1/deliveries'))
  const token = 'b'.repeat(48)
  await app.database.prisma.source.update({ where: { id: source.id }, data: { tokenHash: hashToken(token) } })
  expect((await app.ask('POST', `/v1/webhooks/${token}`, { body: completed() })).status).toBe(404)
})

test.each([
  ['no site', () => ({ ...document() }), 'body'],
  ['a site that nobody has', () => ({ ...document(), site_ids: [randomUUID()] }), 'body.site_ids.0'],
  ['labels that no site has', () => ({ ...document(), labels: ['none'] }), 'body.labels'],
  [
    'a document without content',
    () => ({ ...document({ blocks: [] }), site_ids: [first] }),
    'body.data.content.content',
  ],
  ['an id of nothing', () => ({ ...document(), id: ' ', site_ids: [first] }), 'body.id'],
])('422 for %s, and nothing is stored', async (_name, body, path) => {
  const before = await events()
  const answer = await deliver(body())
  expect([answer.status, answer.body.error.details[0].path]).toEqual([422, path])
  expect(await events()).toBe(before)
})

test('422 for a site of another account, and for one that the key does not see', async () => {
  const theirs = await storeSite(app.stranger.id, [])
  expect((await deliver({ ...document(), site_ids: [theirs] })).status).toBe(422)
  const { key } = (await app.ask('POST', '/v1/keys', { body: { name: 'Limited' } })).body.data
  await app.database.prisma.apiKey.update({ where: { hash: hashToken(key) }, data: { siteIds: [second] } })
  expect((await deliver({ ...document(), site_ids: [first] }, {}, key)).status).toBe(422)
  const { body } = await deliver({ ...document(), labels: ['news'] }, {}, key)
  expect(body.data.map(({ site_id }: { site_id: string }) => site_id)).toEqual([second])
})

test('with an Idempotency-Key a repetition stores nothing and answers the same', async () => {
  const body = { ...document(), site_ids: [first] }
  const headers = { 'idempotency-key': randomUUID() }
  const answer = await deliver(body, headers)
  const before = await events()
  expect((await deliver(body, headers)).body).toEqual(answer.body)
  expect(await events()).toBe(before)
})

const sourceOf = async (more: object) => {
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream', ...more } })
  return (webhook: object) =>
    app.ask('POST', new URL(body.data.url).pathname, { key: undefined, body: webhook })
}

test('a stored event is delivered elsewhere, as it asked or as its source says, where the call does not', async () => {
  const send = await sourceOf({ defaults: { categories: ['Sea'], post_status: 'pending' } })
  const { delivery: _, ...kept } = completed({ title: 'Kept' })
  const { body: stored } = await send({
    ...kept,
    delivery: { id: randomUUID(), metadata: { tags: ['tide'] } },
  })
  const deliverEvent = (body: object, headers = {}) =>
    app.ask('POST', `/v1/events/${stored.event_id}/deliver`, { body, headers })
  const answer = await deliverEvent({ site_ids: [first], delivery: { post_status: 'publish' } })
  expect(answer).toMatchObject({
    status: 202,
    body: { document_id: kept.id, data: [{ site_id: first, status: 'queued' }] },
  })
  const { body: event } = await app.ask('GET', `/v1/events/${answer.body.id}`)
  expect(JSON.parse(event.data.body)).toMatchObject({
    data: { title: 'Kept' },
    delivery: { id: first, post_status: 'publish', metadata: { categories: ['Sea'], tags: ['tide'] } },
  })
  const key = { 'idempotency-key': randomUUID() }
  const once = await deliverEvent({ labels: ['news'] }, key)
  expect(once.body.data.map(({ site_id }: { site_id: string }) => site_id).sort()).toEqual(
    [first, second].sort(),
  )
  expect((await deliverEvent({ labels: ['news'] }, key)).body.id).toBe(once.body.id)
  expect(await deliverEvent({})).toMatchObject({ status: 422 })
})

test('a stored event is delivered within the limit of its source, and the answer says so', async () => {
  const send = await sourceOf({ limits: { highest_status: 'draft' } })
  const { body: stored } = await send(completed())
  const answer = await app.ask('POST', `/v1/events/${stored.event_id}/deliver`, {
    body: { site_ids: [first], delivery: { post_status: 'publish' } },
  })
  expect(answer).toMatchObject({
    status: 202,
    body: {
      warnings: [{ path: 'delivery.post_status', message: expect.stringContaining('“draft” at most') }],
    },
  })
  const { body: event } = await app.ask('GET', `/v1/events/${answer.body.id}`)
  expect(JSON.parse(event.data.body)).toMatchObject({ delivery: { post_status: 'draft' } })
})

test('an event without a document, and one that is not there, are delivered nowhere, with the reason', async () => {
  const send = await sourceOf({})
  const { body: step } = await send({ event: 'text.completed', id: randomUUID() })
  const { body: broken } = await send({ ...completed(), data: { title: 'Empty', content: { content: [] } } })
  const deliverEvent = (id: string) =>
    app.ask('POST', `/v1/events/${id}/deliver`, { body: { site_ids: [first] } })
  expect(await deliverEvent(step.event_id)).toMatchObject({
    status: 409,
    body: { error: { code: 'EVENT_WITHOUT_DOCUMENT' } },
  })
  expect(await deliverEvent(randomUUID())).toMatchObject({ status: 404 })
  const { body: list } = await app.ask('GET', '/v1/events?status=unusable')
  expect(broken.success).toBe(false)
  expect(await deliverEvent(list.data[0].id)).toMatchObject({
    status: 422,
    body: { error: { details: [{ path: 'body.data.content.content' }] } },
  })
})
