import { createHash, randomUUID } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { type Warning, withSeverity } from '../../src/warnings.ts'
import { startApp, type TestApp } from './app.ts'

/** By the last digit of the number of a delivery. */
const WARNED: Record<number, Warning[]> = {
  2: [
    { code: 'slug_taken', message: 'Taken.' },
    { code: 'picture_left_out', message: 'Gone.' },
  ],
  3: [{ code: 'slug_taken', message: 'Taken.' }],
}

let app: TestApp
let north: string
let south: string
/** A key of the owner that sees the south alone. */
let limited: string
/** Titles of the owner's deliveries, the newest first. */
const titles: string[] = []

beforeAll(async () => {
  app = await startApp()
  const { pool } = app.database
  const site = async (accountId: string, name: string, labels: string[]): Promise<string> => {
    const { rows } = await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, labels)
       VALUES (gen_random_uuid(), $1, $2::text, 'https://' || $2, 'r', 'u', 'p', now(), $3) RETURNING id`,
      [accountId, name, labels],
    )
    return rows[0].id
  }
  north = await site(app.owner.id, 'north', ['ours'])
  south = await site(app.owner.id, 'south', ['ours', 'warm'])
  const theirs = await site(app.stranger.id, 'theirs', ['ours'])
  const deliver = (
    accountId: string,
    siteId: string,
    title: string,
    status: string,
    code: string | null,
    n: number,
  ) =>
    pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, error, updated_at, warnings)
       VALUES ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), $4, $5, $6, now() - $7 * interval '1 minute', $8)`,
      [
        uuid({ msecs: Date.UTC(2026, 0, 1) + n }),
        accountId,
        siteId,
        title,
        status,
        code && { code, message: `${title} says ${code}.`, step: 'fill' },
        n,
        JSON.stringify(withSeverity(WARNED[n % 10] ?? [])),
      ],
    )
  for (let n = 0; n < 30; n += 1) {
    const [status, code] =
      n % 10 === 0
        ? ['held', 'password_wrong']
        : n % 10 === 1
          ? ['failed', 'post_changed']
          : ['delivered', null]
    const title = `Number ${n}`
    titles.unshift(title)
    await deliver(
      app.owner.id,
      n % 3 === 0 ? south : north,
      title,
      status as string,
      code as string | null,
      n,
    )
  }
  await deliver(app.stranger.id, theirs, 'Not yours', 'held', 'password_wrong', 31)
  limited = createApiKey()
  await pool.query(
    `INSERT INTO api_key (id, account_id, name, hash, last_four, role, site_ids)
     VALUES (gen_random_uuid(), $1, 'limited', $2, 'last', 'editor', $3)`,
    [app.owner.id, createHash('sha256').update(limited).digest('hex'), [south]],
  )
})
afterAll(() => app.stop())

interface Item {
  id: string
  title: string
}

/** Every item of a list, page by page, and how many pages there were. */
async function all(query: string, key = app.owner.key): Promise<{ found: string[]; pages: number }> {
  const found: string[] = []
  let cursor: string | null = null
  for (let pages = 1; ; pages += 1) {
    const next: string = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
    const { status, body } = await app.ask('GET', `/v1/deliveries?${query}${next}`, { key })
    expect(status).toBe(200)
    found.push(...body.data.map(({ title }: Item) => title))
    cursor = body.next_cursor
    if (cursor === null) return { found, pages }
  }
}

const number = (title: string) => Number(title.slice(7))
const ofSouth = (title: string) => number(title) % 3 === 0
const inTrouble = (title: string) => number(title) % 10 < 2

describe('/v1/deliveries', () => {
  it.each<[string, (title: string) => boolean]>([
    ['', () => true],
    ['label=ours', () => true],
    ['label=warm', ofSouth],
    ['label=cold', () => false],
    ['attention=true', inTrouble],
    ['status=held&status=failed', inTrouble],
    ['status=held&label=ours&search=number', (title) => number(title) % 10 === 0],
    ['code=post_changed', (title) => number(title) % 10 === 1],
    ['code=post_changed&code=password_wrong', inTrouble],
    ['search=number+2', (title) => title.startsWith('Number 2')],
    ['severity=loss', (title) => number(title) % 10 === 2],
    ['severity=note', () => false],
    ['severity=loss&label=warm', (title) => number(title) % 10 === 2 && ofSouth(title)],
    ['warning=slug_taken', (title) => [2, 3].includes(number(title) % 10)],
    ['warning=slug_taken&severity=loss', (title) => number(title) % 10 === 2],
    ['label=ours&search=number+2', (title) => title.startsWith('Number 2')],
  ])('200-every-match-once-and-in-order: %s', async (query, fits) => {
    for (const limit of [7, 30]) {
      expect((await all(`${query}&limit=${limit}`)).found).toEqual(titles.filter(fits))
      expect((await all(`${query}&limit=${limit}&sort=oldest`)).found).toEqual(titles.filter(fits).reverse())
      expect((await all(`${query}&limit=${limit}&sort=updated`)).found).toEqual(titles.filter(fits).reverse())
    }
  })

  it('200-nothing-lost-nor-doubled-by-what-changes-between-two-pages', async () => {
    const first = await app.ask('GET', '/v1/deliveries?status=delivered&limit=5')
    await app.database.pool.query('UPDATE delivery SET updated_at = now() WHERE account_id = $1', [
      app.owner.id,
    ])
    const next = await app.ask(
      'GET',
      `/v1/deliveries?status=delivered&limit=100&cursor=${first.body.next_cursor}`,
    )
    const found = [...first.body.data, ...next.body.data].map(({ title }: Item) => title)
    expect(found).toEqual(titles.filter((title) => !inTrouble(title)))
    await app.database.pool.query(
      `UPDATE delivery SET updated_at = now() - split_part(title, ' ', 2)::int * interval '1 minute'
       WHERE account_id = $1`,
      [app.owner.id],
    )
  })

  it('200-shows-where-each-stands', async () => {
    const { body } = await app.ask('GET', `/v1/deliveries?status=held&site_id=${south}`)
    expect(body.data[0]).toMatchObject({
      title: 'Number 0',
      source: null,
      site: { name: 'south', labels: ['ours', 'warm'] },
      stands: { step: null, waits_for: 'owner' },
    })
    const { body: failed } = await app.ask('GET', '/v1/deliveries?status=failed')
    expect(failed.data[0].stands.waits_for).toBeNull()
  })

  it('200-total', async () => {
    const { body } = await app.ask('GET', '/v1/deliveries?label=warm&total=true&limit=1')
    expect(body).toMatchObject({ total: { count: 10, more: false } })
    expect((await app.ask('GET', '/v1/deliveries?limit=1')).body.total).toBeUndefined()
  })

  it('200-a-limited-key-sees-its-sites-alone', async () => {
    for (const query of ['', 'label=ours', `site_id=${south}`, 'search=number', 'sort=oldest'])
      expect(new Set((await all(query, limited)).found)).toEqual(new Set(titles.filter(ofSouth)))
    expect((await all(`site_id=${north}`, limited)).found).toEqual([])
    expect((await app.ask('GET', '/v1/deliveries?total=true', { key: limited })).body.total.count).toBe(10)
    const { body } = await app.ask('GET', `/v1/deliveries?site_id=${north}&limit=1&attention=true`)
    const foreign = `/v1/deliveries/${body.data[0].id}`
    for (const [method, path] of [
      ['GET', foreign],
      ['POST', `${foreign}/retry`],
      ['POST', `${foreign}/cancel`],
    ] as const)
      expect(await app.ask(method, path, { key: limited })).toMatchObject({ status: 404 })
  })

  it('200-a-rare-match-is-found-behind-more-than-one-answer-looks-at', async () => {
    const { pool } = app.database
    await pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status)
       SELECT uuidv7(), $1, $2, gen_random_uuid(), gen_random_uuid(), 'One of many', 'delivered'
       FROM generate_series(1, 10500)`,
      [app.owner.id, north],
    )
    onTestFinished(async () => {
      await pool.query(`DELETE FROM delivery WHERE title = 'One of many'`)
    })
    for (const query of [
      'search=number+29',
      'search=number+29&label=ours',
      'search=number+29&status=delivered&status=held',
    ]) {
      const { found, pages } = await all(query)
      expect(found).toEqual(['Number 29'])
      expect(pages).toBeGreaterThan(1)
    }
    const { body } = await app.ask('GET', '/v1/deliveries?search=number+29&limit=1')
    expect(body).toMatchObject({ data: [], next_cursor: expect.any(String) })
    const { body: counted } = await app.ask('GET', '/v1/deliveries?search=number&total=true&limit=1')
    expect(counted.total.more).toBe(true)
  })

  it('422-a-cursor-of-another-order', async () => {
    for (const query of [
      `sort=updated&cursor=${randomUUID()}`,
      'cursor=nonsense',
      'sort=updated&cursor=now_x',
      // Dates for JavaScript, and not for PostgreSQL.
      ...['0', '2020', 'Jan 1 2020 (UTC)', '2020-02-30T00:00:00.000Z', '0000-01-01T00:00:00.000Z'].map(
        (at) => `sort=updated&cursor=${encodeURIComponent(at)}_${randomUUID()}`,
      ),
    ])
      expect(await app.ask('GET', `/v1/deliveries?${query}`)).toMatchObject({
        status: 422,
        body: { error: { code: 'CURSOR_UNFIT' } },
      })
  })
})

describe('/v1/deliveries/counts', () => {
  it('200-by-outcome-and-by-what-is-wrong', async () => {
    const { body } = await app.ask('GET', '/v1/deliveries/counts')
    expect(body.data).toMatchObject({
      by_status: {
        delivered: { count: 24, more: false },
        held: { count: 3 },
        failed: { count: 3 },
        queued: { count: 0 },
      },
      by_code: expect.arrayContaining([{ code: 'password_wrong', count: 3, held: 3, failed: 0 }]),
      by_code_more: false,
      losses: { posts: 3, sites: 2, more: false },
    })
    const ofLimited = (await app.ask('GET', '/v1/deliveries/counts', { key: limited })).body.data
    expect(ofLimited.by_status).toMatchObject({
      delivered: { count: 8 },
      held: { count: 1 },
      failed: { count: 1 },
    })
    expect(ofLimited.losses).toMatchObject({ posts: 1, sites: 1, more: false })
    const none = (await app.ask('GET', '/v1/deliveries/counts?status=held')).body.data
    expect(none.losses.posts).toBe(0)
  })
})

describe('/v1/causes', () => {
  it('200-each-with-a-filter-that-finds-it', async () => {
    const { body } = await app.ask('GET', '/v1/causes')
    expect(body).toMatchObject({ more: false })
    const cause = body.data.find(({ code }: { code: string }) => code === 'password_wrong')
    expect(cause).toMatchObject({
      sentence: '3 deliveries to 2 sites: Number 20 says password_wrong.',
      todo: expect.stringContaining('application password'),
      reconnect: true,
      count: 3,
      site_count: 2,
      sites: expect.arrayContaining([{ id: south, name: 'south', count: 1 }]),
    })
    const query = new URLSearchParams({ code: cause.filter.code })
    for (const status of cause.filter.status) query.append('status', status)
    expect((await all(query.toString())).found).toEqual(['Number 20', 'Number 10', 'Number 0'])
    // Of these the sites are well.
    const changed = body.data.find(({ code }: { code: string }) => code === 'post_changed')
    expect(changed).toMatchObject({ count: 3, reconnect: false })
  })

  it('200-what-to-do-once, also for one delivery', async () => {
    const { body } = await app.ask('GET', '/v1/deliveries?code=password_wrong&limit=1')
    const { id } = body.data[0]
    const before = (await app.ask('GET', `/v1/deliveries/${id}`)).body.data
    expect(before).toMatchObject({ todo: expect.stringContaining('application password'), reconnect: true })
    const message = `It is refused. ${before.todo}`
    const keep = (said: string) =>
      app.database.pool.query(
        `UPDATE delivery SET error = error || jsonb_build_object('message', $2::text) WHERE id = $1`,
        [id, said],
      )
    await keep(message)
    onTestFinished(() => void keep(before.error.message))
    const causes = (await app.ask('GET', '/v1/causes')).body.data
    expect(causes.find(({ code }: { code: string }) => code === 'password_wrong')).toMatchObject({
      sentence: '3 deliveries to 2 sites: It is refused.',
      todo: before.todo,
    })
    const other = await app.ask('GET', '/v1/deliveries?code=post_changed&limit=1')
    const changed = await app.ask('GET', `/v1/deliveries/${other.body.data[0].id}`)
    expect(changed.body.data).toMatchObject({ todo: null, reconnect: false })
  })

  it('200-of-one-label, and of a limited key', async () => {
    for (const [query, key] of [
      ['?label=warm', app.owner.key],
      ['', limited],
    ] as const) {
      const { body } = await app.ask('GET', `/v1/causes${query}`, { key })
      expect(body.data.map(({ count }: { count: number }) => count)).toEqual([1, 1])
      expect(JSON.stringify(body.data)).not.toContain('Number 20')
    }
  })
})

describe('/v1/deliveries/export', () => {
  it('200-every-match-in-either-format', async () => {
    const lines = async (query: string, key = app.owner.key): Promise<string[]> =>
      String((await app.ask('GET', `/v1/deliveries/export?${query}`, { key })).body)
        .trim()
        .split('\n')
    const exported = (await lines('')).map((line) => JSON.parse(line).title)
    expect(exported).toEqual(titles)
    const csv = await lines('format=csv&attention=true')
    expect(csv).toHaveLength(1 + 6)
    expect(csv[0]).toMatch(/^id,document_id,reference,title,/)
    expect(await lines('', limited)).toHaveLength(10)
  })
})
