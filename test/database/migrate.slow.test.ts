import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { Prisma } from '../../src/database/generated/client.ts'
import { migrate, migrationNames, migrationsFolder } from '../../src/database/migrations.ts'
import { query } from '../support/database/embedded-test.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

const log = pino({ level: 'silent' })
let database: FreshDatabase
let folder: string
beforeEach(async () => {
  database = await emptyDatabase()
  folder = await mkdtemp(join(tmpdir(), 'galley-migrations-'))
})
afterEach(async () => {
  await database.drop()
  await rm(folder, { recursive: true })
})

const run = () => migrate({ connectionString: database.connectionString, log, folder })
const tables = async () => {
  const rows = await query(
    database.connectionString,
    "select tablename as name from pg_tables where schemaname = 'public' order by name",
  )
  return rows.map(({ name }) => name)
}

async function addMigration(name: string, sql: string): Promise<void> {
  await mkdir(join(folder, name), { recursive: true })
  await writeFile(join(folder, name, 'migration.sql'), sql)
}

test('an empty database gets every migration, and the next start none', async () => {
  const { connectionString } = database
  expect(await migrate({ connectionString, log })).toEqual(await migrationNames(migrationsFolder))
  expect(await migrate({ connectionString, log })).toEqual([])
})

test('of several processes that start at once one migrates, and all find the schema', async () => {
  const { connectionString } = database
  const applied = await Promise.all(Array.from({ length: 5 }, () => migrate({ connectionString, log })))
  expect(applied.filter((names) => names.length > 0)).toHaveLength(1)
  const [row] = await query(connectionString, 'select count(*)::int as accounts from account')
  expect(row).toEqual({ accounts: 0 })
})

test('the migrated tables have every column that Prisma will ask for', async () => {
  const fresh = await freshDatabase()
  const { prisma, close } = openDatabase({ connectionString: fresh.connectionString, poolSize: 1, log })
  const models = Object.values(Prisma.ModelName)
  const counts = await Promise.all(
    models.map(async (model) => {
      const delegate = prisma[(model.charAt(0).toLowerCase() + model.slice(1)) as 'account']
      return (await delegate.findMany({ take: 1 })).length
    }),
  )
  await close()
  await fresh.drop()
  expect(counts).toEqual(models.map(() => 0))
})

test('the job queue is there too, ready for a job', async () => {
  await migrate({ connectionString: database.connectionString, log })
  const [job] = await query(
    database.connectionString,
    "select attempts from graphile_worker.add_job('pump', '{}'::json)",
  )
  expect(job).toEqual({ attempts: 0 })
})

test('a migration is recorded as Prisma records it', async () => {
  await addMigration('1_motto', "create table motto (text text default 'Zürich; née')\n")
  await run()
  const rows = await query(
    database.connectionString,
    `select *, finished_at >= started_at as in_order from _prisma_migrations`,
  )
  expect(rows).toEqual([
    {
      id: expect.stringMatching(/^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/),
      // What the schema engine of Prisma 7.10 wrote of this file: SHA-256 of its bytes.
      checksum: '7b0738fcd0c26b1266dfb099e75ec6c04850bce9ec6fbcb69c6dbe5f76e17e19',
      migration_name: '1_motto',
      logs: null,
      rolled_back_at: null,
      started_at: expect.any(Date),
      finished_at: expect.any(Date),
      applied_steps_count: 1,
      in_order: true,
    },
  ])
  const columns = await query(
    database.connectionString,
    `select column_name || ' ' || format_type(atttypid, atttypmod) as line
     from information_schema.columns join pg_attribute on attrelid = '_prisma_migrations'::regclass and attname = column_name
     where table_name = '_prisma_migrations' order by ordinal_position`,
  )
  expect(columns.map(({ line }) => line)).toEqual([
    'id character varying(36)',
    'checksum character varying(64)',
    'finished_at timestamp with time zone',
    'migration_name character varying(255)',
    'logs text',
    'rolled_back_at timestamp with time zone',
    'started_at timestamp with time zone',
    'applied_steps_count integer',
  ])
})

test('semicolons in comments, strings and functions do not cut a migration', async () => {
  await addMigration(
    '1_semicolons',
    `-- one; two
     create table kept (note text default 'a;b');
     create function answer() returns int language plpgsql as $$ begin perform 1; return 42; end $$;`,
  )
  expect(await run()).toEqual(['1_semicolons'])
  expect(await query(database.connectionString, 'select answer()')).toEqual([{ answer: 42 }])
})

test('a migration that fails leaves nothing behind, says why, and applies once it is mended', async () => {
  await addMigration('1_good', 'create table good ()')
  await addMigration('2_bad', 'create table half (); select 1 / 0')
  await expect(run()).rejects.toMatchObject({
    code: 'migration_failed',
    message: expect.stringMatching(/was left as it was: division by zero/),
  })
  expect(await tables()).toEqual([])

  await addMigration('2_bad', 'create table whole ()')
  expect(await run()).toEqual(['1_good', '2_bad'])
  expect(await tables()).toEqual(['_prisma_migrations', 'good', 'whole'])
})

test('a process that dies in the middle leaves nothing behind, and the next one migrates', async () => {
  await addMigration('1_slow', 'create table slow (); select pg_sleep(20)')
  const dying = run().then(
    () => undefined,
    (error: unknown) => error,
  )
  const kill = `select pg_terminate_backend(pid) as killed from pg_stat_activity
    where datname = current_database() and state = 'active' and query like '%pg_sleep(20)%' and pid <> pg_backend_pid()`
  await expect.poll(() => query(database.connectionString, kill)).not.toEqual([])
  expect(await dying).toMatchObject({ code: 'migration_failed' })
  expect(await tables()).toEqual([])

  await addMigration('1_slow', 'create table slow ()')
  expect(await run()).toEqual(['1_slow'])
})

test('a database that cannot be reached is named, without its password', async () => {
  const connectionString = 'postgresql://galley:hunter2@localhost:1/galley'
  const failure = await migrate({ connectionString, log }).catch((error: unknown) => error)
  expect(failure).toMatchObject({
    code: 'database_unreachable',
    message: expect.stringMatching(/"galley" at localhost:1 cannot be used: .*ECONNREFUSED.*DATABASE_URL/),
  })
  expect((failure as Error).message).not.toContain('hunter2')
})

test('a database that a newer version has changed is refused, and left as it is', async () => {
  await addMigration('1_known', 'create table known ()')
  await addMigration('2_newer', 'create table newer ()')
  await run()
  await rm(join(folder, '2_newer'), { recursive: true })
  await addMigration('3_missing', 'create table missing ()')
  await expect(run()).rejects.toMatchObject({
    code: 'database_newer',
    message: expect.stringMatching(/newer Galley than this one, which is \d+\.\d+\.\d+ .* 2_newer/),
  })
  expect(await tables()).toEqual(['_prisma_migrations', 'known', 'newer'])
})

test('a database in which a migration was begun and not ended is refused', async () => {
  await addMigration('1_known', 'create table known ()')
  await run()
  await query(database.connectionString, 'update _prisma_migrations set finished_at = null')
  await expect(run()).rejects.toMatchObject({
    code: 'migration_unfinished',
    message: expect.stringContaining('1_known was started and never finished'),
  })
})

test.each([
  ['a wrong password', { password: 'wrong' }, {}, /password authentication failed.*DATABASE_URL is wrong/],
  [
    'a database that is not there',
    { pathname: '/nothing' },
    {},
    /does not exist\. There is no such database/,
  ],
  ['a machine that is not there', {}, { host: 'nowhere.invalid' }, /Check the host in DATABASE_URL/],
])('%s is told apart from the others', async (_, parts, query, sentence) => {
  const url = Object.assign(new URL(database.connectionString), parts)
  for (const [name, value] of Object.entries(query)) url.searchParams.set(name, value)
  await expect(migrate({ connectionString: url.href, log, folder })).rejects.toMatchObject({
    code: 'database_unreachable',
    message: expect.stringMatching(sentence),
  })
})

test('a user without the right to make tables is told which right it needs', async () => {
  const name = `poor_${process.pid}`
  await query(database.connectionString, `create role ${name} login password 'poor'`)
  try {
    const url = new URL(database.connectionString)
    url.username = name
    url.password = 'poor'
    await addMigration('1_known', 'create table known ()')
    await expect(migrate({ connectionString: url.href, log, folder })).rejects.toMatchObject({
      code: 'migration_failed',
      message: expect.stringMatching(/permission denied.*GRANT CREATE/s),
    })
  } finally {
    await query(database.connectionString, `drop role ${name}`)
  }
})
