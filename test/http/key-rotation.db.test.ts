import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const HOUR_MS = 3_600_000

interface Made {
  id: string
  data: { id: string; key: string; name: string; created_at: string; previous_key_until: string | null }
}

const make = async (body: object): Promise<Made> => (await app.ask('POST', '/v1/keys', { body })).body

const rotate = (id: string, body: object = {}, key = app.owner.key) =>
  app.ask('POST', `/v1/keys/${id}/rotate`, { body, key })

const opens = async (key: string) => (await app.ask('GET', '/v1/sites', { key })).status === 200

const listed = async (id: string) =>
  (await app.ask('GET', '/v1/keys?limit=100')).body.data.find((key: { id: string }) => key.id === id)

/** How long both work, to the hour. */
const overlap = ({ data: { created_at, previous_key_until } }: Made) =>
  Math.round((Date.parse(previous_key_until as string) - Date.parse(created_at)) / HOUR_MS)

it('201-a-key-that-is-allowed-the-same, and the old one works beside it for a day', async () => {
  const limits = { name: 'Feed', role: 'manager', labels: ['news'], expires_at: '2099-12-31T00:00:00.000Z' }
  const old = await make(limits)
  const { status, body } = await rotate(old.id)
  expect(status).toBe(201)
  expect(body.data).toMatchObject({ id: body.id, ...limits })
  expect(body.id).not.toBe(old.id)
  expect(overlap(body)).toBe(24)
  expect([await opens(old.data.key), await opens(body.data.key)]).toEqual([true, true])
  expect((await listed(old.id)).expires_at).toBe(body.data.previous_key_until)
  expect(JSON.stringify(await listed(body.id))).not.toContain(body.data.key)
})

it('201-with-as-many-hours-as-are-asked-for, or none', async () => {
  const old = await make({ name: 'Feed' })
  const next: Made = (await rotate(old.id, { overlap_hours: 720 })).body
  expect(overlap(next)).toBe(720)
  const last: Made = (await rotate(next.id, { overlap_hours: 0 })).body
  expect(last.data.previous_key_until).toBeNull()
  expect([await opens(next.data.key), await opens(last.data.key)]).toEqual([false, true])
  expect((await listed(next.id)).revoked_at).not.toBeNull()
  expect((await rotate(old.id, { overlap_hours: 721 })).status).toBe(422)
})

it('201-with-another-end, and one that ends before the hours are over ends when it did', async () => {
  const soon = new Date(Date.now() + HOUR_MS).toISOString()
  const old = await make({ name: 'Feed', expires_at: soon })
  const { body } = await rotate(old.id, { expires_at: null })
  expect(body.data).toMatchObject({ expires_at: null, previous_key_until: soon })
  expect((await rotate(body.id, { expires_at: '2020-01-01T00:00:00Z' })).body.error.code).toBe(
    'KEY_EXPIRED_ALREADY',
  )
})

it('201-of-the-last-key-of-an-account', async () => {
  const own = (await app.ask('GET', '/v1/session', { key: app.stranger.key })).body.data.key.id
  const { status, body } = await rotate(own, { overlap_hours: 0 }, app.stranger.key)
  expect(status).toBe(201)
  expect([await opens(app.stranger.key), await opens(body.data.key)]).toEqual([false, true])
})

it('403-of-a-mightier-key, 404-of-none, 409-of-one-that-has-ended', async () => {
  const old = await make({ name: 'Leaked' })
  const operator = randomUUID()
  await app.database.pool.query(
    `INSERT INTO api_key (id, account_id, name, hash, last_four, role) VALUES ($1, $2, 'Operator', 'x', 'last', 'operator')`,
    [operator, app.owner.id],
  )
  expect((await rotate(operator)).status).toBe(403)
  expect((await rotate(randomUUID())).status).toBe(404)
  await app.ask('DELETE', `/v1/keys/${old.id}`)
  expect(await rotate(old.id)).toMatchObject({
    status: 409,
    body: { error: { code: 'KEY_ENDED', message: expect.stringContaining('Leaked') } },
  })
})

it('is entered into the audit log, of the old key', async () => {
  const old = await make({ name: 'Feed' })
  await rotate(old.id, { overlap_hours: 2 })
  const { body } = await app.ask('GET', `/v1/audit?action=key.rotate&subject_id=${old.id}`)
  expect(body.data).toMatchObject([{ action: 'key.rotate', details: { overlap_hours: 2 } }])
})
