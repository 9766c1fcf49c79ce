import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../../src/database/index.ts'
import { emptyDatabase, type FreshDatabase } from '../../support/database/fresh-database.ts'
import { migrateTo, migrations } from './schemas.ts'

const log = pino({ level: 'silent' })
const accountId = randomUUID()
const siteId = randomUUID()

let database: FreshDatabase
let pool: Pool
beforeEach(async () => {
  database = await emptyDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
})
afterEach(async () => {
  await pool.end()
  await database.drop()
})

const migrateAll = () => migrate({ connectionString: database.connectionString, log })

/** The schema as it was before a migration, with a site in it. */
async function migrateBefore(name: string): Promise<void> {
  await migrateTo(database.connectionString, migrations.filter((migration) => migration < name).at(-1) ?? '')
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'of old')`, [accountId])
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'of old', 'https://old.example', 'https://old.example/wp-json/', 'u', 'p', now())`,
    [siteId, accountId],
  )
}

test('events from the time when a clock ordered them keep its order, and all that come are newer', async () => {
  await migrateBefore('20261122025305')
  const sourceId = randomUUID()
  const documentId = randomUUID()
  await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES ($1, $2, 'of old', 'hash')`,
    [sourceId, accountId],
  )
  const add = (id: string, receivedAt: string) =>
    pool.query(
      `INSERT INTO event (id, account_id, source_id, document_id, status, digest, received_at)
       VALUES ($1::uuid, $2, $3, $4, 'planned', sha256($1::text::bytea), $5)`,
      [id, accountId, sourceId, documentId, receivedAt],
    )
  const [a, b, c] = [randomUUID(), ...[randomUUID(), randomUUID()].sort()] as [string, string, string]
  await add(c, '2026-01-02')
  await add(b, '2026-01-02')
  await add(a, '2026-01-01')
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status)
     VALUES (gen_random_uuid(), $1, $2, $3, $4, 'delivered'), (gen_random_uuid(), $1, $2, gen_random_uuid(), $5, 'failed')`,
    [accountId, siteId, documentId, b, randomUUID()],
  )
  await migrateAll()
  await add(randomUUID(), '2025-01-01')
  const { rows } = await pool.query('SELECT id, seq FROM event ORDER BY seq')
  expect(rows.slice(0, 3).map(({ id }) => id)).toEqual([a, b, c])
  expect(new Set(rows.map(({ seq }) => seq)).size).toBe(4)
  const wanted = await pool.query('SELECT wanted_seq FROM delivery ORDER BY status')
  // The event of the other was removed with its source: whatever comes is newer.
  expect(wanted.rows).toEqual([{ wanted_seq: rows[1].seq }, { wanted_seq: '0' }])
})

test('a site from the time when an id was of one account stays, and another account may take its id', async () => {
  await migrateBefore('20261122023600')
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
     VALUES (gen_random_uuid(), $1, $2, gen_random_uuid(), gen_random_uuid(), 'queued', now())`,
    [accountId, siteId],
  )
  await pool.query(
    `SELECT graphile_worker.add_job('pump', json_build_object('siteId', $1::uuid), queue_name => $1::text,
       job_key => 'pump:' || $1)`,
    [siteId],
  )
  await migrateAll()
  await pool.query(`INSERT INTO account (id, name) VALUES (gen_random_uuid(), 'new')`)
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     SELECT site.id, account.id, 'new', 'https://new.example', 'https://new.example/', 'u', 'p', now()
     FROM site, account WHERE account.name = 'new'`,
  )
  const { rows } = await pool.query('SELECT name, id FROM site ORDER BY name')
  expect(rows).toEqual([
    { name: 'new', id: siteId },
    { name: 'of old', id: siteId },
  ])
  expect((await pool.query('SELECT account_id, site_id FROM delivery')).rows).toEqual([
    { account_id: accountId, site_id: siteId },
  ])
  // Its site worker would not know the account; the sweep adds one that does.
  expect((await pool.query('SELECT key FROM graphile_worker.jobs')).rows).toEqual([])
})

test('deliveries from the time before lists had titles get what their events still say', async () => {
  await migrateBefore('20261122233625')
  const sourceId = randomUUID()
  await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES ($1, $2, 'of old', 'hash')`,
    [sourceId, accountId],
  )
  const bodies = [
    JSON.stringify({ data: { title: ' Tides\n of  old ', content: {} } }),
    JSON.stringify({ data: { title: '', content: { meta: { title: 'In meta' } } } }),
    'no JSON',
    String.raw`{"data": {"title": "NUL \u0000"}}`,
    null,
  ]
  for (const [n, body] of bodies.entries()) {
    const id = randomUUID()
    await pool.query(
      `INSERT INTO event (id, account_id, source_id, status, digest, body)
       VALUES ($1::uuid, $2, $3, 'planned', sha256($1::text::bytea), $4)`,
      [id, accountId, sourceId, body === null ? null : Buffer.from(body)],
    )
    await pool.query(
      `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, attempts)
       VALUES (gen_random_uuid(), $1, $2, gen_random_uuid(), $3, 'delivered', $4)`,
      [accountId, siteId, id, n],
    )
  }
  await migrateAll()
  const { rows } = await pool.query('SELECT title, source_id FROM delivery ORDER BY attempts')
  expect(rows.map(({ title }) => title)).toEqual(['Tides of old', 'In meta', null, null, null])
  expect(new Set(rows.map(({ source_id }) => source_id))).toEqual(new Set([sourceId]))
})
