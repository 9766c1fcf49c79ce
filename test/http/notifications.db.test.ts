import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { storeNotification } from '../notifications/store.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const subjectId = randomUUID()

const tell = (more: { accountId?: string; subjectId?: string } = {}) =>
  storeNotification(app.database.pool, {
    accountId: app.owner.id,
    event: 'document.completed',
    subjectId,
    url: 'https://receiver.example/told',
    body: '{"event":"document.completed"}',
    ...more,
  })

test('200-list, by status and by what they are about, a page at a time', async () => {
  const [first, second] = [await tell(), await tell({ subjectId: randomUUID() })]
  await app.database.pool.query(`UPDATE notification SET status = 'failed', due_at = NULL WHERE id = $1`, [
    second,
  ])
  const ids = async (query: string) => {
    const { body } = await app.ask('GET', `/v1/notifications${query}`)
    return body.data.map(({ id }: { id: string }) => id)
  }
  expect(await ids('')).toEqual([second, first])
  expect(await ids('?status=waiting')).toEqual([first])
  expect(await ids('?status=failed')).toEqual([second])
  expect(await ids(`?subject_id=${subjectId}`)).toEqual([first])
  const { body } = await app.ask('GET', '/v1/notifications?limit=1')
  expect(body).toMatchObject({ data: [{ id: second, next_attempt_at: null }], next_cursor: second })
  expect(await ids(`?limit=1&cursor=${second}`)).toEqual([first])
  expect(await app.ask('GET', '/v1/notifications?status=lost')).toMatchObject({ status: 422 })
})

test('200-read, with what is sent and every attempt in its order', async () => {
  const id = await tell()
  await app.database.pool.query(
    `INSERT INTO notification_attempt (notification_id, took_ms, http_status, error, by_hand)
     VALUES ($1, 12, 500, '{"code": "not_acknowledged", "message": "x"}', false), ($1, NULL, NULL, NULL, true)`,
    [id],
  )
  const { status, body } = await app.ask('GET', `/v1/notifications/${id}`)
  expect(status).toBe(200)
  expect(body.data).toMatchObject({
    id,
    event: 'document.completed',
    subject_id: subjectId,
    url: 'https://receiver.example/told',
    status: 'waiting',
    attempts: 0,
    body: '{"event":"document.completed"}',
    tries: [
      { took_ms: 12, http_status: 500, error: { code: 'not_acknowledged' }, by_hand: false },
      { took_ms: null, http_status: null, error: null, by_hand: true },
    ],
  })
  expect(body.data.next_attempt_at).toBe(body.data.created_at)
})

test('202-repeat, and 409 where what it said is no longer kept', async () => {
  const id = await tell()
  expect(await app.ask('POST', `/v1/notifications/${id}/repeat`)).toMatchObject({
    status: 202,
    body: { data: { id } },
  })
  const { rows } = await app.database.pool.query(
    'SELECT repeat_at <= clock_timestamp() AS asked FROM notification WHERE id = $1',
    [id],
  )
  expect(rows).toEqual([{ asked: true }])
  await app.database.pool.query('UPDATE notification SET body = NULL WHERE id = $1', [id])
  expect(await app.ask('POST', `/v1/notifications/${id}/repeat`)).toMatchObject({
    status: 409,
    body: { error: { code: 'NOTIFICATION_THINNED' } },
  })
})

test('404-unknown', async () => {
  expect(await app.ask('GET', `/v1/notifications/${randomUUID()}`)).toMatchObject({ status: 404 })
  expect(await app.ask('POST', `/v1/notifications/${randomUUID()}/repeat`)).toMatchObject({ status: 404 })
})

test('201-secret, shown only once, kept encrypted, and removed', async () => {
  const stored = async () => {
    const { rows } = await app.database.pool.query('SELECT id, notification_secret AS secret FROM account')
    return new Map(rows.map(({ id, secret }) => [id, secret]))
  }
  const signs = async () => (await app.ask('GET', '/v1/account')).body.data.signs_notifications
  expect(await signs()).toBe(false)
  const { status, body } = await app.ask('POST', '/v1/account/notification-secret')
  expect(status).toBe(201)
  expect(body.data.secret).toMatch(/^whsec_[\w+/]{43}=$/)
  expect(await signs()).toBe(true)
  expect((await stored()).get(app.owner.id)).toMatch(/^v1\./)
  expect((await stored()).get(app.owner.id)).not.toContain(body.data.secret.slice(6))
  expect((await stored()).get(app.stranger.id)).toBeNull()
  const again = await app.ask('POST', '/v1/account/notification-secret')
  expect(again.body.data.secret).not.toBe(body.data.secret)
  expect(JSON.stringify((await app.ask('GET', '/v1/account')).body)).not.toContain('whsec_')
  expect(await app.ask('DELETE', '/v1/account/notification-secret')).toMatchObject({ status: 200 })
  expect((await stored()).get(app.owner.id)).toBeNull()
  expect(await signs()).toBe(false)
})
