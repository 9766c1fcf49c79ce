import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { purgeChanges } from '../../src/changes/change-log.ts'
import type { StreamMessage } from '../../src/changes/streams.ts'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let other: TestApp
beforeAll(async () => {
  app = await startApp()
  other = await startApp({}, app.connectionString)
})
afterAll(async () => {
  await other.stop()
  await app.stop()
})

interface Heard {
  event: string
  // biome-ignore lint/suspicious/noExplicitAny: what came is what the test looks at
  data: any
  id: string | undefined
}

interface Listening {
  heard: Heard[]
  /** Resolves when the other side has ended it. */
  ended: Promise<void>
  isOver: () => boolean
  close(): void
}

const open: Listening[] = []
afterEach(() => {
  for (const stream of open.splice(0)) stream.close()
})

async function listen(key = app.owner.key, after?: string, of = app): Promise<Listening> {
  const ending = new AbortController()
  const response = await fetch(`${of.url}/v1/stream`, {
    headers: { authorization: `Bearer ${key}`, ...(after !== undefined && { 'last-event-id': after }) },
    signal: ending.signal,
  })
  expect(response.status).toBe(200)
  expect(response.headers.get('content-encoding')).toBeNull()
  const heard: Heard[] = []
  let over = false
  const ended = (async () => {
    let text = ''
    const decoder = new TextDecoder()
    for await (const part of response.body ?? []) {
      const blocks = (text + decoder.decode(part as Uint8Array, { stream: true })).split('\n\n')
      text = blocks.pop() as string
      for (const block of blocks) {
        const field = (name: string) => new RegExp(`^${name}: (.*)$`, 'm').exec(block)?.[1]
        const event = field('event')
        if (event) heard.push({ event, data: JSON.parse(field('data') as string), id: field('id') })
      }
    }
  })()
    .catch(() => undefined)
    .finally(() => {
      over = true
    })
  const stream = { heard, ended, isOver: () => over, close: () => ending.abort() }
  open.push(stream)
  await until(() => heard[0]?.event).toBe('ready')
  return stream
}

const until = (seen: () => unknown) => expect.poll(seen, { interval: 20 })
const changes = ({ heard }: Listening, kind?: string): string[] =>
  heard
    .flatMap(({ data }) => data.changes ?? [])
    .filter((change: { kind: string }) => kind === undefined || change.kind === kind)
    .map(({ id }: { id: string }) => id)
const lastId = ({ heard }: Listening) => heard.findLast(({ id }) => id !== undefined)?.id as string

const INSERT_SITE = `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at)
  VALUES ($1, $2, 'S', 'https://s.example', 'https://s.example/wp-json/', 'u', 'unused', $3, now())`
async function site(labels: string[] = [], accountId = app.owner.id): Promise<string> {
  const id = randomUUID()
  await app.database.pool.query(INSERT_SITE, [id, accountId, labels])
  return id
}
const rename = (id: string) =>
  app.database.pool.query(`UPDATE site SET name = name || '!' WHERE id = $1`, [id])

async function delivery(siteId: string): Promise<string> {
  const id = randomUUID()
  await app.database.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status)
     VALUES ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), 'queued')`,
    [id, app.owner.id, siteId],
  )
  return id
}

async function keyOf(limit: object): Promise<{ id: string; key: string }> {
  const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'k', role: 'editor', ...limit } })
  return body.data
}

describe('a stream tells', () => {
  test('first that everything is to be read, then what was made, changed and removed', async () => {
    const stream = await listen()
    expect(stream.heard[0]).toMatchObject({
      data: { resumed: false },
      id: expect.stringMatching(/^\d+-\d+:\d+:/),
    })
    const id = await site()
    await until(() => changes(stream, 'site')).toEqual([id])
    await rename(id)
    await until(() => changes(stream, 'site')).toEqual([id, id])
    await app.database.pool.query('DELETE FROM site WHERE id = $1', [id])
    await until(() => changes(stream, 'site')).toEqual([id, id, id])
  })

  test('of webhooks, deliveries, jobs and bulk jobs, in another process too', async () => {
    const stream = await listen(app.owner.key, undefined, other)
    const { id, data } = completed()
    const made = await app.ask('POST', '/v1/deliveries', { body: { id, data, site_ids: [await site()] } })
    expect(made.status).toBe(202)
    await until(() => changes(stream, 'delivery')).toEqual([made.body.data[0].id])
    await until(() => changes(stream, 'event')).toHaveLength(1)
    const { rows } = await app.database.pool.query(
      `INSERT INTO generation_job (id, account_id, kind, request, price, request_digest)
       VALUES (gen_random_uuid(), $1, 'image', '{}', 0, '') RETURNING id`,
      [app.owner.id],
    )
    await until(() => changes(stream, 'job')).toEqual([rows[0].id])
    const { rows: bulk } = await app.database.pool.query(
      `INSERT INTO bulk_job (id, account_id, key_id, action, filter, parameters, dry_run)
       VALUES (gen_random_uuid(), $1, gen_random_uuid(), 'retry', '{}', '{}', true) RETURNING id`,
      [app.owner.id],
    )
    await until(() => changes(stream, 'bulk_job')).toEqual([bulk[0].id])
  })

  test('nothing of what nobody sees: a lease, a fence', async () => {
    const id = await delivery(await site())
    const stream = await listen()
    await app.database.pool.query(
      `UPDATE delivery SET due_at = now() + interval '1 h', fence = fence + 1 WHERE id = $1`,
      [id],
    )
    const last = await site()
    await until(() => changes(stream, 'site')).toEqual([last])
    expect(changes(stream, 'delivery')).toEqual([])
  })

  test('nothing of another account', async () => {
    const stream = await listen()
    const theirs = await listen(app.stranger.key)
    const id = await site([], app.stranger.id)
    await until(() => changes(theirs)).toEqual([id])
    const own = await site()
    await until(() => changes(stream)).toEqual([own])
  })

  test('a key that is limited to sites of these alone, and that its sites are others now', async () => {
    const [mine, foreign] = [await site(['news']), await site(['sport'])]
    const { key } = await keyOf({ labels: ['news'] })
    const stream = await listen(key)
    await delivery(foreign)
    await rename(foreign)
    const [own] = [await delivery(mine)]
    await rename(mine)
    await until(() => changes(stream, 'site')).toEqual([mine])
    expect(changes(stream, 'delivery')).toEqual([own])
    // Its event alone, and none of the account's that are for no site.
    expect(changes(stream, 'event')).toHaveLength(1)
    await app.database.pool.query(`UPDATE site SET labels = '{news}' WHERE id = $1`, [foreign])
    await until(() => stream.heard.at(-1)?.event).toBe('reset')
    const now = await delivery(foreign)
    await until(() => changes(stream, 'delivery')).toEqual([own, now])
  })

  test('a key that is limited to sites of its own bulk jobs, and of no others, whatever they are for', async () => {
    const mine = await site(['news'])
    const limited = await keyOf({ labels: ['news'] })
    const [stream, all] = [await listen(limited.key), await listen()]
    const make = (key: string) =>
      app.ask('POST', '/v1/bulk', {
        key,
        body: { action: 'retry', filter: { site_id: mine }, dry_run: true },
      })
    const other = await keyOf({ site_ids: [mine] })
    const jobs = [await make(app.owner.key), await make(other.key), await make(limited.key)]
    const ids = jobs.map(({ body }) => body.id as string)
    await until(() => changes(all, 'bulk_job')).toEqual(ids)
    await until(() => changes(stream, 'bulk_job')).toEqual([ids[2]])
  })

  test('what was begun before something else and committed after it', async () => {
    const stream = await listen()
    const slow = new Client({ connectionString: app.connectionString })
    await slow.connect()
    const [late, early] = [randomUUID(), randomUUID()]
    await slow.query('BEGIN')
    await slow.query(INSERT_SITE, [late, app.owner.id, []])
    await app.database.pool.query(INSERT_SITE, [early, app.owner.id, []])
    await until(() => changes(stream)).toEqual([early])
    const seen = lastId(stream)
    const left = await listen(app.owner.key, seen)
    left.close()
    await slow.query('COMMIT')
    await slow.end()
    await until(() => changes(stream)).toEqual([early, late])
    // And whoever was away meanwhile, and had only heard of the other.
    const again = await listen(app.owner.key, seen)
    await until(() => changes(again)).toEqual([late])
  })
})

describe('a stream that broke', () => {
  test('goes on where it was', async () => {
    const first = await listen()
    const before = await site()
    await until(() => changes(first)).toEqual([before])
    first.close()
    const missed = [await site(), await site()]
    const again = await listen(app.owner.key, lastId(first), other)
    expect(again.heard[0]).toMatchObject({ event: 'ready', data: { resumed: true } })
    await until(() => changes(again).sort()).toEqual([...missed].sort())
  })

  test('has to read everything again where what it missed is no longer kept', async () => {
    const first = await listen()
    await site()
    await until(() => changes(first)).toHaveLength(1)
    first.close()
    await site()
    await app.database.pool.query(`UPDATE change SET at = now() - interval '1 hour'`)
    await purgeChanges(app.database.pool)
    const again = await listen(app.owner.key, lastId(first))
    expect(again.heard[0]).toMatchObject({ event: 'ready', data: { resumed: false } })
  })

  test('has to read everything again where what was under way then is no longer kept', async () => {
    const first = await listen()
    const slow = new Client({ connectionString: app.connectionString })
    await slow.connect()
    await slow.query('BEGIN')
    await slow.query(INSERT_SITE, [randomUUID(), app.owner.id, []])
    const early = await site()
    await until(() => changes(first)).toEqual([early])
    first.close()
    await slow.query('COMMIT')
    await slow.end()
    await app.database.pool.query(`UPDATE change SET at = now() - interval '1 hour'`)
    await purgeChanges(app.database.pool)
    const again = await listen(app.owner.key, lastId(first))
    expect(again.heard[0]).toMatchObject({ event: 'ready', data: { resumed: false } })
  })

  test.each([
    ['nothing', ''],
    ['what is no id', 'nonsense'],
    ['half of one', '1-2'],
    ['one of another recording', '1-1:1:'],
    ['one of a time to come', '99-999999999999:999999999999:'],
    ['very much', `1-1:2:${'1,'.repeat(5_000)}1`],
  ])('has to read everything again where it says %s', async (_, after) => {
    const stream = await listen(app.owner.key, after)
    expect(stream.heard[0]).toMatchObject({ event: 'ready', data: { resumed: false } })
  })

  test('has to read everything again after the database crashed, and so has one that is open', async () => {
    const stream = await listen()
    const seen = lastId(stream)
    // What PostgreSQL does itself with tables that are not logged.
    await app.database.pool.query('TRUNCATE change, change_watch')
    await until(() => stream.heard.at(-1)?.event).toBe('reset')
    const id = await site()
    await until(() => changes(stream)).toEqual([id])
    const again = await listen(app.owner.key, seen)
    expect(again.heard[0]).toMatchObject({ data: { resumed: false } })
  })
})

test('of very much at once it says that everything is to be read again', async () => {
  const stream = await listen()
  await app.database.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'queued'
     FROM generate_series(1, 2500)`,
    [app.owner.id],
  )
  await until(() => stream.heard.at(-1)?.event).toBe('reset')
  expect(changes(stream)).toEqual([])
  const id = await site()
  await until(() => changes(stream)).toEqual([id])
})

test('many are told in several events, of which the last alone is gone on from', async () => {
  const stream = await listen()
  await app.database.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status)
     SELECT gen_random_uuid(), $1, gen_random_uuid(), gen_random_uuid(), gen_random_uuid(), 'queued'
     FROM generate_series(1, 150)`,
    [app.owner.id],
  )
  await until(() => new Set(changes(stream, 'delivery')).size).toBe(150)
  const told = stream.heard.slice(1)
  expect(told.map(({ data }) => data.changes.length)).toEqual([100, 100, 100])
  expect(told.map(({ id }) => id !== undefined)).toEqual([false, false, true])
})

test('what was under way before anybody listened is not missed: everything is to be read again once it is over', async () => {
  const { rows } = await app.database.pool.query('SELECT id FROM account WHERE id = $1', [app.stranger.id])
  await app.database.pool.query('DELETE FROM change_watch WHERE account_id = $1', [rows[0].id])
  const slow = new Client({ connectionString: app.connectionString })
  await slow.connect()
  await slow.query('BEGIN')
  await slow.query(INSERT_SITE, [randomUUID(), app.stranger.id, []])
  const stream = await listen(app.stranger.key)
  expect(stream.heard).toMatchObject([{ data: { resumed: false } }])
  await slow.query('COMMIT')
  await slow.end()
  await until(() => stream.heard.at(-1)?.event).toBe('reset')
})

test('what is under way in another database of the same server is no reason to read everything again', async () => {
  const { account, key } = await createAccount(app.database.pool, { name: 'Just begun' })
  const elsewhere = new URL(app.connectionString)
  elsewhere.pathname = '/postgres'
  const slow = new Client({ connectionString: elsewhere.href })
  await slow.connect()
  await slow.query('BEGIN')
  await slow.query('SELECT pg_current_xact_id()')
  const stream = await listen(key)
  const before = await site([], account.id)
  await until(() => changes(stream)).toEqual([before])
  const again = await listen(key, lastId(stream), other)
  expect(again.heard[0]).toMatchObject({ event: 'ready', data: { resumed: true } })
  await slow.query('COMMIT')
  await slow.end()
  const after = await site([], account.id)
  await until(() => changes(stream)).toEqual([before, after])
  expect(stream.heard.map(({ event }) => event)).toEqual(['ready', 'changes', 'changes'])
})

test('where nobody listens, nothing is written down', async () => {
  const { pool } = app.database
  await pool.query('TRUNCATE change, change_watch')
  const id = await site()
  await delivery(id)
  await rename(id)
  expect((await pool.query('SELECT count(*)::int AS n FROM change')).rows[0].n).toBe(0)
})

/** A listener within the process, as a session has one. */
function listenerOf() {
  const heard: StreamMessage[] = []
  let over = () => undefined as unknown
  const ended = new Promise<void>((resolve) => {
    over = () => resolve()
  })
  return {
    heard,
    ended,
    listener: { send: (saying: StreamMessage) => void heard.push(saying), end: () => void over() },
  }
}

describe('a stream ends at once', () => {
  test('when its key is revoked', async () => {
    const { id, key } = await keyOf({})
    const stream = await listen(key)
    await app.ask('DELETE', `/v1/keys/${id}`)
    await stream.ended
    expect((await app.ask('GET', '/v1/stream', { key })).status).toBe(401)
  })

  test('when its key expires', async () => {
    const { id, key } = await keyOf({ expires_at: new Date(Date.now() + 3_600_000).toISOString() })
    const stream = await listen(key)
    await app.database.pool.query(
      `UPDATE api_key SET expires_at = now() - interval '1 second' WHERE id = $1`,
      [id],
    )
    await stream.ended
  })

  test('when its account is disabled', async () => {
    const stream = await listen(app.stranger.key)
    await app.database.pool.query('UPDATE account SET disabled_at = now() WHERE id = $1', [app.stranger.id])
    await stream.ended
    await app.database.pool.query('UPDATE account SET disabled_at = NULL WHERE id = $1', [app.stranger.id])
  })

  test('when the session ends that it was opened by', async () => {
    const { rows } = await app.database.pool.query('SELECT id FROM api_key WHERE account_id = $1 LIMIT 1', [
      app.owner.id,
    ])
    const { heard, listener, ended } = listenerOf()
    const sessionId = randomUUID()
    await app.database.pool.query(
      `INSERT INTO session (id, account_id, key_id, hash) VALUES ($1::uuid, $2, $3, $1::text)`,
      [sessionId, app.owner.id, rows[0].id],
    )
    const caller = {
      accountId: app.owner.id,
      keyId: rows[0].id,
      role: 'owner',
      siteIds: null,
      labels: [],
    } as const
    await app.streams.open({ ...caller, labels: [], sessionId }, undefined, listener)
    const id = await site()
    await until(() => heard.flatMap(({ data }) => ('changes' in data ? data.changes : []))).toEqual([
      { kind: 'site', id },
    ])
    await app.database.pool.query('DELETE FROM session WHERE id = $1', [sessionId])
    await ended
  })

  test('when its key gets a role that may not', async () => {
    const { id, key } = await keyOf({})
    const stream = await listen(key)
    await app.database.pool.query(`UPDATE api_key SET role = 'source' WHERE id = $1`, [id])
    await stream.ended
    expect((await app.ask('GET', '/v1/stream', { key })).status).toBe(403)
  })
})

test('429-as-many-as-a-key-may-have, and when one of them is closed there is room again', async () => {
  const { key } = await keyOf({})
  const streams = await Promise.all(Array.from({ length: 25 }, () => listen(key)))
  expect(await app.ask('GET', '/v1/stream', { key })).toMatchObject({
    status: 429,
    body: { error: { code: 'TOO_MANY_STREAMS' } },
  })
  streams[0]?.close()
  await until(async () => {
    const ending = new AbortController()
    const { status } = await fetch(`${app.url}/v1/stream`, {
      headers: { authorization: `Bearer ${key}` },
      signal: ending.signal,
    })
    ending.abort()
    return status
  }).toBe(200)
})

test('a process that stops ends its streams, and opens none', async () => {
  const own = await startApp({}, app.connectionString)
  const stream = await listen(own.owner.key, undefined, own)
  await own.streams.stop()
  await stream.ended
  expect(await own.ask('GET', '/v1/stream')).toMatchObject({
    status: 503,
    body: { error: { code: 'STOPPING' } },
  })
  await own.stop()
})
