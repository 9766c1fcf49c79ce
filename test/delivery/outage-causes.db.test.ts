import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { countSiteStates, readOwnerReport } from '../../src/delivery/api/site-states.ts'
import { reportOutages } from '../../src/delivery/maintenance/outage-causes.ts'
import { english } from '../../src/lib/sentences.ts'
import { toldSchema, wordsOf } from '../../src/notifications/words.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// Outages of many sites, by their cause: counted for whoever looks, and told of when they begin and end.

let database: FreshDatabase
let pool: Pool
const accountId = randomUUID()
const otherId = randomUUID()

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'one'), ($2, 'other')`, [accountId, otherId])
  const receiver = (account: string, more: string[]) =>
    pool.query(
      `INSERT INTO receiver (id, account_id, kind, name, url, events, site_ids, labels)
       VALUES ($1, $2, 'webhook', 'Desk', 'https://desk.example/', '{outage.began,outage.needs_person,outage.ended,site.outage}', '{}', $3)`,
      [randomUUID(), account, more],
    )
  await receiver(accountId, [])
  await receiver(accountId, ['news'])
  await receiver(otherId, [])
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

beforeEach(() => pool.query('TRUNCATE site, delivery, outage, notification CASCADE'))

interface FailingSite {
  account?: string
  code: string | null
  ageS?: number
  waitsForOwner?: boolean
  report?: object | null
  servedAgoS?: number | null
}

async function site({ account = accountId, code, ageS = 60, ...more }: FailingSite): Promise<string> {
  const { waitsForOwner = false, report = null, servedAgoS = null } = more
  const id = randomUUID()
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, trouble, trouble_since,
       paused_until, attention_at, report, report_at, last_success_at)
     VALUES ($1::uuid, $2, 'Blog', 'https://blog.example', 'r', 'u', 'p', now(), $3, now() - make_interval(secs => $4::float8),
       CASE WHEN $5::bool THEN NULL ELSE now() + interval '20 seconds' END,
       now() - make_interval(secs => $4::float8) + CASE WHEN $5::bool THEN interval '0' ELSE interval '10 minutes' END,
       $6::jsonb, CASE WHEN $6::jsonb IS NULL THEN NULL ELSE now() - interval '1 minute' END, now() - make_interval(secs => $7::float8))`,
    [
      ...[id, account, code && { code, message: `It says ${code}.` }, code === null ? null : ageS],
      ...[waitsForOwner, report, servedAgoS],
    ],
  )
  return id
}

const waitingDocument = (siteId: string, account = accountId) =>
  pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, updated_at)
     VALUES ($1, $2, $3, $1, $1, 'queued', now(), now())`,
    [randomUUID(), account, siteId],
  )

const counted = (filter = {}) => countSiteStates(pool, { accountId, siteIds: null }, filter)

const PROBLEM = {
  level: 'problem',
  findings: [{ check: 'rest_api', level: 'problem', seen: 'Closed.', todo: 'Open it.' }],
}

test('sites are counted by state, and those that do not work by cause, with what waits for them', async () => {
  await site({ code: null })
  await site({ code: null, servedAgoS: 5 })
  await site({ code: null, report: PROBLEM })
  await site({ code: null, report: PROBLEM, servedAgoS: 5 })
  const first = await site({ code: 'gateway_error', ageS: 500 })
  await site({ code: 'gateway_error', ageS: 700 })
  await site({ code: 'setting_refused', waitsForOwner: true })
  await site({ code: 'password_wrong', waitsForOwner: true })
  await site({ account: otherId, code: 'gateway_error' })
  await waitingDocument(first)
  await waitingDocument(first)

  const { total, by_state, causes } = await counted()
  expect(total).toBe(8)
  expect(by_state).toEqual({ unchecked: 1, working: 2, down: 1, needs_owner: 3, needs_you: 1, paused: 0 })
  expect(causes).toMatchObject([
    { state: 'down', code: 'gateway_error', site_count: 1, waiting: 2, next_try: expect.any(String) },
    { state: 'needs_owner', code: 'gateway_error', site_count: 1, waiting: 0 },
    { state: 'needs_owner', code: 'password_wrong', site_count: 1, reconnect: true, next_try: null },
    { state: 'needs_owner', code: 'rest_api', sentence: 'Closed.', todo: 'Open it.' },
    { state: 'needs_you', code: 'setting_refused', site_count: 1 },
  ])
  for (const { filter, site_count } of causes)
    expect((await counted({ ...filter, state: [filter.state] })).total).toBe(site_count)
})

const told = async () => {
  const { rows } = await pool.query<{ body: string }>(
    `SELECT convert_from(body, 'UTF8') AS body FROM notification ORDER BY id`,
  )
  return rows.map(({ body }) => JSON.parse(body))
}

test('where more documents wait for a site than are counted, all say so', async () => {
  const id = await site({ code: 'gateway_error' })
  const wait = (count: number) =>
    pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, updated_at)
       SELECT gen_random_uuid(), $1, $2, gen_random_uuid(), gen_random_uuid(), 'queued', now(), now() FROM generate_series(1, $3)`,
      [accountId, id, count],
    )
  await wait(999)
  expect((await counted()).causes).toMatchObject([{ waiting: 999, waiting_more: false }])
  expect(await readOwnerReport(pool, { accountId, id })).toMatchObject({ waiting: 999, waitingMore: false })
  await wait(2)
  expect((await counted()).causes).toMatchObject([{ waiting: 1000, waiting_more: true }])
  expect(await readOwnerReport(pool, { accountId, id })).toMatchObject({ waiting: 1000, waitingMore: true })
  await reportOutages(pool)
  const [outage] = await told()
  expect(outage).toMatchObject({ event: 'outage.began', data: { waiting: 1000, waiting_more: true } })
  const { lines } = wordsOf(toldSchema.parse(outage), 'https://galley.example', english)
  expect(lines).toContain('Documents that wait for these sites: 1000+.')
})

test('an outage of a cause is told of once when it begins and once when it ends, with its sites', async () => {
  const sites = [await site({ code: 'gateway_error' }), await site({ code: 'gateway_error', ageS: 5 })]
  await site({ code: 'site_timeout', ageS: 5 })
  await waitingDocument(sites[0] as string)
  await reportOutages(pool)
  await reportOutages(pool)
  expect(await told()).toMatchObject([
    {
      event: 'outage.began',
      data: { code: 'gateway_error', site_count: 2, waiting: 1, example: 'It says gateway_error.' },
    },
  ])
  await site({ code: 'gateway_error' })
  await reportOutages(pool)
  await pool.query(
    `UPDATE site SET trouble = NULL, trouble_since = NULL WHERE trouble ->> 'code' = 'gateway_error'`,
  )
  await reportOutages(pool)
  await reportOutages(pool)
  expect(await told()).toMatchObject([
    { event: 'outage.began' },
    { event: 'outage.ended', data: { code: 'gateway_error', site_count: 3, example: null } },
  ])
})

test('an outage whose sites are removed ends without a word', async () => {
  const id = await site({ code: 'gateway_error' })
  await reportOutages(pool)
  await pool.query('DELETE FROM site WHERE id = $1', [id])
  await reportOutages(pool)
  expect(await told()).toMatchObject([{ event: 'outage.began' }])
  expect((await pool.query('SELECT FROM outage')).rowCount).toBe(0)
})

test('nobody is told that sites of a disabled account need a person, until it is enabled', async () => {
  await site({ account: otherId, code: 'php_fatal_error', ageS: 700 })
  const toldOfNeed = async (disabledAt: Date | null) => {
    await pool.query('UPDATE account SET disabled_at = $2 WHERE id = $1', [otherId, disabledAt])
    await reportOutages(pool)
    return (await told()).filter(({ event }) => event === 'outage.needs_person').length
  }
  expect(await toldOfNeed(new Date())).toBe(0)
  expect(await toldOfNeed(null)).toBe(1)
})

test('an outage has not ended while its sites fail for another cause', async () => {
  const id = await site({ code: 'site_timeout' })
  const now = async (code: string | null) => {
    await pool.query('UPDATE site SET trouble = $2 WHERE id = $1', [id, code && { code, message: '' }])
    await reportOutages(pool)
    return (await told()).map(({ event, data }) => `${event} ${data.code}`)
  }
  expect(await now('site_timeout')).toEqual(['outage.began site_timeout'])
  expect(await now('gateway_error')).toEqual(['outage.began site_timeout', 'outage.began gateway_error'])
  const ended = (await now(null)).slice(2)
  expect(ended.sort()).toEqual(['outage.ended gateway_error', 'outage.ended site_timeout'])
})

test('sites that stay down are told of once when they begin to need a person, with their number and what waits', async () => {
  const desk = await pool.query<{ id: string }>(`SELECT id FROM receiver WHERE labels = '{news}'`)
  const [first] = [
    await site({ code: 'php_fatal_error', ageS: 700 }),
    await site({ code: 'php_fatal_error', ageS: 605 }),
    await site({ code: 'php_fatal_error', ageS: 100 }),
    await site({ code: 'parking_page', ageS: 605 }),
  ]
  await pool.query(`UPDATE site SET labels = '{news}' WHERE id = $1`, [first])
  await waitingDocument(first as string)
  await reportOutages(pool)
  await reportOutages(pool)
  const ofNeed = (await told()).filter(({ event }) => event !== 'outage.began')
  expect(ofNeed.sort((one, other) => one.event.localeCompare(other.event))).toMatchObject([
    { event: 'outage.needs_person', data: { code: 'php_fatal_error', site_count: 2, waiting: 1 } },
    { event: 'site.outage', data: { id: first, state: 'needs_owner' } },
  ])
  const { rows } = await pool.query(`SELECT receiver_id FROM notification WHERE event = 'site.outage'`)
  expect(rows).toEqual([{ receiver_id: desk.rows[0]?.id }])
})
