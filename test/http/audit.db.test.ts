import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createAccount } from '../../src/accounts/accounts.ts'
import { auditDetails } from '../../src/accounts/audit.ts'
import { allEndpoints } from '../../src/http/app.ts'
import type { Services } from '../../src/http/services.ts'
import { completed } from '../support/webhooks.ts'
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
      subject_name: 'Upstream',
      subject_of: null,
      subject_items: null,
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

describe('the object of an entry', () => {
  const id = () => crypto.randomUUID()
  const ids = {
    site: id(),
    delivery: id(),
    source: id(),
    receiver: id(),
    notification: id(),
    key: id(),
    account: id(),
    job: id(),
    bulk: id(),
    import: id(),
    connect_link: id(),
    session: id(),
  }
  const said: Record<keyof typeof ids, [name: string | null, of: string | null, items: number | null]> = {
    site: ['Harbour', null, null],
    delivery: ['How tides come about', 'Harbour', null],
    source: ['Newsroom', null, null],
    receiver: ['Ann', null, null],
    notification: ['site.outage', 'Ann', null],
    key: ['Dashboard', null, null],
    account: ['Brightwater', null, null],
    job: ['Write about tides', null, null],
    bulk: ['retry', null, 112],
    import: [null, null, 2],
    connect_link: ['https://asked.example', null, null],
    // Whose it was is said by who did it.
    session: [null, null, null],
  }
  const eventId = id()
  /** As it would be seen if it were not of this account. */
  const strange = id()

  beforeAll(async () => {
    const { prisma, pool } = app.database
    const mine = { accountId: app.owner.id }
    const at = { url: 'https://x.example', restRoot: 'https://x.example/wp-json/' }
    const site = { ...at, username: 'u', applicationPassword: 'unused' }
    await prisma.site.create({ data: { ...mine, ...site, id: ids.site, name: 'Harbour' } })
    await prisma.source.create({ data: { ...mine, id: ids.source, name: 'Newsroom', tokenHash: ids.source } })
    const documentId = id()
    const event = { kind: 'document.completed', status: 'planned', digest: Buffer.from('1') }
    await prisma.event.create({ data: { ...mine, ...event, id: eventId, sourceId: ids.source, documentId } })
    const delivery = { siteId: ids.site, documentId, title: 'How tides come about', wantedEventId: eventId }
    await prisma.delivery.create({ data: { ...mine, ...delivery, id: ids.delivery, status: 'delivered' } })
    const receiver = { kind: 'email', url: 'mailto:ann@x.example', events: [] }
    await prisma.receiver.create({ data: { ...mine, ...receiver, id: ids.receiver, name: 'Ann' } })
    const told = { event: 'site.outage', subjectId: ids.site, receiverId: ids.receiver, url: at.url }
    await prisma.notification.create({ data: { ...mine, ...told, id: ids.notification } })
    const key = { name: 'Dashboard', hash: ids.key, lastFour: 'abcd', role: 'owner' }
    await prisma.apiKey.create({ data: { ...mine, ...key, id: ids.key } })
    await prisma.account.create({ data: { id: ids.account, name: 'Brightwater' } })
    const job = { kind: 'document', request: { prompt: 'Write about tides' }, price: 1 }
    const requestDigest = Buffer.from('2')
    await prisma.generationJob.create({ data: { ...mine, ...job, id: ids.job, requestDigest } })
    const bulk = { keyId: ids.key, action: 'retry', filter: {}, parameters: {}, dryRun: false, matched: 112 }
    await prisma.bulkJob.create({ data: { ...mine, ...bulk, id: ids.bulk, status: 'done' } })
    await prisma.siteImport.create({ data: { ...mine, id: ids.import, dryRun: false } })
    const line = { importId: ids.import, status: 'connected' }
    for (const n of [1, 2])
      await prisma.siteImportLine.create({ data: { ...line, id: id(), siteId: id(), line: n } })
    const link = { url: 'https://asked.example', restRoot: at.restRoot, requested: {}, expiresAt: new Date() }
    await prisma.connectLink.create({ data: { ...mine, ...link, id: ids.connect_link, tokenHash: ids.site } })
    const strangers = { ...site, accountId: app.stranger.id, name: 'Not to be seen' }
    await prisma.site.create({ data: { ...strangers, id: strange } })
    const entries = [...Object.entries(ids), ['delivery', eventId], ['site', strange], ['site', 'no id']]
    await pool.query(
      `INSERT INTO audit_entry (id, account_id, actor, action, subject_kind, subject_id)
       SELECT uuidv7(), $1, 'Ann', kind || '.change', kind, subject FROM unnest($2::text[], $3::text[]) AS given (kind, subject)`,
      [app.owner.id, entries.map(([kind]) => kind), entries.map(([, subject]) => subject)],
    )
  })

  const object = async (subject: string) => {
    const { data } = await listed(`?subject_id=${encodeURIComponent(subject)}`)
    return data.map((entry: Record<string, unknown>) => [
      entry.subject_name,
      entry.subject_of,
      entry.subject_items,
    ])
  }

  it('has a kind that is named here', () => {
    const described = allEndpoints({ database: {}, config: {}, budget: {} } as Services)
    const kinds = described.flatMap(({ action = 'none' }) =>
      action === 'none' ? [] : [action.split('.')[0]],
    )
    expect([...new Set(kinds)].sort()).toEqual(Object.keys(ids).sort())
  })

  it.each(Object.keys(ids) as (keyof typeof ids)[])('is said by its name: %s', async (kind) => {
    expect(await object(ids[kind])).toEqual([said[kind]])
  })

  it('is the document, where that was sent to several sites', async () => {
    expect(await object(eventId)).toEqual([['How tides come about', null, null]])
  })

  it('has no name where it is not of this account, or is none', async () => {
    expect(await object(strange)).toEqual([[null, null, null]])
    expect(await object('no id')).toEqual([[null, null, null]])
  })

  it('keeps the name of a site that was removed', async () => {
    expect((await app.ask('DELETE', `/v1/sites/${ids.site}`)).status).toBe(200)
    expect(await object(ids.site)).toEqual([said.site, said.site])
    expect(await object(ids.delivery)).toEqual([said.delivery])
  })

  it('is a delivery, where a document was sent to one site', async () => {
    const site_ids = [id(), id()]
    const site = { url: 'https://x.example', restRoot: 'https://x.example/wp-json/', username: 'u' }
    for (const one of site_ids) {
      const data = {
        ...site,
        applicationPassword: 'unused',
        accountId: app.owner.id,
        id: one,
        name: 'Lagoon',
      }
      await app.database.prisma.site.create({ data })
    }
    const { data } = completed()
    for (const sites of [site_ids, site_ids.slice(0, 1)])
      expect((await app.ask('POST', '/v1/deliveries', { body: { data, site_ids: sites } })).status).toBe(202)
    const entries = (await listed('?action=delivery.create')).data
    expect(entries).toMatchObject([{ subject_of: 'Lagoon' }, { subject_of: null }])
    for (const { subject_name } of entries) expect(subject_name).toEqual(expect.any(String))
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
    expect(head).toBe(
      'id,at,key_id,actor,action,subject_kind,subject_id,subject_name,subject_of,subject_items,details',
    )
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
