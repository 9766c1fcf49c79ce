import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { logHeldDeliveries } from '../../src/delivery/ledger/notifications.ts'
import { resumeSite, stopForOwner } from '../../src/delivery/ledger/outage.ts'
import { holdForUnknownSites, queueForKnownSites } from '../../src/delivery/maintenance/unknown-site.ts'
import { siteTasks } from '../../src/delivery/site-worker/tasks.ts'
import type { FoundSite } from '../../src/sites/health/load-site.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const lines: Record<string, unknown>[] = []
const log = pino({ level: 'info' }, { write: (line: string) => lines.push(JSON.parse(line)) })

let database: FreshDatabase
let pool: Pool
const accounts = { owner: randomUUID(), stranger: randomUUID() }

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString })
  for (const id of Object.values(accounts))
    await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'test')`, [id])
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

async function connect(accountId: string): Promise<string> {
  const id = randomUUID()
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'test', 'https://example.test', 'https://example.test/wp-json/', 'u', 'p', now())`,
    [id, accountId],
  )
  return id
}

/** @param code why it is held; undefined for one that is due */
async function deliver(siteId: string, code?: string): Promise<string> {
  const id = randomUUID()
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, error)
     VALUES ($1, $2, $3, $4, $4, $5, $6, $7)`,
    [
      id,
      accounts.owner,
      siteId,
      randomUUID(),
      code === undefined ? 'queued' : 'held',
      code === undefined ? new Date(Date.now() - 1000) : null,
      code === undefined ? null : JSON.stringify({ code, message: '', step: 'plan' }),
    ],
  )
  return id
}

const statusOf = async (id: string): Promise<string> =>
  (await pool.query('SELECT status FROM delivery WHERE id = $1', [id])).rows[0].status

test('a delivery held for a site that is connected after all is queued, and says so in its timeline', async () => {
  const id = await deliver(await connect(accounts.owner), 'site_unknown')
  await queueForKnownSites(pool)
  expect(await statusOf(id)).toBe('queued')
  const { rows } = await pool.query('SELECT detail FROM delivery_step WHERE delivery_id = $1', [id])
  expect(rows).toEqual([{ detail: 'the site is connected' }])
})

test('a delivery held for a trouble that its site has no more is queued, one for a trouble that it has is not', async () => {
  const [mended, troubled] = [await connect(accounts.owner), await connect(accounts.owner)]
  const trouble = JSON.stringify({ code: 'password_wrong', message: '' })
  await pool.query('UPDATE site SET trouble = $2 WHERE id = $1', [troubled, trouble])
  const deliveries = await Promise.all([mended, troubled].map((site) => deliver(site, 'password_wrong')))
  await queueForKnownSites(pool)
  expect(await Promise.all(deliveries.map(statusOf))).toEqual(['queued', 'held'])
})

test('a delivery held for another reason, or for the site of another account, stays held', async () => {
  const changed = await deliver(await connect(accounts.owner), 'post_changed')
  const foreign = await deliver(await connect(accounts.stranger), 'site_unknown')
  await queueForKnownSites(pool)
  expect([await statusOf(changed), await statusOf(foreign)]).toEqual(['held', 'held'])
})

test('a delivery that is due for a site no longer connected is held, one for a connected site is not', async () => {
  const gone = await deliver(randomUUID())
  const there = await deliver(await connect(accounts.owner))
  await holdForUnknownSites(pool, log)
  expect([await statusOf(gone), await statusOf(there)]).toEqual(['held', 'queued'])
  expect(lines.splice(0)).toMatchObject([
    { msg: 'delivery ended', delivery: gone, outcome: 'held', code: 'site_unknown' },
  ])
})

test('what is held when a site is stopped for its owner is a line of the log each', async () => {
  const id = await connect(accounts.owner)
  const waiting = [await deliver(id), await deliver(id)]
  const failure = { code: 'password_wrong', message: 'It is wrong.' }
  const connectedAs = { username: 'u', sealedPassword: 'p', authorId: null, language: null }
  logHeldDeliveries(
    log,
    (await stopForOwner(pool, { id, accountId: accounts.owner }, connectedAs, failure)) ?? [],
  )
  expect(lines.splice(0).map(({ delivery, site, outcome, code }) => [delivery, site, outcome, code])).toEqual(
    expect.arrayContaining(waiting.map((delivery) => [delivery, id, 'held', failure.code])),
  )
})

test('very many deliveries of a site are held a part at a time, and all in the end', async () => {
  const id = await connect(accounts.owner)
  const site = { id, accountId: accounts.owner }
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
     SELECT made, $1, $2, made, made, 'queued', now() FROM (SELECT gen_random_uuid() AS made FROM generate_series(1, 4500)) all_of_them`,
    [accounts.owner, id],
  )
  const held = async () =>
    (await pool.query(`SELECT FROM delivery WHERE site_id = $1 AND status = 'held'`, [id])).rowCount
  const connectedAs = { username: 'u', sealedPassword: 'p', authorId: null, language: null }
  await stopForOwner(pool, site, connectedAs, { code: 'password_wrong', message: 'It is wrong.' })
  expect(await held()).toBe(2_000)
  const load = async () => ({ readiness: 'needs_owner' }) as FoundSite
  await siteTasks({ pool, log, load } as never, {} as never)[0]?.run({
    accountId: accounts.owner,
    siteId: id,
  })
  expect(await held()).toBe(4_500)
  expect(await resumeSite(pool, site)).toBe(4_500)
  expect(await held()).toBe(0)
})
