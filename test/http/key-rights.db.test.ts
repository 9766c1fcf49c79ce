import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createKey } from '../../src/accounts/keys.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let operator: string
let siteId: string
beforeAll(async () => {
  app = await startApp()
  const { prisma } = app.database
  const accountId = app.owner.id
  operator = (await createKey(prisma, { accountId, name: 'Operator', role: 'operator' })).key
  siteId = crypto.randomUUID()
  await prisma.site.create({
    data: {
      ...{ id: siteId, accountId, name: 'Site', url: 'https://site.example', username: 'galley' },
      ...{ restRoot: 'https://site.example/wp-json/', applicationPassword: 'unused', labels: ['news'] },
    },
  })
})
afterAll(() => app.stop())

const make = (body: object, key = app.owner.key) =>
  app.ask('POST', '/v1/keys', { key, body: { name: 'A key', ...body } })
const soon = () => new Date(Date.now() + 3_600_000).toISOString()

describe('a key that is made', () => {
  it('201-has its role, limits and expiry, and the list shows them', async () => {
    const expires_at = soon()
    const requested = { role: 'editor', site_ids: [siteId], labels: ['news'], expires_at }
    const { status, body } = await make(requested)
    expect(status).toBe(201)
    expect(body.data).toMatchObject(requested)
    const { data } = (await app.ask('GET', '/v1/keys')).body
    expect(data[0]).toMatchObject({ id: body.id, ...requested, last_used_at: null })
  })

  it('403-mightier than its maker’s', async () => {
    expect(await make({ role: 'operator' })).toMatchObject({
      status: 403,
      body: { error: { code: 'FORBIDDEN' } },
    })
    expect(await make({ role: 'operator' }, operator)).toMatchObject({ status: 201 })
    expect(await make({ role: 'owner' }, operator)).toMatchObject({ status: 201 })
  })

  it.each(['operator', 'owner'])('422-limited, and of the role %s', async (role) => {
    const refused = { status: 422, body: { error: { code: 'KEY_LIMITED_OWNER' } } }
    expect(await make({ role, labels: ['news'] }, operator)).toMatchObject(refused)
    expect(await make({ role, site_ids: [siteId] }, operator)).toMatchObject(refused)
  })

  it('422-limited to a site that is not connected, or over already', async () => {
    expect(await make({ role: 'editor', site_ids: [crypto.randomUUID()] })).toMatchObject({
      status: 422,
      body: { error: { code: 'SITE_UNKNOWN' } },
    })
    expect(await make({ expires_at: '2020-01-01T00:00:00Z' })).toMatchObject({
      status: 422,
      body: { error: { code: 'KEY_EXPIRED_ALREADY' } },
    })
  })
})

describe('a key that is changed', () => {
  it('200-renamed, and ended by its expiry in every process', async () => {
    const { body } = await make({ role: 'editor' })
    const patch = (change: object) => app.ask('PATCH', `/v1/keys/${body.id}`, { body: change })
    const expires_at = soon()
    expect((await patch({ name: 'New name', expires_at })).body.data).toMatchObject({
      name: 'New name',
      expires_at,
    })
    expect((await patch({ expires_at: null })).body.data).toMatchObject({
      name: 'New name',
      expires_at: null,
    })
    const other = await startApp({}, app.connectionString)
    try {
      const used = () => other.ask('GET', '/v1/sites', { key: body.data.key })
      expect((await used()).status).toBe(200)
      await app.database.pool.query(
        `UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1`,
        [body.id],
      )
      expect(await used()).toMatchObject({
        status: 401,
        body: { error: { message: expect.stringContaining('expired') } },
      })
      await patch({ expires_at: null })
      expect((await used()).status).toBe(200)
      await app.ask('DELETE', `/v1/keys/${body.id}`)
      expect(await used()).toMatchObject({ status: 401 })
    } finally {
      await other.stop()
    }
  })

  it('403-mightier than the one that changes it', async () => {
    const { body } = await make({ role: 'operator' }, operator)
    for (const method of ['PATCH', 'DELETE'])
      expect(
        await app.ask(method, `/v1/keys/${body.id}`, {
          body: method === 'PATCH' ? { name: 'x' } : undefined,
        }),
      ).toMatchObject({
        status: 403,
        body: { error: { code: 'FORBIDDEN' } },
      })
    expect((await app.ask('DELETE', `/v1/keys/${body.id}`, { key: operator })).status).toBe(200)
  })
})

describe('the last key of an owner', () => {
  const key = () => app.stranger.key
  const refused = { status: 409, body: { error: { code: 'LAST_KEY' } } }

  it('409-stays, whatever other keys there are', async () => {
    const { body } = await app.ask('GET', '/v1/keys', { key: key() })
    const first = `/v1/keys/${body.data[0].id}`
    await make({ role: 'manager' }, key())
    const passing = await make({ role: 'owner', expires_at: soon() }, key())
    expect(await app.ask('DELETE', first, { key: key() })).toMatchObject(refused)
    expect(await app.ask('PATCH', first, { key: key(), body: { expires_at: soon() } })).toMatchObject(refused)
    const rotation = { key: key(), body: { expires_at: soon() } }
    expect(await app.ask('POST', `${first}/rotate`, rotation)).toMatchObject(refused)
    expect((await app.ask('GET', '/v1/keys', { key: key() })).body.data).toContainEqual(body.data[0])

    // One that ends by itself is missed by nobody.
    expect((await app.ask('DELETE', `/v1/keys/${passing.body.id}`, { key: key() })).status).toBe(200)
    const second = await make({ role: 'owner' }, key())
    expect((await app.ask('DELETE', first, { key: key() })).status).toBe(200)
    expect((await app.ask('GET', '/v1/keys', { key: second.body.data.key })).status).toBe(200)
  })
})
