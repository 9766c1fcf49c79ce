import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { Webhook } from 'standardwebhooks'
import { v7 as uuid } from 'uuid'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { resendNotification } from '../../src/notifications/notifications.ts'
import { rotateAccountSecret, storeAccountSecret } from '../../src/notifications/signing-secrets.ts'
import { purgeNotifications } from '../../src/notifications/work.ts'
import { type NotificationStage, type Receiver, startNotifications, startReceiver } from './stage.ts'

let stage: NotificationStage
let receiver: Receiver
beforeEach(async () => {
  stage = await startNotifications()
  receiver = await startReceiver()
})
afterEach(async () => {
  vi.useRealTimers()
  await stage.stop()
  await receiver.close()
})

const until = (seen: () => unknown) => expect.poll(seen, { interval: 20 })
const statusOf = (id: string) => stage.look<string>(id, 'status')
const attemptsOf = (id: string) => stage.look<number>(id, 'attempts')
const isFree = (id: string) => stage.look<boolean>(id, 'leased_by IS NULL')

test('a 2xx acknowledges: one POST of the bytes as they were stored, and no more', async () => {
  receiver.answer = (response) => response.writeHead(204).end()
  const id = await stage.tell(`${receiver.url}/told?x=1`, {
    body: { event: 'image.completed', name: 'Søren' },
  })
  stage.send()
  await until(() => statusOf(id)).toBe('acknowledged')
  expect(receiver.told).toHaveLength(1)
  expect(receiver.told[0]).toMatchObject({
    path: '/told?x=1',
    headers: { 'content-type': 'application/json', 'webhook-id': id, 'user-agent': 'Galley/test' },
  })
  expect(JSON.parse(String(receiver.told[0]?.body))).toEqual({ event: 'image.completed', name: 'Søren' })
  expect(receiver.told[0]?.headers).not.toHaveProperty('webhook-signature')
  expect(await stage.look(id, 'due_at IS NULL AND attempts = 1')).toBe(true)
  expect(await stage.attempts(id)).toMatchObject([{ http_status: 204, error: null, by_hand: false }])
})

test('after 5, 15 and 30 minutes it is sent again, under the same name, and after four attempts it has failed', async () => {
  receiver.answer = (response) => response.writeHead(500).end()
  const id = await stage.tell(receiver.url)
  stage.send()
  for (const [number, minutes] of [
    [1, 5],
    [2, 15],
    [3, 30],
  ]) {
    await until(() => attemptsOf(id)).toBe(number)
    expect(await statusOf(id)).toBe('waiting')
    // From the moment in which the attempt had failed, which is after it had begun.
    const after = `due_at - (SELECT max(at) FROM notification_attempt WHERE notification_id = notification.id)`
    expect(await stage.look(id, `${after} >= make_interval(mins => ${minutes})`)).toBe(true)
    expect(await stage.look(id, `due_at - now() <= make_interval(mins => ${minutes})`)).toBe(true)
    await stage.makeDue(id)
  }
  await until(() => statusOf(id)).toBe('failed')
  expect(await stage.look(id, 'due_at IS NULL AND attempts = 4')).toBe(true)
  expect(receiver.told.map(({ headers }) => headers['webhook-id'])).toEqual([id, id, id, id])
  expect(new Set(receiver.told.map(({ body }) => String(body))).size).toBe(1)
  const kept = await stage.attempts(id)
  expect(kept).toHaveLength(4)
  for (const attempt of kept)
    expect(attempt).toMatchObject({ http_status: 500, error: { code: 'not_acknowledged' } })
})

test.each<[string, Receiver['answer']]>([
  ['cannot be read', (response) => response.writeHead(200, { 'content-encoding': 'gzip' }).end('no gzip')],
  [
    'breaks off',
    (response) => response.writeHead(200, { 'content-length': 99 }).write('x', () => response.destroy()),
  ],
  ['never ends', (response) => response.writeHead(202).write('x')],
  ['is endless', (response) => response.writeHead(200).end(Buffer.alloc(4 * 1024 * 1024))],
])('a 2xx acknowledges, be it that its body %s', async (_, answer) => {
  receiver.answer = answer
  const id = await stage.tell(receiver.url)
  stage.send()
  await until(() => attemptsOf(id)).toBe(1)
  expect(await statusOf(id)).toBe('acknowledged')
  expect(await stage.attempts(id)).toMatchObject([{ error: null }])
})

describe('is not acknowledged by', () => {
  test.each([301, 307, 304, 404, 410, 503])('HTTP %i', async (status) => {
    const elsewhere = await startReceiver()
    receiver.answer = (response) => response.writeHead(status, { location: elsewhere.url }).end()
    const id = await stage.tell(receiver.url)
    stage.send()
    await until(() => attemptsOf(id)).toBe(1)
    expect(await statusOf(id)).toBe('waiting')
    expect(await stage.attempts(id)).toMatchObject([
      { http_status: status, error: { code: 'not_acknowledged' } },
    ])
    expect(elsewhere.told).toEqual([])
    await elsewhere.close()
  })

  test('no answer within 5 s', async () => {
    receiver.answer = () => undefined
    const id = await stage.tell(receiver.url)
    stage.send()
    await until(() => attemptsOf(id)).toBe(1)
    expect(await stage.attempts(id)).toMatchObject([{ http_status: null, error: { code: 'site_timeout' } }])
  })

  test('a connection that breaks', async () => {
    receiver.answer = (response) => response.destroy()
    const id = await stage.tell(receiver.url)
    stage.send()
    await until(() => attemptsOf(id)).toBe(1)
    expect(await stage.attempts(id)).toMatchObject([
      { http_status: null, error: { code: 'connection_lost' } },
    ])
  })

  test('an address that the outbound guard refuses, to which nothing is sent', async () => {
    const id = await stage.tell(receiver.url)
    stage.send([])
    await until(() => attemptsOf(id)).toBe(1)
    expect(await stage.attempts(id)).toMatchObject([{ error: { code: 'address_not_allowed' } }])
    expect(receiver.told).toEqual([])
  })
})

test('an address with a host longer than an index takes is stored, and tried', async () => {
  const letters = Array.from({ length: 1_900 }, () => String.fromCodePoint(randomInt(0x4e00, 0x9fff))).join(
    '',
  )
  const id = await stage.tell(`http://${letters}.test/`)
  stage.send()
  await until(() => attemptsOf(id)).toBe(1)
})

test('it is signed by Standard Webhooks, anew in each attempt, where the account has a secret', async () => {
  receiver.answer = (response) => response.writeHead(500).end()
  const { pool } = stage.database
  const secret = await rotateAccountSecret(pool, stage.keyring, stage.accountId)
  const id = await stage.tell(receiver.url)
  stage.send()
  await until(() => attemptsOf(id)).toBe(1)
  const [first] = receiver.told
  const verify = (secret: string, told = first) =>
    new Webhook(secret).verify(told?.body ?? '', told?.headers as Record<string, string>)
  expect(verify(secret)).toEqual({ event: 'image.completed' })

  const rotated = await rotateAccountSecret(pool, stage.keyring, stage.accountId)
  expect(() => verify(rotated)).toThrow()
  await stage.makeDue(id)
  await until(() => attemptsOf(id)).toBe(2)
  expect(verify(rotated, receiver.told[1])).toEqual({ event: 'image.completed' })

  await storeAccountSecret(pool, stage.accountId, null)
  await stage.makeDue(id)
  await until(() => attemptsOf(id)).toBe(3)
  expect(receiver.told[2]?.headers).not.toHaveProperty('webhook-signature')
  expect(receiver.told[2]?.headers['webhook-id']).toBe(id)
})

test('a secret that cannot be read lets nothing leave unsigned', async () => {
  await stage.database.pool.query(`UPDATE account SET notification_secret = 'v1.x.y.z'`)
  const id = await stage.tell(receiver.url)
  stage.send()
  await until(() => attemptsOf(id)).toBe(1)
  expect(receiver.told).toEqual([])
  expect(await stage.attempts(id)).toMatchObject([{ error: { code: 'secret_key_missing' } }])
})

test('what no message of a chat can be made of is not sent, and its attempt is on record', async () => {
  const { rows } = await stage.database.pool.query(
    `INSERT INTO receiver (id, account_id, name, kind, url, events, format)
     VALUES ($1, $2, 'R', 'webhook', $3, '{delivery.held}', 'slack') RETURNING id`,
    [uuid(), stage.accountId, receiver.url],
  )
  const id = await stage.tell(receiver.url, { body: { event: 'of.a-newer-galley', data: {} } })
  await stage.database.pool.query('UPDATE notification SET receiver_id = $1', [rows[0].id])
  stage.send()
  await until(() => stage.attempts(id)).toMatchObject([{ error: { code: 'not_sent' } }])
  await until(() => isFree(id)).toBe(true)
  expect(receiver.told).toEqual([])
})

test.each([
  ['forward', 365],
  ['back', -365],
])('a clock of the process that jumps %s makes nothing early, and loses nothing', async (_, days) => {
  const [soon, later] = [await stage.tell(receiver.url), await stage.tell(`${receiver.url}/later`)]
  const due = (id: string, seconds: number) =>
    stage.database.pool.query(
      `UPDATE notification SET due_at = now() + make_interval(secs => ${seconds}) WHERE id = $1`,
      [id],
    )
  await due(soon, 1.5)
  await due(later, 3600)
  const dueAt = await stage.look<Date>(soon, 'due_at')
  stage.send()
  vi.useFakeTimers({ toFake: ['Date'], now: Date.now() + days * 86_400_000 })
  await vi.waitUntil(() => receiver.told.length > 0, { timeout: 60_000, interval: 20 })
  await vi.waitUntil(async () => (await statusOf(soon)) === 'acknowledged', { timeout: 60_000 })
  const { rows } = await stage.database.pool.query('SELECT at FROM notification_attempt')
  expect(rows).toHaveLength(1)
  expect(rows[0].at.getTime()).toBeGreaterThanOrEqual(dueAt.getTime())
  expect(await statusOf(later)).toBe('waiting')
  expect(receiver.told.map(({ path }) => path)).toEqual(['/'])
})

test('what a process has had for too long is taken from it, and what it then says of it decides nothing', async () => {
  let release = () => undefined as unknown
  receiver.answer = (response) => {
    release = () => response.writeHead(500).end()
  }
  const id = await stage.tell(receiver.url)
  stage.send()
  await until(() => receiver.told.length).toBe(1)
  const slept = release
  receiver.answer = (response) => response.end()
  await stage.database.pool.query(`UPDATE notification SET leased_until = now() - interval '1 second'`)
  await until(() => statusOf(id)).toBe('acknowledged')
  slept()
  await until(async () => (await stage.attempts(id))[0]?.http_status).toBe(500)
  expect(await stage.look(id, `status = 'acknowledged' AND attempts = 1 AND due_at IS NULL`)).toBe(true)
})

test('one that ends its process each time is not begun for ever', async () => {
  const id = await stage.tell(receiver.url)
  await stage.database.pool.query(
    `INSERT INTO notification_attempt (notification_id, error) SELECT $1, '{"code": "interrupted"}' FROM generate_series(1, 10)`,
    [id],
  )
  stage.send()
  await until(() => attemptsOf(id)).toBe(1)
  expect(receiver.told).toEqual([])
  expect((await stage.attempts(id)).at(-1)).toMatchObject({ error: { code: 'not_begun' } })
  await stage.makeDue(id)
  await until(() => attemptsOf(id)).toBe(2)
  expect(receiver.told).toEqual([])

  await resendNotification(stage.database.pool, { accountId: stage.accountId, id })
  await until(() => statusOf(id)).toBe('acknowledged')
  expect(receiver.told).toHaveLength(1)
})

test('interruptions before an attempt that came to its end are not among those', async () => {
  const id = await stage.tell(receiver.url)
  await stage.database.pool.query(
    `INSERT INTO notification_attempt (notification_id, error, took_ms)
     SELECT $1, json_build_object('code', code), took_ms FROM (
       SELECT 'interrupted' AS code, NULL::int AS took_ms FROM generate_series(1, 9)
       UNION ALL VALUES ('not_acknowledged', 5), ('interrupted', NULL)) AS tries`,
    [id],
  )
  stage.send()
  await until(() => statusOf(id)).toBe('acknowledged')
  expect(receiver.told).toHaveLength(1)
})

test('nor is one begun for ever that somebody asked for', async () => {
  receiver.answer = (response) => response.end()
  const id = await stage.tell(receiver.url)
  stage.send()
  await until(() => statusOf(id)).toBe('acknowledged')
  await stage.database.pool.query(
    `INSERT INTO notification_attempt (notification_id, error, by_hand) SELECT $1, '{"code": "interrupted"}', true FROM generate_series(1, 10)`,
    [id],
  )
  await resendNotification(stage.database.pool, { accountId: stage.accountId, id })
  await until(async () => (await stage.attempts(id)).at(-1)).toMatchObject({ error: { code: 'not_begun' } })
  expect(receiver.told).toHaveLength(1)
})

test('receivers that hang have places of their own, and keep nobody waiting', async () => {
  const hanging = await startReceiver(() => undefined)
  for (let number = 0; number < 300; number += 1) await stage.tell(`${hanging.url}/${number}`)
  const other = await stage.tell(receiver.url)
  stage.send()
  await until(() => statusOf(other)).toBe('acknowledged')
  // None of those that hang had an answer when this one was told, which stood behind all of them.
  const { rows } = await stage.database.pool.query(
    `SELECT count(*)::int AS begun FROM notification_attempt WHERE at <= (
       SELECT at FROM notification_attempt WHERE notification_id = $1) AND notification_id <> $1`,
    [other],
  )
  expect(rows[0].begun).toBeLessThanOrEqual(25)
  await stage.database.pool.query(`UPDATE notification SET due_at = NULL WHERE status = 'waiting'`)
  await hanging.close()
})

test('an account whose receivers hang takes the places of nobody else', async () => {
  const { pool } = stage.database
  const stranger = uuid()
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'Stranger')`, [stranger])
  const hanging = await startReceiver(() => undefined)
  // Many origins that are one server: 127.0.0.1 to 127.0.0.60.
  const port = new URL(hanging.url).port
  await hanging.close()
  const { createServer } = await import('node:http')
  const server = createServer(() => undefined).listen(Number(port), '0.0.0.0')
  await once(server, 'listening')
  for (let host = 1; host <= 60; host += 1)
    for (let number = 0; number < 5; number += 1) await stage.tell(`http://127.0.0.${host}:${port}/${number}`)
  const other = await stage.tell(receiver.url, { accountId: stranger })
  stage.send()
  await until(() => statusOf(other)).toBe('acknowledged')
  const { rows } = await pool.query(
    `SELECT count(*)::int AS begun FROM notification_attempt WHERE at <= (
       SELECT at FROM notification_attempt WHERE notification_id = $1) AND notification_id <> $1`,
    [other],
  )
  expect(rows[0].begun).toBeLessThanOrEqual(200)
  await pool.query(`UPDATE notification SET due_at = NULL WHERE status = 'waiting'`)
  server.closeAllConnections()
  server.close()
})

test('mails that cannot be put together keep no other notification waiting', async () => {
  receiver.answer = (response) => response.writeHead(204).end()
  await stage.database.pool.query('ALTER TABLE digest_item RENAME COLUMN due_at TO gone')
  const id = await stage.tell(receiver.url)
  stage.send()
  await until(() => statusOf(id)).toBe('acknowledged')
})

test('two processes send each once', async () => {
  const ids = await Promise.all(Array.from({ length: 200 }, (_, n) => stage.tell(`${receiver.url}/${n}`)))
  stage.send()
  stage.send()
  await until(async () => {
    const { rows } = await stage.database.pool.query(
      `SELECT count(*)::int AS n FROM notification WHERE status = 'acknowledged'`,
    )
    return rows[0].n
  }).toBe(200)
  expect(receiver.told.map(({ headers }) => headers['webhook-id']).sort()).toEqual([...ids].sort())
})

test('a process that is asked to stop ends what is under way, and begins nothing', async () => {
  let release = () => undefined as unknown
  receiver.answer = (response) => {
    release = () => response.end()
  }
  const id = await stage.tell(receiver.url)
  const stop = stage.send()
  await until(() => receiver.told.length).toBe(1)
  const stopped = stop()
  const late = await stage.tell(receiver.url)
  release()
  await stopped
  expect(await statusOf(id)).toBe('acknowledged')
  expect(await stage.look(late, `status = 'waiting' AND attempts = 0`)).toBe(true)
})

describe('by hand', () => {
  const repeat = (id: string) => resendNotification(stage.database.pool, { accountId: stage.accountId, id })

  test('one that has failed is sent once more, and is acknowledged then', async () => {
    const id = await stage.tell(receiver.url)
    await stage.database.pool.query(`UPDATE notification SET status = 'failed', due_at = NULL, attempts = 4`)
    await repeat(id)
    stage.send()
    await until(() => statusOf(id)).toBe('acknowledged')
    expect(await stage.attempts(id)).toMatchObject([{ by_hand: true, http_status: 200 }])
    expect(receiver.told[0]?.headers['webhook-id']).toBe(id)
  })

  test('one that fails again changes nothing in the timetable', async () => {
    receiver.answer = (response) => response.writeHead(500).end()
    const waiting = await stage.tell(receiver.url)
    const failed = await stage.tell(receiver.url)
    await stage.database.pool.query(
      `UPDATE notification SET due_at = '2100-01-01Z', attempts = 2 WHERE id = $1`,
      [waiting],
    )
    await stage.database.pool.query(
      `UPDATE notification SET status = 'failed', due_at = NULL, attempts = 4 WHERE id = $1`,
      [failed],
    )
    await repeat(waiting)
    await repeat(failed)
    stage.send()
    await until(() => receiver.told.length).toBe(2)
    await until(() => isFree(waiting)).toBe(true)
    await until(() => isFree(failed)).toBe(true)
    const asBefore = `status = 'waiting' AND due_at = '2100-01-01Z' AND attempts = 2 AND repeat_at IS NULL`
    expect(await stage.look(waiting, asBefore)).toBe(true)
    expect(await stage.look(failed, `status = 'failed' AND due_at IS NULL AND repeat_at IS NULL`)).toBe(true)
  })

  test('one that is asked for while an attempt is under way is made after it', async () => {
    let release = () => undefined as unknown
    receiver.answer = (response) => {
      release = () => response.end()
    }
    const id = await stage.tell(receiver.url)
    stage.send()
    await until(() => receiver.told.length).toBe(1)
    await repeat(id)
    receiver.answer = (response) => response.end()
    release()
    await until(() => receiver.told.length).toBe(2)
    await until(() => isFree(id)).toBe(true)
    expect(await stage.attempts(id)).toMatchObject([{ by_hand: false }, { by_hand: true }])
  })
})

test('what has ended long ago loses its body and its attempts, and what waits keeps both', async () => {
  const { pool } = stage.database
  const [old, waiting] = [await stage.tell(receiver.url), await stage.tell(receiver.url)]
  await pool.query(`INSERT INTO notification_attempt (notification_id) VALUES ($1), ($2)`, [old, waiting])
  await pool.query(`UPDATE notification SET created_at = now() - interval '91 days'`)
  await pool.query(`UPDATE notification SET status = 'failed', due_at = NULL WHERE id = $1`, [old])
  const recent = await stage.tell(receiver.url)
  await pool.query(`UPDATE notification SET status = 'acknowledged', due_at = NULL WHERE id = $1`, [recent])
  expect(await purgeNotifications(pool, 90)).toBe(1)
  const isWhole = (id: string) => stage.look<boolean>(id, 'body IS NOT NULL')
  expect([await isWhole(old), await isWhole(waiting), await isWhole(recent)]).toEqual([false, true, true])
  expect([await stage.attempts(old), await stage.attempts(waiting)]).toMatchObject([[], [{}]])
  await expect(resendNotification(pool, { accountId: stage.accountId, id: old })).rejects.toMatchObject({
    httpStatus: 409,
    code: 'NOTIFICATION_THINNED',
  })
})
