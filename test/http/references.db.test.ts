import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nameDocument } from '../../src/contract/scalars.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let siteId: string

beforeAll(async () => {
  app = await startApp()
  siteId = await storeSite(app.owner.id)
})
afterAll(() => app.stop())

async function storeSite(accountId: string): Promise<string> {
  const id = randomUUID()
  const url = `https://${id}.example`
  const data = {
    name: 'Site',
    url,
    restRoot: `${url}/wp-json/`,
    username: 'g',
    applicationPassword: 'unused',
  }
  await app.database.prisma.site.create({ data: { id, accountId, ...data } })
  return id
}

async function source(key = app.owner.key) {
  const { body } = await app.ask('POST', '/v1/sources', { key, body: { name: 'Sender' } })
  const path = new URL(body.data.url).pathname
  return (document: object) => app.ask('POST', path, { key: undefined, body: document })
}

const ask = async (path: string, key = app.owner.key) => (await app.ask('GET', path, { key })).body.data
const found = (id: string | number, key = app.owner.key) =>
  ask(`/v1/deliveries?document_id=${encodeURIComponent(id)}`, key)
const article = (id: unknown, requested = {}) => ({ ...completed({ siteId, ...requested }), id })

describe('a webhook whose id is the sender’s own', () => {
  test.each(['article-42', 4711, 'Ебб и прилив', 'https://cms.example/?p=1&x=2'])(
    'is delivered, and found and shown by it: %j',
    async (id) => {
      const send = await source()
      const { status, body } = await send(article(id))
      expect([status, body.delivery]).toEqual([202, true])
      const { documentId } = nameDocument(app.owner.id, String(id))
      const named = { document_id: documentId, reference: String(id) }
      expect(await ask(`/v1/events/${body.event_id}`)).toMatchObject({ ...named, issues: [] })
      expect(await found(id)).toMatchObject([named])
      expect(await found(documentId)).toMatchObject([named])
      const [{ id: delivery }] = await found(id)
      expect(await ask(`/v1/deliveries/${delivery}`)).toMatchObject(named)
      const part = encodeURIComponent(String(id).slice(1).toUpperCase())
      expect(await ask(`/v1/deliveries?search=${part}`)).toMatchObject([named])
      const { body: csv } = await app.ask('GET', `/v1/deliveries/export?format=csv&document_id=${documentId}`)
      expect(csv).toContain(String(id))
    },
  )

  test('is the same document again: a newer version of the same post, from any source of the account', async () => {
    const [one, other] = [await source(), await source()]
    await one(article('twice', { title: 'First' }))
    const [first] = await found('twice')
    expect((await other(article('twice', { title: 'Second' }))).body.delivery).toBe(true)
    await other(article(' twice ', { title: 'Third' }))
    const deliveries = await found('twice')
    expect(deliveries).toMatchObject([{ id: first.id, title: 'Third', reference: 'twice' }])
  })

  test('is another document in another account', async () => {
    const theirs = await storeSite(app.stranger.id)
    await (await source())(article('shared'))
    await (await source(app.stranger.key))(article('shared', { siteId: theirs }))
    const [[mine], [other]] = [await found('shared'), await found('shared', app.stranger.key)]
    expect([mine.site_id, other.site_id]).toEqual([siteId, theirs])
    expect(mine.document_id).not.toBe(other.document_id)
    expect(await found(other.document_id)).toEqual([])
  })

  test('stays a UUID where it is one', async () => {
    const id = randomUUID()
    await (await source())(article(id.toUpperCase()))
    expect(await found(id)).toMatchObject([{ document_id: id, reference: null }])
  })

  test('is kept with the event of a step', async () => {
    const { body } = await (await source())({ event: 'text.completed', id: 'step-1' })
    expect(await ask(`/v1/events/${body.event_id}`)).toMatchObject({ status: 'kept', reference: 'step-1' })
  })

  test.each([[''], ['x'.repeat(256)], ['two\nlines'], [1.5], [2 ** 53], [undefined]])(
    '422 where it is none: %j',
    async (id) => {
      const { status, body } = await (await source())(article(id))
      expect([status, body.error.details.map(({ path }: { path: string }) => path)]).toEqual([422, ['id']])
    },
  )

  test('is asked for in a filter of a bulk action, in the account that asks', async () => {
    await (await source())(article('in bulk'))
    const request = { action: 'cancel', filter: { document_id: 'in bulk' }, parameters: {}, dry_run: true }
    const { status, body } = await app.ask('POST', '/v1/bulk', { body: request })
    expect(status).toBe(202)
    expect(await ask(`/v1/bulk/${body.id}`)).toMatchObject({ filter: { document_id: 'in bulk' } })
  })
})

describe('POST /v1/deliveries', () => {
  const deliver = (body: object, headers: Record<string, string> = {}) =>
    app.ask('POST', '/v1/deliveries', {
      body: { data: completed().data, site_ids: [siteId], ...body },
      headers,
    })

  test('takes an id of the sender’s own, and answers what became of it', async () => {
    const { body } = await deliver({ id: 815 })
    const { documentId } = nameDocument(app.owner.id, '815')
    expect(body).toMatchObject({ document_id: documentId, reference: '815' })
    expect((await deliver({ id: '815' })).body.data).toMatchObject([{ id: body.data[0].id }])
    expect(JSON.parse((await ask(`/v1/events/${body.id}`)).body)).toMatchObject({ id: '815' })
  })

  test('makes an id where there is none: the same for the same Idempotency-Key, else another', async () => {
    const headers = { 'idempotency-key': 'once' }
    const [one, again] = [await deliver({}, headers), await deliver({}, headers)]
    const other = await deliver({ id: null })
    expect(one).toMatchObject({ status: 202, body: { reference: null } })
    expect(again.body).toEqual(one.body)
    expect(other.body.document_id).not.toBe(one.body.document_id)
    expect(await found(one.body.document_id)).toMatchObject([{ id: one.body.data[0].id }])
    // Sent under the id that was answered, it is a newer version.
    expect((await deliver({ id: one.body.document_id })).body.data[0].id).toBe(one.body.data[0].id)
  })
})
