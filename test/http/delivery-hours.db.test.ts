import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let site: string

/** Midnight of a zone two and a half hours before UTC. */
const midnight = Date.UTC(2026, 5, 1, 2, 30)

async function connect(accountId: string, ...labels: string[]): Promise<string> {
  const { rows } = await app.database.pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, labels, updated_at)
     VALUES (gen_random_uuid(), $1, 'a site', 'https://a.example', 'r', 'u', 'p', $2, now()) RETURNING id`,
    [accountId, labels],
  )
  return rows[0].id
}

beforeAll(async () => {
  app = await startApp()
  site = await connect(app.owner.id)
  const theirs = await connect(app.stranger.id)
  const deliver = (
    minutes: number,
    status: string,
    seconds: number,
    { attempts = 1, of = 'owner', later = 0 } = {},
  ) => {
    const at = midnight + minutes * 60_000
    const arrived = at + later * 60_000
    const own = of === 'owner'
    return app.database.pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, attempts, created_at, requested_at, updated_at)
       VALUES ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), $4, $5, $6, $7, $8)`,
      [
        uuid({ msecs: at }),
        own ? app.owner.id : app.stranger.id,
        own ? site : theirs,
        status,
        attempts,
        new Date(at),
        new Date(arrived),
        new Date(arrived + seconds * 1_000),
      ],
    )
  }
  await deliver(-1, 'delivered', 1)
  await deliver(0, 'delivered', 1)
  await deliver(10, 'delivered', 3)
  await deliver(59, 'delivered', 5)
  await deliver(20, 'delivered', 900, { attempts: 4 })
  // A newer version, two hours after the first.
  await deliver(25, 'delivered', 3, { later: 120 })
  await deliver(30, 'failed', 2)
  await deliver(60, 'held', 2)
  await deliver(185, 'delivered', 2)
  await deliver(24 * 60, 'delivered', 2)
  await deliver(5, 'delivered', 2, { of: 'stranger' })
})
afterAll(() => app.stop())

const iso = (minutes: number) => new Date(midnight + minutes * 60_000).toISOString()
const day = () => `created_from=${iso(0)}&created_to=${iso(24 * 60)}`
const none = {
  waiting: 0,
  queued: 0,
  delivering: 0,
  delivered: 0,
  held: 0,
  failed: 0,
  cancelled: 0,
  kept: 0,
  withdrawn: 0,
}

/** So many deliveries to a site, spread over an hour that begins so many minutes after midnight. */
async function hourOf(siteId: string, minutes: number, count: number, status = 'delivered'): Promise<void> {
  const ids = Array.from({ length: count }, (_, n) =>
    uuid({ msecs: midnight + minutes * 60_000 + Math.floor((n * 3_600_000) / count) }),
  )
  await app.database.pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, created_at, updated_at)
     SELECT id, $1, $2, gen_random_uuid(), gen_random_uuid(), $3, at, at
     FROM (SELECT id::uuid, to_timestamp(('x' || replace(left(id, 13), '-', ''))::bit(48)::bigint / 1000.0) AS at
       FROM unnest($4::text[]) AS id) AS one`,
    [app.owner.id, siteId, status, ids],
  )
}

type Sent = Record<'id' | 'document_id' | 'site_id', string>

const countsOf = (hours: { from: string; by_status: Record<string, number> }[]) =>
  hours.map(({ from, by_status }) => [
    (Date.parse(from) - midnight) / 3_600_000,
    Object.values(by_status).reduce((sum, count) => sum + count, 0),
  ])

describe('/v1/deliveries/hours', () => {
  it('200-by-hour-from-where-it-is-told-and-by-outcome', async () => {
    const { status, body } = await app.ask('GET', `/v1/deliveries/hours?${day()}`)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      hours: [
        { from: iso(0), by_status: { ...none, delivered: 5, failed: 1 }, median_ms: 3_000 },
        { from: iso(60), by_status: { ...none, held: 1 }, median_ms: null },
        { from: iso(180), by_status: { ...none, delivered: 1 }, median_ms: 2_000 },
      ],
      by_site: [
        {
          id: site,
          name: 'a site',
          hours: [
            { from: iso(0), by_status: { ...none, delivered: 5, failed: 1 }, median_ms: null },
            { from: iso(60), by_status: { ...none, held: 1 }, median_ms: null },
            { from: iso(180), by_status: { ...none, delivered: 1 }, median_ms: null },
          ],
        },
      ],
      median_ms: 3_000,
    })
  })

  it('200-by-spans-that-begin-where-they-are-told', async () => {
    const begins = [60, 0, 180].map((minutes) => `&begins=${iso(minutes)}`).join('')
    const { body } = await app.ask('GET', `/v1/deliveries/hours?${day()}${begins}`)
    expect(body.data.hours).toEqual([
      { from: iso(0), by_status: { ...none, delivered: 5, failed: 1 }, median_ms: 3_000 },
      { from: iso(60), by_status: { ...none, held: 1 }, median_ms: null },
      { from: iso(180), by_status: { ...none, delivered: 1 }, median_ms: 2_000 },
    ])
    const late = await app.ask('GET', `/v1/deliveries/hours?${day()}&begins=${iso(60)}&begins=${iso(120)}`)
    expect(countsOf(late.body.data.hours), 'nothing of before the first').toEqual([
      [1, 1],
      [2, 1],
    ])
  })

  it('200-of-what-a-filter-lets-through', async () => {
    const { body } = await app.ask('GET', `/v1/deliveries/hours?${day()}&status=held&site_id=${site}`)
    expect(body.data.hours).toEqual([{ from: iso(60), by_status: { ...none, held: 1 }, median_ms: null }])
  })

  it('200-of-all-that-came, however many', async () => {
    const [one, other] = [await connect(app.owner.id, 'many'), await connect(app.owner.id, 'many')]
    const days = 10 * 24
    await hourOf(one, days * 60, 6_000)
    await hourOf(other, (days + 5) * 60, 8_000)
    await hourOf(one, (days + 6) * 60, 1_000, 'held')
    const from = `created_from=${iso(days * 60)}`
    for (const filter of [
      '',
      `&site_id=${one}&site_id=${other}`,
      '&label=many',
      '&status=delivered&status=held',
    ]) {
      const { body } = await app.ask('GET', `/v1/deliveries/hours?${from}${filter}`)
      expect(countsOf(body.data.hours), filter).toEqual([
        [days, 6_000],
        [days + 5, 8_000],
        [days + 6, 1_000],
      ])
    }
  })

  it('200-of-a-day-after-which-many-came', async () => {
    const days = 30 * 24
    await hourOf(site, days * 60 + 23 * 60, 5)
    await hourOf(site, (days + 24) * 60, 10_500)
    const asked = `created_from=${iso(days * 60)}&created_to=${iso((days + 24) * 60)}`
    for (const filter of ['', `&site_id=${site}`]) {
      const { body } = await app.ask('GET', `/v1/deliveries/hours?${asked}${filter}`)
      expect(countsOf(body.data.hours), filter).toEqual([[days + 23, 5]])
    }
  })

  it('200-of-the-sites-with-the-most-trouble, then of those with the most', async () => {
    const days = 40 * 24
    const sites: string[] = []
    for (let n = 0; n < 10; n += 1) {
      const one = await connect(app.owner.id)
      sites.push(one)
      await hourOf(one, days * 60, 10 + n)
    }
    await hourOf(sites[3] as string, (days + 1) * 60, 2, 'failed')
    const { body } = await app.ask('GET', `/v1/deliveries/hours?created_from=${iso(days * 60)}`)
    expect(body.data.by_site.map(({ id }: { id: string }) => sites.indexOf(id))).toEqual([
      3, 9, 8, 7, 6, 5, 4, 2,
    ])
    expect(countsOf(body.data.by_site[0].hours)).toEqual([
      [days, 13],
      [days + 1, 2],
    ])
  })

  it.each([
    ['retry', ({ id }: Sent) => app.ask('POST', `/v1/deliveries/${id}/retry`)],
    [
      'newer version',
      ({ site_id, document_id: id }: Sent) =>
        app.ask('POST', '/v1/deliveries', { body: { id, data: completed().data, site_ids: [site_id] } }),
    ],
  ])('200-from-the-%s-of-what-was-sent-long-before', async (_, sendAgain) => {
    const { pool } = app.database
    const [days, other] = [50 * 24, await connect(app.owner.id, 'again')]
    await hourOf(other, days * 60, 1)
    await pool.query('UPDATE delivery SET requested_at = created_at, post_id = 1 WHERE site_id = $1', [other])
    const source = await app.ask('POST', '/v1/sources', { body: { name: 'Maker' } })
    await pool.query(
      `INSERT INTO event (id, account_id, source_id, status, digest, body)
       SELECT wanted_event_id, account_id, $2, 'planned', wanted_event_id::text::bytea, '{}' FROM delivery WHERE site_id = $1`,
      [other, source.body.data.id],
    )
    const { rows } = await pool.query<Sent>(
      'SELECT id, document_id, site_id FROM delivery WHERE site_id = $1',
      [other],
    )
    expect(await sendAgain(rows[0] as Sent)).toMatchObject({ status: 202 })
    await pool.query(
      `UPDATE delivery SET status = 'delivered', due_at = NULL, updated_at = now() WHERE site_id = $1`,
      [other],
    )
    const { body } = await app.ask(
      'GET',
      `/v1/deliveries/hours?created_from=${iso(days * 60)}&site_id=${other}`,
    )
    expect(body.data.median_ms).toBeLessThan(3_600_000)
  })

  it('422-without-a-beginning', async () => {
    expect((await app.ask('GET', '/v1/deliveries/hours')).status).toBe(422)
  })
})
