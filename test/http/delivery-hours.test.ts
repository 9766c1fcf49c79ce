import { v7 as uuid } from 'uuid'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let site: string

/** Midnight of a zone two and a half hours before UTC. */
const midnight = Date.UTC(2026, 5, 1, 2, 30)

beforeAll(async () => {
  app = await startApp()
  const connect = async (accountId: string): Promise<string> => {
    const { rows } = await app.database.pool.query(
      `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
       VALUES (gen_random_uuid(), $1, 'a site', 'https://a.example', 'r', 'u', 'p', now()) RETURNING id`,
      [accountId],
    )
    return rows[0].id
  }
  site = await connect(app.owner.id)
  const theirs = await connect(app.stranger.id)
  const deliver = (minutes: number, status: string, seconds: number, { attempts = 1, of = 'owner' } = {}) => {
    const at = midnight + minutes * 60_000
    const own = of === 'owner'
    return app.database.pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, attempts, created_at, updated_at)
       VALUES ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), $4, $5, $6, $7)`,
      [
        uuid({ msecs: at }),
        own ? app.owner.id : app.stranger.id,
        own ? site : theirs,
        status,
        attempts,
        new Date(at),
        new Date(at + seconds * 1_000),
      ],
    )
  }
  await deliver(-1, 'delivered', 1)
  await deliver(0, 'delivered', 1)
  await deliver(10, 'delivered', 3)
  await deliver(59, 'delivered', 5)
  await deliver(20, 'delivered', 900, { attempts: 4 })
  await deliver(30, 'failed', 2)
  await deliver(60, 'held', 2)
  await deliver(185, 'delivered', 2)
  await deliver(24 * 60, 'delivered', 2)
  await deliver(5, 'delivered', 2, { of: 'stranger' })
}, 60_000)
afterAll(() => app.stop())

const iso = (minutes: number) => new Date(midnight + minutes * 60_000).toISOString()
const day = () => `created_from=${iso(0)}&created_to=${iso(24 * 60)}`
const none = { queued: 0, delivering: 0, delivered: 0, held: 0, failed: 0, cancelled: 0 }

describe('/v1/deliveries/hours', () => {
  it('200-by-hour-from-where-it-is-told-and-by-outcome', async () => {
    const { status, body } = await app.ask('GET', `/v1/deliveries/hours?${day()}`)
    expect(status).toBe(200)
    expect(body.data).toEqual({
      hours: [
        { from: iso(0), by_status: { ...none, delivered: 4, failed: 1 }, median_ms: 3_000 },
        { from: iso(60), by_status: { ...none, held: 1 }, median_ms: null },
        { from: iso(180), by_status: { ...none, delivered: 1 }, median_ms: 2_000 },
      ],
      median_ms: 2_500,
      more: false,
    })
  })

  it('200-of-what-a-filter-lets-through', async () => {
    const { body } = await app.ask('GET', `/v1/deliveries/hours?${day()}&status=held&site_id=${site}`)
    expect(body.data.hours).toEqual([{ from: iso(60), by_status: { ...none, held: 1 }, median_ms: null }])
  })

  it('422-without-a-beginning', async () => {
    expect((await app.ask('GET', '/v1/deliveries/hours')).status).toBe(422)
  })
})
