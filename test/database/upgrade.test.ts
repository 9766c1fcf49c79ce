import { randomUUID } from 'node:crypto'
import { cp, mkdtemp, readdir, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { migrate } from '../../src/database/index.ts'
import { migrationsFolder } from '../../src/database/migration-files.ts'
import { emptyDatabase, type FreshDatabase } from '../support/database/fresh-database.ts'

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
  const folder = await mkdtemp(join(tmpdir(), 'galley-migrations-'))
  for (const entry of await readdir(migrationsFolder))
    if (entry < name || entry.endsWith('.toml'))
      await cp(join(migrationsFolder, entry), join(folder, entry), { recursive: true })
  await migrate({ connectionString: database.connectionString, log, folder })
  await rm(folder, { recursive: true })
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'of old')`, [accountId])
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'of old', 'https://old.example', 'https://old.example/wp-json/', 'u', 'p', now())`,
    [siteId, accountId],
  )
}

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
  // Its pump would not know the account; the sweep adds one that does.
  expect((await pool.query('SELECT key FROM graphile_worker.jobs')).rows).toEqual([])
})
