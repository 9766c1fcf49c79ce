import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { createApiKey, hashToken } from '../../src/secrets/keyring.ts'
import { readRows } from '../../src/sites/import-file.ts'
import { importCsv } from '../sites/run-import.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let limited: string
const finding = (check: string, level: string) => ({ check, level, seen: 'seen', means: 'means', todo: null })

beforeAll(async () => {
  app = await startApp()
  const { pool } = app.database
  const site = async (accountId: string, name: string, findings: ReturnType<typeof finding>[]) => {
    const id = randomUUID()
    const level = findings.at(-1)?.level
    const report = level && { checkedAt: new Date().toISOString(), level, findings, worse: [] }
    await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, report, report_at)
       VALUES ($1, $2, $3::text, 'https://' || $3, 'r', 'u', 'p', now(), $4, CASE WHEN $4::jsonb IS NOT NULL THEN now() END)`,
      [id, accountId, name, report],
    )
    return id
  }
  const broken = await site(app.owner.id, 'broken', [
    finding('terms', 'warning'),
    finding('password', 'problem'),
  ])
  await site(app.owner.id, 'fine', [finding('password', 'ok')])
  await site(app.stranger.id, 'theirs', [finding('password', 'problem')])
  for (const [n, status] of ['queued', 'queued', 'held', 'delivered'].entries())
    await pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, due_at)
       VALUES (uuidv7(), $1, $2, gen_random_uuid(), gen_random_uuid(), $3, $4, CASE WHEN $4 = 'queued' THEN now() END)`,
      [app.owner.id, broken, `=SUM(${n})`, status],
    )
  limited = createApiKey()
  await pool.query(
    `INSERT INTO api_key (id, account_id, name, hash, last_four, role, site_ids)
     VALUES (gen_random_uuid(), $1, 'limited', $2, 'last', 'editor', $3)`,
    [app.owner.id, hashToken(limited), [broken]],
  )
})
afterAll(() => app.stop())

it('200-each-with-its-state, backlog, last delivery and worst finding', async () => {
  const { body } = await app.ask('GET', '/v1/sites?level=problem&finding=password&total=true')
  expect(body).toMatchObject({
    total: 1,
    data: [
      {
        name: 'broken',
        state: 'needs_owner',
        backlog: { count: 2, more: false },
        held: { count: 1 },
        last_delivery: { status: 'delivered', title: '=SUM(3)', ended_at: expect.any(String) },
        worst_finding: { check: 'password', level: 'problem' },
      },
    ],
  })
  const fine = await app.ask('GET', '/v1/sites?search=FINE')
  expect(fine.body.data).toMatchObject([
    { name: 'fine', backlog: { count: 0 }, last_delivery: null, worst_finding: null },
  ])
})

it('200-in-the-trouble-that-is-asked-for', async () => {
  const { pool } = app.database
  const trouble = (code: string | null) => code && { code, message: 'It does not let Galley in.' }
  const put = (name: string, code: string | null) =>
    pool.query('UPDATE site SET trouble = $2 WHERE name = $1', [name, trouble(code)])
  await put('broken', 'password_wrong')
  await put('fine', 'unreachable')
  const { body } = await app.ask('GET', '/v1/sites?trouble=password_wrong&total=true')
  expect(body).toMatchObject({ total: 1, data: [{ name: 'broken', state: 'needs_owner' }] })
  await Promise.all([put('broken', null), put('fine', null)])
})

it('200-labels, each with how many of the sites that one sees have it', async () => {
  const { pool } = app.database
  await pool.query(`UPDATE site SET labels = '{weekly,news}' WHERE name = 'broken'`)
  await pool.query(`UPDATE site SET labels = '{news}' WHERE name = 'fine'`)
  await pool.query(`UPDATE site SET labels = '{secret}' WHERE name = 'theirs'`)
  const { body } = await app.ask('GET', '/v1/sites/labels')
  expect(body).toEqual({
    success: true,
    data: [
      { label: 'news', site_count: 2 },
      { label: 'weekly', site_count: 1 },
    ],
    more: false,
  })
  const found = await app.ask('GET', '/v1/sites/labels?search=EEK')
  expect(found.body.data).toEqual([{ label: 'weekly', site_count: 1 }])
  const seen = await app.ask('GET', '/v1/sites/labels', { key: limited })
  expect(seen.body.data).toEqual([
    { label: 'news', site_count: 1 },
    { label: 'weekly', site_count: 1 },
  ])
})

it('200-page-by-page, and a limited key sees its sites alone', async () => {
  const first = await app.ask('GET', '/v1/sites?limit=1&total=true')
  const second = await app.ask('GET', `/v1/sites?limit=1&cursor=${first.body.next_cursor}`)
  const names = [...first.body.data, ...second.body.data].map(({ name }: { name: string }) => name)
  expect(names.sort()).toEqual(['broken', 'fine'])
  expect([first.body.total, second.body.next_cursor]).toEqual([2, null])
  const seen = await app.ask('GET', '/v1/sites?total=true', { key: limited })
  expect(seen.body).toMatchObject({ total: 1, data: [{ name: 'broken' }], next_cursor: null })
})

it('200-exported, without a credential, and no spreadsheet finds a formula', async () => {
  const sites = String((await app.ask('GET', '/v1/sites/export?format=csv')).body)
  expect(sites.trim().split('\r\n')).toHaveLength(3)
  for (const line of sites.trim().split('\r\n')) expect(line.length).toBeLessThan(500)
  expect(
    String((await app.ask('GET', '/v1/sites/export', { key: limited })).body)
      .trim()
      .split('\n'),
  ).toHaveLength(1)
  const deliveries = String((await app.ask('GET', '/v1/deliveries/export?format=csv')).body)
  expect(deliveries).toContain(`,'=SUM(3),`)
  const audit = String((await app.ask('GET', '/v1/audit/export?format=csv')).body)
  for (const file of [sites, deliveries, audit]) expect(file).not.toMatch(/[[{]"/)
})

it('200-imported-again: an exported file is read, as it is and with passwords filled in', async () => {
  const { pool } = app.database
  const [name, labels] = ['\'=Tides; -daily, "weekly"', ['Press, local', '=sum', 'a;b', '"quoted"']]
  await pool.query(`UPDATE site SET name = $1, labels = $2 WHERE name = 'fine'`, [name, labels])
  const file = String((await app.ask('GET', '/v1/sites/export?format=csv')).body)
  const query = '?dry_run=true'
  expect(await importCsv(app, file, { query })).toMatchObject([
    { status: 'skipped', error: { code: 'CONNECTED_ALREADY' } },
    { status: 'skipped', error: { code: 'CONNECTED_ALREADY' } },
  ])
  expect(await importCsv(app, file, { query, key: app.stranger.key })).toMatchObject(
    [2, 3].map((line) => ({
      line,
      status: 'refused',
      error: { message: expect.stringContaining('fill it in') },
    })),
  )
  const [head = '', ...lines] = file.trim().split('\r\n')
  const filled = lines.map((line) => line.replace(/,u,,/, ',u,secret,'))
  const [row] = readRows([head, ...filled].join('\n')).filter(({ labels }) => labels?.length === 4)
  expect(row).toMatchObject({ site: { name, labels, username: 'u', application_password: 'secret' } })
  await pool.query(`UPDATE site SET name = 'fine', labels = '{}' WHERE name = $1`, [name])
})

it('200-in-an-order, a page at a time, the other way round as well', async () => {
  const { pool } = app.database
  const { rows } = await pool.query<{ id: string }>(
    `INSERT INTO account (id, name) VALUES (gen_random_uuid(), 'Sorted') RETURNING id`,
  )
  const account = (rows[0] as { id: string }).id
  const key = createApiKey()
  await pool.query(
    `INSERT INTO api_key (id, account_id, name, hash, last_four, role)
     VALUES (gen_random_uuid(), $1, 'all', $2, 'last', 'owner')`,
    [account, hashToken(key)],
  )
  // Two of one name, and two of one state: the id decides.
  for (const [n, [name, stopped, trouble]] of (
    [
      ['beach', false, false],
      ['Anchor', true, false],
      ['Beach', false, true],
      ['cliff', false, false],
    ] as const
  ).entries())
    await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, created_at,
         stopped_at, trouble)
       VALUES (gen_random_uuid(), $1, $2, 'https://x', 'r', 'u', 'p', now(), now() - $3 * interval '1 hour',
         CASE WHEN $4 THEN now() END, CASE WHEN $5 THEN '{"code": "unreachable", "message": "m"}'::jsonb END)`,
      [account, name, n, stopped, trouble],
    )
  const inOrder = async (sort: string) => {
    const names: string[] = []
    let cursor: string | null = null
    do {
      const after = cursor === null ? '' : `&cursor=${encodeURIComponent(cursor)}`
      const { body } = await app.ask('GET', `/v1/sites?limit=1&sort=${sort}${after}`, { key })
      names.push(...body.data.map(({ name }: { name: string }) => name))
      cursor = body.next_cursor
    } while (cursor !== null)
    return names
  }
  const byName = await inOrder('name')
  expect(byName.map((name) => name.toLowerCase())).toEqual(['anchor', 'beach', 'beach', 'cliff'])
  expect(await inOrder('-name')).toEqual(byName.toReversed())
  expect(await inOrder('created')).toEqual(['cliff', 'Beach', 'Anchor', 'beach'])
  expect(await inOrder('-created')).toEqual(['beach', 'Anchor', 'Beach', 'cliff'])
  const byStatus = await inOrder('state')
  expect(byStatus.slice(0, 2)).toEqual(['Beach', 'Anchor'])
  expect(byStatus.slice(2).toSorted()).toEqual(['beach', 'cliff'])
  expect(await inOrder('-state')).toEqual(byStatus.toReversed())
})

it('422-a-cursor-of-another-order', async () => {
  const of = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  for (const query of [
    'cursor=nonsense',
    `sort=name&cursor=${randomUUID()}`,
    `cursor=${of(['name', 'a', randomUUID()])}`,
    `sort=state&cursor=${of(['name', 'a', randomUUID()])}`,
    `sort=state&cursor=${of(['state', 'a', randomUUID()])}`,
    `sort=created&cursor=${of(['created', 1e300, randomUUID()])}`,
    `sort=name&cursor=${of(['name', '\0', randomUUID()])}`,
    `sort=name&cursor=${of(['name', '\ud800', randomUUID()])}`,
    `sort=name&cursor=${of(['name', 'a', 'b'])}`,
  ])
    expect(await app.ask('GET', `/v1/sites?${query}`), query).toMatchObject({
      status: 422,
      body: { error: { code: 'CURSOR_UNFIT' } },
    })
})
