import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { named } from '../../src/database/statement.ts'
import { deliveryCondition, deliveryFilterSchema } from '../../src/delivery/api/filter.ts'
import { lowestUuidAt } from '../../src/lib/uuid.ts'
import { siteCondition, siteFilterSchema } from '../../src/sites/list.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

/** An id of a delivery that was made then. */
const idOf = (day: string): string => lowestUuidAt(Date.parse(day)).slice(0, 24) + randomUUID().slice(24)

let database: FreshDatabase
let pool: Pool
const [accountId, otherId, north, south, source] = Array.from({ length: 5 }, () => randomUUID()) as [
  string,
  string,
  string,
  string,
  string,
]
const moonId = randomUUID()
/** Of the first delivery. */
const moonDelivery = idOf('2026-02-01')
/** Which has changed the first delivery, and has skipped the other. */
const bulkJob = randomUUID()

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'one'), ($2, 'other')`, [accountId, otherId])
  const site = (account: string, id: string, name: string, more: object = {}) => {
    const row = { labels: [], trouble: null, paused: null, stopped: null, report: null, ...more }
    return pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, labels,
         trouble, paused_until, stopped_at, report, report_at)
       VALUES ($1, $2, $3::text, 'https://' || lower($3) || '.example', 'r', 'u', 'p', now(), $4, $5, $6, $7, $8, CASE
         WHEN $8::jsonb IS NOT NULL THEN now() END)`,
      [id, account, name, row.labels, row.trouble, row.paused, row.stopped, row.report],
    )
  }
  const report = (level: string, check: string) => ({ level, findings: [{ check, level }] })
  await site(accountId, north, 'North', { labels: ['ours'], report: report('problem', 'password') })
  await site(accountId, south, 'South', { stopped: '2026-01-01', report: report('ok', 'password') })
  await site(accountId, randomUUID(), 'East', { trouble: { code: 'unreachable' }, paused: '2036-01-01' })
  await site(accountId, randomUUID(), 'West', { trouble: { code: 'password_wrong' } })
  await site(otherId, north, 'North', { labels: ['ours'], report: report('problem', 'password') })
  const delivery = (account: string, more: object) => {
    const row = {
      id: randomUUID(),
      site: north,
      source: null,
      title: null,
      status: 'delivered',
      code: null,
      at: '2026-02-01',
      ...more,
    }
    return pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, source_id, title, status, error,
         created_at, updated_at)
       VALUES ($9, $1, $2, $3, gen_random_uuid(), $4, $5, $6, jsonb_build_object('code', $7::text), $8, $8)`,
      [account, row.site, moonId, row.source, row.title, row.status, row.code, row.at, row.id],
    )
  }
  await delivery(accountId, {
    id: moonDelivery,
    title: 'The Moon over ÅRHUS',
    source,
    status: 'held',
    code: 'password_wrong',
  })
  const tides = idOf('2026-03-01')
  await delivery(accountId, { id: tides, site: south, title: '100% of tides', at: '2026-03-01' })
  await pool.query(
    `INSERT INTO bulk_job (id, account_id, key_id, action, filter, parameters, dry_run)
     VALUES ($1, $2, $1, 'retry', '{}', '{}', false)`,
    [bulkJob, accountId],
  )
  await pool.query(
    `INSERT INTO bulk_item (job_id, item_id, status) VALUES ($1, $2, 'done'), ($1, $3, 'skipped')`,
    [bulkJob, moonDelivery, tides],
  )
  await delivery(otherId, { title: 'The Moon of another', source, status: 'held', code: 'password_wrong' })
})
afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function titles(filter: object, siteIds: string[] | null = null): Promise<string[]> {
  const { sql, values } = deliveryCondition({ accountId, siteIds }, deliveryFilterSchema.parse(filter))
  const { rows } = await pool.query(named(`SELECT title FROM delivery d WHERE ${sql} ORDER BY title`, values))
  return rows.map(({ title }) => title.slice(0, 5))
}

const both = ['100% ', 'The M']
test.each<[object, string[]]>([
  [{}, both],
  [{ delivery_id: [moonDelivery, randomUUID()] }, ['The M']],
  [{ bulk_id: bulkJob }, ['The M']],
  [{ bulk_id: randomUUID() }, []],
  [{ site_id: north }, ['The M']],
  [{ site_id: [north, south] }, both],
  [{ label: 'ours' }, ['The M']],
  [{ label: 'theirs' }, []],
  [{ source_id: source }, ['The M']],
  [{ status: 'held' }, ['The M']],
  [{ status: ['delivered', 'failed'] }, ['100% ']],
  [{ status: 'delivered', attention: true }, []],
  [{ attention: 'true' }, ['The M']],
  [{ attention: false }, ['100% ']],
  [{ code: 'PASSWORD_WRONG' }, ['The M']],
  [{ search: 'moon OVER århus' }, ['The M']],
  [{ search: '0%' }, ['100% ']],
  [{ search: '0_' }, []],
  [{ document_id: moonId.toUpperCase() }, both],
  [{ created_from: '2026-02-01T00:00:00Z', created_to: '2026-03-01T00:00:00Z' }, ['The M']],
  [{ updated_from: '2026-03-01T01:00:00+01:00' }, ['100% ']],
  [{ updated_to: '2026-03-01T00:00:00Z' }, ['The M']],
])('of deliveries, %j lets these through, and none of another account: %j', async (filter, found) => {
  expect(await titles(filter)).toEqual(found)
})

test('a limited key sees the deliveries of its sites, and none where it has none', async () => {
  expect(await titles({}, [south])).toEqual(['100% '])
  expect(await titles({ site_id: north }, [south])).toEqual([])
  expect(await titles({}, [])).toEqual([])
})

async function names(filter: object, siteIds: string[] | null = null): Promise<string[]> {
  const { sql, values } = siteCondition({ accountId, siteIds }, siteFilterSchema.parse(filter))
  const { rows } = await pool.query(named(`SELECT name FROM site s WHERE ${sql} ORDER BY name`, values))
  return rows.map(({ name }) => name)
}

test.each<[object, string[]]>([
  [{}, ['East', 'North', 'South', 'West']],
  [{ site_id: [north] }, ['North']],
  [{ label: 'ours' }, ['North']],
  [{ level: 'problem' }, ['North']],
  [{ finding: 'password' }, ['North']],
  [{ finding: 'rights' }, []],
  [{ state: 'paused' }, ['South']],
  [{ state: 'down' }, ['East']],
  [{ state: 'needs_owner' }, ['North', 'West']],
  [{ state: ['working', 'unchecked'] }, []],
  [{ search: 'SOUTH.example' }, ['South']],
  [{ search: 'th' }, ['North', 'South']],
])('of sites, %j lets these through, and none of another account: %j', async (filter, found) => {
  expect(await names(filter)).toEqual(found)
})

test('a limited key sees its sites alone', async () => {
  expect(await names({}, [south])).toEqual(['South'])
  expect(await names({ label: 'ours' }, [south])).toEqual([])
  expect(await names({}, [])).toEqual([])
})
