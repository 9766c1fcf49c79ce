import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

// A delivery that waits for its site is told from one that waits for its turn.

let app: TestApp
let sites: { working: string; down: string; paused: string }

beforeAll(async () => {
  app = await startApp()
  const { pool } = app.database
  const site = async (name: string, more: string) => {
    const { rows } = await pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, ${more.split(' = ')[0]})
       VALUES (gen_random_uuid(), $1, $2::text, 'https://' || $2, 'r', 'u', 'p', now(), ${more.split(' = ')[1]}) RETURNING id`,
      [app.owner.id, name],
    )
    return rows[0].id as string
  }
  sites = {
    working: await site('working', 'last_success_at = now()'),
    down: await site('down', `trouble = '{"code": "site_error", "message": "It is not available."}'`),
    paused: await site('paused', 'stopped_at = now()'),
  }
  await pool.query(
    `UPDATE site SET trouble_since = now() - interval '5 minutes', paused_until = now() + interval '20 seconds'
     WHERE trouble IS NOT NULL`,
  )
  const deliveries = [
    [sites.working, 'queued'],
    [sites.working, 'delivered'],
    [sites.down, 'delivered'],
    [sites.down, 'queued'],
    [sites.down, 'queued'],
    [sites.paused, 'queued'],
  ]
  for (const [siteId, status] of deliveries)
    await pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
       VALUES ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), $4, CASE WHEN $4 = 'queued' THEN now() END)`,
      [uuid(), app.owner.id, siteId, status],
    )
})
afterAll(() => app.stop())

const ask = async (path: string) => (await app.ask('GET', path)).body

interface Listed {
  site_id: string
  status: string
  stands: { waits_for: string; since: string | null }
  next_attempt_at: string | null
}

it.each([
  ['waiting', 3],
  ['queued', 1],
  ['queued&status=waiting', 4],
  ['waiting&status=delivered', 5],
  ['delivered', 2],
])('lists and counts those that are %s: %i', async (status, count) => {
  const { data, total } = await ask(`/v1/deliveries?status=${status}&total=true`)
  expect(data).toHaveLength(count)
  expect(total).toEqual({ count, more: false })
  expect(data.every((each: Listed) => status.split('&status=').includes(each.status))).toBe(true)
})

it('says of each what it waits for, since when, and when it is tried next', async () => {
  const { data } = await ask(`/v1/deliveries?site_id=${sites.down}&status=waiting`)
  expect(data[0]).toMatchObject({
    status: 'waiting',
    stands: { waits_for: 'site', since: expect.any(String) },
    next_attempt_at: expect.any(String),
  })
  const { data: stopped } = await ask(`/v1/deliveries?site_id=${sites.paused}`)
  expect(stopped).toMatchObject([
    { status: 'waiting', stands: { waits_for: 'resume' }, next_attempt_at: null },
  ])
})

it('counts them apart, of all, of each hour, and as the last of a site', async () => {
  const { data } = await ask('/v1/deliveries/counts')
  expect(data.by_status).toMatchObject({
    waiting: { count: 3 },
    queued: { count: 1 },
    delivered: { count: 2 },
  })
  const from = new Date(Date.now() - 3_600_000).toISOString()
  const hours = await ask(`/v1/deliveries/hours?created_from=${from}`)
  const sum = (status: string) =>
    hours.data.hours.reduce(
      (all: number, hour: { by_status: Record<string, number> }) => all + (hour.by_status[status] ?? 0),
      0,
    )
  expect([sum('waiting'), sum('queued'), sum('delivered')]).toEqual([3, 1, 2])
  const listed = await ask('/v1/sites?sort=name')
  expect(
    listed.data.map((site: { name: string; last_delivery: { status: string } }) => [
      site.name,
      site.last_delivery.status,
    ]),
  ).toEqual([
    ['down', 'waiting'],
    ['paused', 'waiting'],
    ['working', 'delivered'],
  ])
})
