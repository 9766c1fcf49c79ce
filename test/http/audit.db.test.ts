import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { auditDetails } from '../../src/accounts/audit.ts'
import { allEndpoints } from '../../src/http/app.ts'
import type { Services } from '../../src/http/services.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

const listed = async (query = '', key = app.owner.key) =>
  (await app.ask('GET', `/v1/audit${query}`, { key })).body

describe('every call that changes something', () => {
  it('names its action, or says that it has none', async () => {
    // Only described here, and never called.
    const described = allEndpoints({ database: {}, config: {}, budget: {} } as Services)
    const silent = described.filter(({ method, action }) => method !== 'get' && action === undefined)
    expect(silent.map(({ method, path }) => `${method} ${path}`)).toEqual([])
    const reading = described.filter(({ method, action }) => method === 'get' && action !== undefined)
    expect(reading).toEqual([])
    for (const { action = 'none' } of described) expect(action).toMatch(/^(none|[a-z_]+\.[a-z_]+)$/)
  })
})

describe('/v1/audit', () => {
  it('tells who did what to what, without what is secret in it', async () => {
    const secret = 'sk-not-for-the-log-0123456789'
    const body = { name: 'Upstream', upstream_base_url: 'https://up.example', upstream_api_key: secret }
    const made = await app.ask('POST', '/v1/sources', { body })
    expect(made.status).toBe(201)
    const { data } = await listed()
    const keys = await app.ask('GET', '/v1/keys')
    expect(data[0]).toEqual({
      id: expect.any(String),
      at: expect.any(String),
      key_id: keys.body.data[0].id,
      actor: 'First key',
      action: 'source.create',
      subject_kind: 'source',
      subject_id: made.body.id,
      details: { ...body, upstream_api_key: '[redacted]' },
    })
    const { rows } = await app.database.pool.query('SELECT a::text AS row FROM audit_entry a')
    expect(JSON.stringify(rows)).not.toContain(secret)
  })

  it('names the one in the path', async () => {
    const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Second' } })
    await app.ask('PATCH', `/v1/sources/${body.id}`, { body: { name: 'Renamed' } })
    await app.ask('DELETE', `/v1/sources/${body.id}`)
    const { data } = await listed(`?subject_id=${body.id}`)
    expect(data.map(({ action }: { action: string }) => action)).toEqual([
      'source.remove',
      'source.change',
      'source.create',
    ])
    expect(data[1].details).toEqual({ name: 'Renamed' })
  })

  it('has no entry of what was refused', async () => {
    const before = await listed()
    await app.ask('POST', '/v1/sources', { body: {} })
    await app.ask('DELETE', `/v1/sources/${crypto.randomUUID()}`)
    expect(await listed()).toEqual(before)
  })

  it('keeps nothing of what it wrote down before, where that was done or refused', async () => {
    await app.ask('POST', '/v1/sources', { body: { name: 'Third' } })
    await app.ask('POST', '/v1/sources', { body: {} })
    const nowhere = { url: 'http://127.0.0.1:9', username: 'u', application_password: 'p' }
    expect((await app.ask('POST', '/v1/sites', { body: nowhere })).status).toBeGreaterThanOrEqual(400)
    await app.ask('DELETE', '/v1/session')
    expect((await app.database.pool.query('SELECT action FROM audit_intent')).rows).toEqual([])
  })

  it('is filtered by key, action, kind and time', async () => {
    const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'Other' } })
    await app.ask('PATCH', '/v1/account', { key: body.data.key, body: { notify_steps: true } })
    const { data } = await listed(`?key_id=${body.id}`)
    expect(data).toMatchObject([
      { action: 'account.change', actor: 'Other', subject_id: app.owner.id, details: { notify_steps: true } },
    ])
    const [{ at }] = data
    const later = new Date(Date.parse(at) + 1).toISOString()
    const actions = async (query: string) =>
      (await listed(query)).data.map(({ action }: { action: string }) => action)
    expect(await actions(`?action=key.create`)).toEqual(['key.create'])
    expect(await actions(`?subject_kind=key`)).toEqual(['key.create'])
    expect(await actions(`?key_id=${body.id}&since=${at}`)).toEqual(['account.change'])
    expect(await actions(`?key_id=${body.id}&since=${later}`)).toEqual([])
    expect(await actions(`?key_id=${body.id}&until=${later}`)).toEqual(['account.change'])
    expect(await actions(`?key_id=${body.id}&until=${at}`)).toEqual([])
  })

  it('leaves out who signed in and out, where that is asked for', async () => {
    await app.ask('POST', '/v1/session')
    const kinds = async (query: string) =>
      (await listed(query)).data.map(({ subject_kind }: { subject_kind: string }) => subject_kind)
    expect(await kinds('?limit=1')).toEqual(['session'])
    expect(await kinds('?limit=1&sessions=true')).toEqual(['session'])
    const others = await kinds('?limit=100&sessions=false')
    expect(others).not.toContain('session')
    expect(others).toEqual((await kinds('?limit=100')).filter((kind: string) => kind !== 'session'))
    const { body } = await app.ask('GET', '/v1/audit/export?sessions=false')
    expect(body).not.toContain('session.begin')
    expect((await app.ask('GET', '/v1/audit?sessions=some')).status).toBe(422)
  })

  it('pages, each entry once, the newest first', async () => {
    const all = (await listed('?limit=100')).data
    const seen: unknown[] = []
    let cursor: string | null = null
    do {
      const body = await listed(`?limit=2${cursor === null ? '' : `&cursor=${cursor}`}`)
      seen.push(...body.data)
      cursor = body.next_cursor
    } while (cursor !== null)
    expect(seen).toEqual(all)
    expect(all.length).toBeGreaterThan(4)
  })

  it('is each account’s own', async () => {
    expect(await listed('', app.stranger.key)).toMatchObject({ data: [], next_cursor: null })
  })
})

describe('/v1/audit/export', () => {
  const exported = (query: string) => app.ask('GET', `/v1/audit/export${query}`)

  it('200-every entry that matches, a JSON object a line', async () => {
    const { data } = await listed('?limit=100&subject_kind=key')
    const { status, headers, body } = await exported('?subject_kind=key')
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/x-ndjson; charset=utf-8')
    expect(headers.get('content-disposition')).toBe('attachment; filename="galley-audit.ndjson"')
    expect(
      body
        .trimEnd()
        .split('\n')
        .map((line: string) => JSON.parse(line)),
    ).toEqual(data)
  })

  it.each(['=', '＝'])('200-as CSV, in which no spreadsheet finds a formula behind %s', async (sign) => {
    const name = `${sign}HYPERLINK("https://evil.example")`
    const { body: key } = await app.ask('POST', '/v1/keys', { body: { name } })
    await app.ask('PATCH', '/v1/account', { key: key.data.key, body: { notify_steps: false } })
    const { body, headers } = await exported(`?format=csv&key_id=${key.id}`)
    expect(headers.get('content-type')).toBe('text/csv; charset=utf-8')
    const [head, line, ...rest] = body.split('\r\n')
    expect(head).toBe('id,at,key_id,actor,action,subject_kind,subject_id,details')
    expect(line).toMatch(
      new RegExp(
        `^[^,]+,[^,]+,${key.id},"'${sign}HYPERLINK\\(""https://evil\\.example""\\)",account\\.change,account,`,
      ),
    )
    expect(line).toMatch(/,notify_steps: false$/)
    expect(rest).toEqual([''])
  })

  it.each([
    ['Ann;=1+1', "Ann;'=1+1"],
    ['Ann;"@SUM(1)', `"Ann;""'@SUM(1)"`],
    ['Ann; -1 and 2-1;3', 'Ann; -1 and 2-1;3'],
  ])(
    '200-as CSV, in which no formula stands behind what divides cells elsewhere: %s',
    async (name, shown) => {
      const { body: key } = await app.ask('POST', '/v1/keys', { body: { name } })
      await app.ask('PATCH', '/v1/account', { key: key.data.key, body: { notify_steps: false } })
      const { body } = await exported(`?format=csv&key_id=${key.id}`)
      expect(body).toContain(`,${key.id},${shown},account.change,`)
    },
  )

  it('200-more than one page of the database', async () => {
    const { rows } = await app.database.pool.query(
      `INSERT INTO audit_entry (id, account_id, actor, action, subject_kind)
       SELECT gen_random_uuid(), $1, 'many', 'many.made', 'many' FROM generate_series(1, 1203) RETURNING id`,
      [app.owner.id],
    )
    const { body } = await exported('?action=many.made')
    const ids = body
      .trimEnd()
      .split('\n')
      .map((line: string) => JSON.parse(line).id)
    expect(ids).toEqual(
      rows
        .map(({ id }) => id)
        .sort()
        .reverse(),
    )
  })

  it('422-no time', async () => {
    expect(await exported('?since=yesterday')).toMatchObject({ status: 422 })
  })
})

describe('the log', () => {
  it.each([
    ["UPDATE audit_entry SET actor = 'nobody'"],
    ['DELETE FROM audit_entry'],
    ['TRUNCATE audit_entry'],
    ['TRUNCATE account CASCADE'],
  ])('refuses %s', async (statement) => {
    const before = await listed()
    await expect(app.database.pool.query(statement)).rejects.toThrow('append-only')
    expect(await listed()).toEqual(before)
    expect(before.data.length).toBeGreaterThan(0)
  })

  it('goes with its account', async () => {
    const { account, key } = await createAccount(app.database.pool, { name: 'Passing' })
    await app.ask('POST', '/v1/keys', { key, body: { name: 'Second' } })
    const entries = () => app.database.prisma.auditEntry.count({ where: { accountId: account.id } })
    expect(await entries()).toBe(1)
    await app.database.pool.query('DELETE FROM account WHERE id = $1', [account.id])
    expect(await entries()).toBe(0)
  })
})

it('503-unwritten: nobody hears of a success that is not entered', async () => {
  const app = await startApp()
  try {
    await app.database.pool.query('ALTER TABLE audit_entry RENAME TO audit_away')
    const answer = await app.ask('POST', '/v1/keys', { body: { name: 'Unheard' } })
    expect(answer).toMatchObject({ status: 503, body: { error: { code: 'AUDIT_UNWRITTEN' } } })
    expect(answer.body.data).toBeUndefined()
  } finally {
    await app.stop()
  }
})

describe('what was asked for', () => {
  const details = (body: unknown) => auditDetails({ params: {}, query: {}, body })

  it('is kept without secrets, by their names and by how they look', () => {
    expect(
      details({
        application_password: 'abcd',
        nested: [{ token: 't', signing_secret: true, key: 'k', keys: 2 }],
        note: 'Authorization: Bearer abc123DEF456',
      }),
    ).toEqual({
      application_password: '[redacted]',
      nested: [{ token: '[redacted]', signing_secret: true, key: '[redacted]', keys: 2 }],
      note: 'Authorization: [redacted] [redacted]',
    })
    expect(JSON.stringify(details({ note: `${'x'.repeat(190)} gly_sk_${'a1'.repeat(24)}` }))).not.toContain(
      'a1a1',
    )
  })

  it('is cut where it is long, deep or many', () => {
    expect(details({ text: 'x'.repeat(5_000) })).toEqual({ text: `${'x'.repeat(200)}…` })
    expect(details({ list: Array.from({ length: 600 }, (_, n) => n) })).toEqual({ list: '… 2291 characters' })
    const wide = Object.fromEntries(Array.from({ length: 50 }, (_, n) => [`m${n}`, 'y'.repeat(200)]))
    expect(details(wide)).toMatchObject({ cut: true, members: expect.arrayContaining(['m0', 'm49']) })
    expect(details('url,username,application_password\nhttps://a.example,u,secret')).toEqual({
      body_characters: 60,
    })
  })
})
