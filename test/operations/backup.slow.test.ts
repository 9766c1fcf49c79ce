import { createHash } from 'node:crypto'
import { cp, mkdir, mkdtemp, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Pool } from 'pg'
import { afterEach, beforeEach, expect, test } from 'vitest'
import type { SessionTimeouts } from '../../src/database/client.ts'
import { migrate, migrationNames, migrationsFolder } from '../../src/database/migrations.ts'
import { createLog } from '../../src/log/log.ts'
import { createBackup } from '../../src/operations/backup/backup.ts'
import { dumpDatabase, listTables } from '../../src/operations/backup/dump.ts'
import { restore } from '../../src/operations/backup/restore.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { startDatabaseProxy } from '../support/database-proxy.ts'
import { contentsOf, fillAwkwardly } from './awkward.ts'

const log = createLog({ logLevel: 'silent' })

let folder: string
let target: string
let source: FreshDatabase
let other: FreshDatabase
let from: Pool
let into: Pool
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-backup-'))
  target = join(folder, 'backup')
  source = await freshDatabase()
  other = await emptyDatabase()
  from = new Pool({ connectionString: source.connectionString, max: 2 })
  into = new Pool({ connectionString: other.connectionString, max: 1 })
})
afterEach(async () => {
  await from.end()
  await into.end()
  await source.drop()
  await other.drop()
  await rm(folder, { recursive: true })
})

const secretKeys = undefined
const backUp = (changes: object = {}) =>
  createBackup({
    ...{ databaseUrl: source.connectionString, dataDir: folder, secretKeys, target, withKeys: true, log },
    ...changes,
  })
const putBack = (changes: object = {}) =>
  restore({
    ...{
      databaseUrl: other.connectionString,
      dataDir: join(folder, 'restored'),
      secretKeys,
      source: target,
      log,
    },
    ...changes,
  })

test('every table comes back as it was, the jobs that wait, and the numbers of sequences', async () => {
  await fillAwkwardly(from)
  const before = await contentsOf(from)
  const tables = Object.keys(before).length
  expect(tables).toBeGreaterThan(20)
  const { rows } = await backUp()
  expect(await putBack()).toMatchObject({ rows, files: 0, manifest: { rows: { account: 4, event: 4 } } })
  expect(await contentsOf(into)).toEqual(before)
  for (const lines of Object.values(before)) expect(lines).not.toEqual([])
  const { rows: next } = await into.query(`SELECT nextval('event_seq_seq')`)
  expect(next).toEqual([{ nextval: '9007199254740991' }])
  await expect(into.query(`UPDATE audit_entry SET actor = 'other'`), 'triggers are back').rejects.toThrow()
})

test('a job that was tried too often comes back, to be tried again, unless its timetable brings another', async () => {
  await from.query(
    `SELECT graphile_worker.add_job('tidy', job_key => 'tidy:1'), graphile_worker.add_job('retention')`,
  )
  await from.query('UPDATE graphile_worker._private_jobs SET attempts = max_attempts')
  await backUp()
  await putBack()
  const { rows } = await into.query('SELECT task_identifier AS task, key, attempts FROM graphile_worker.jobs')
  expect(rows).toEqual([{ task: 'tidy', key: 'tidy:1', attempts: 0 }])
})

test('it is the state of one moment, whatever is written meanwhile', async () => {
  await fillAwkwardly(from)
  const before = await contentsOf(from)
  const lines: string[] = []
  for await (const line of dumpDatabase(source.connectionString)) {
    if (lines.length === 0) await from.query('DELETE FROM account')
    lines.push(line)
  }
  expect(await contentsOf(from)).not.toEqual(before)
  expect(lines.filter((line) => line.startsWith('{')).length).toBeGreaterThan(
    4 * (Object.keys(before).length - 2),
  )
})

test('what is large is read a little at a time, and comes back', async () => {
  await fillAwkwardly(from)
  await from.query(`UPDATE event SET body = convert_to(repeat('0123456789abcdef', 60000), 'UTF8')`)
  await from.query(
    `INSERT INTO delivery_step (delivery_id, step, outcome) SELECT id, 'step', n::text FROM delivery, generate_series(1, 700) n`,
  )
  const before = await contentsOf(from)
  await backUp()
  await putBack()
  expect(await contentsOf(into)).toEqual(before)
})

test('files go with it, for their owner alone, and no keys that are another database’s', async () => {
  await mkdir(join(folder, 'files/ab'), { recursive: true })
  await mkdir(join(folder, 'files/unfinished'), { recursive: true })
  await writeFile(join(folder, 'files/ab/abc'), Buffer.from([0, 1, 255]))
  await writeFile(join(folder, 'files/unfinished/x'), 'half')
  await writeFile(join(folder, 'secret-keys'), 'one:key\n')
  // With a database of one's own, whatever keys lie there are not those of this database.
  expect(await backUp()).toMatchObject({ files: 1, hasKeys: false })
  await putBack()
  expect(await readFile(join(folder, 'restored/files/ab/abc'))).toEqual(Buffer.from([0, 1, 255]))
  expect(await readdir(join(folder, 'restored/files'))).toEqual(['ab'])
  for (const path of ['manifest.json', 'database.ndjson.gz', 'files/ab/abc'])
    expect((await stat(join(target, path))).mode & 0o777).toBe(0o600)
  expect((await stat(target)).mode & 0o777).toBe(0o700)
})

test('a backup replaces nothing, nor does a restore', async () => {
  await backUp()
  await expect(backUp()).rejects.toMatchObject({ code: 'backup_exists' })
  await putBack()
  await into.query(`INSERT INTO account (id, name) VALUES (gen_random_uuid(), 'mine')`)
  await expect(putBack()).rejects.toMatchObject({
    code: 'restore_not_empty',
    message: expect.stringContaining('the table account of the database has rows'),
  })
  expect((await into.query('SELECT name FROM account')).rows).toEqual([{ name: 'mine' }])
})

test('a backup that is not whole, or has files of another place, is refused before anything is changed', async () => {
  await backUp()
  const sound = join(folder, 'sound')
  await cp(target, sound, { recursive: true })
  /** Makes the backup whole again afterwards. */
  const refused = async (what: string, why: string) => {
    await expect(putBack(), what).rejects.toMatchObject({
      code: 'backup_unusable',
      message: expect.stringContaining(why),
    })
    await expect(stat(join(folder, 'restored')), what).rejects.toThrow('ENOENT')
    expect(await listTables(into), what).toEqual([])
    await rm(target, { recursive: true })
    await cp(sound, target, { recursive: true })
  }
  for (const [path, content, why] of [
    ['manifest.json', null, 'it is not a backup, or was cut off'],
    ['database.ndjson.gz', 'x', 'is not what was written'],
    ['database.ndjson.gz', null, 'is missing, or is not what was written'],
    ['manifest.json', '{}', 'cannot be read'],
  ] as const) {
    if (content === null) await rm(join(target, path))
    else await writeFile(join(target, path), content)
    await refused(`${path}: ${content}`, why)
  }
  for (const path of ['postgres/postgresql.conf', 'files/../postgres/postgresql.conf', '.profile', 'files']) {
    const manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'))
    const file = join(target, path)
    await mkdir(dirname(file), { recursive: true })
    await writeFile(file, 'x')
    manifest.contents[path] = { bytes: 1, sha256: createHash('sha256').update('x').digest('hex') }
    await writeFile(join(target, 'manifest.json'), JSON.stringify(manifest))
    await refused(path, 'cannot be read')
  }
})

test('what fails in the middle leaves the database empty, and the next try may go on', async () => {
  await fillAwkwardly(from)
  await backUp()
  const manifest = join(target, 'manifest.json')
  const sound = join(folder, 'sound')
  await cp(target, sound, { recursive: true })
  const lines: string[] = []
  for await (const line of dumpDatabase(source.connectionString)) lines.push(line)
  const { gzipSync } = await import('node:zlib')
  const { createHash } = await import('node:crypto')
  const cut = gzipSync(lines.slice(0, -3).join('\n'))
  await writeFile(join(target, 'database.ndjson.gz'), cut)
  const said = JSON.parse(await readFile(manifest, 'utf8'))
  said.contents['database.ndjson.gz'].sha256 = createHash('sha256').update(cut).digest('hex')
  await writeFile(manifest, JSON.stringify(said))
  await expect(putBack()).rejects.toMatchObject({ code: 'backup_unusable' })
  expect((await into.query('SELECT FROM account')).rowCount).toBe(0)
  await putBack({ source: sound })
  expect(await contentsOf(into)).toEqual(await contentsOf(from))
})

/** Ends the session of this name as soon as it waits for a lock. */
async function cutOff(pool: Pool, session: string): Promise<void> {
  const ended = async () =>
    (
      await pool.query(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
         WHERE application_name = $1 AND datname = current_database() AND wait_event_type = 'Lock'`,
        [session],
      )
    ).rowCount
  await expect.poll(ended).toBe(1)
}

test('a database that goes away in the midst of a backup leaves none that is taken for whole', async () => {
  const holder = await from.connect()
  await holder.query('BEGIN; LOCK TABLE delivery_step')
  const [made] = await Promise.allSettled([backUp(), cutOff(from, 'galley, backup')])
  holder.release(true)
  expect(made).toMatchObject({
    reason: {
      code: 'database_lost',
      message: expect.stringContaining(`What is in ${target} is no whole backup`),
    },
  })
  await expect(putBack()).rejects.toMatchObject({ code: 'backup_unusable' })
  await rm(target, { recursive: true })
  await backUp()
})

test('a database that goes away in the midst of a restore is not taken for a broken backup', async () => {
  await fillAwkwardly(from)
  await backUp()
  await migrate({ connectionString: other.connectionString, log })
  const watch = new Pool({ connectionString: other.connectionString, max: 1 })
  await into.query('BEGIN; LOCK TABLE delivery_step IN SHARE MODE')
  const [done] = await Promise.allSettled([putBack(), cutOff(watch, 'galley, restore')])
  await into.query('ROLLBACK')
  await watch.end()
  expect(done).toMatchObject({
    reason: {
      code: 'database_lost',
      message: expect.stringContaining('The backup is as it was. Run this again'),
    },
  })
  expect((await into.query('SELECT FROM account')).rowCount).toBe(0)
  await putBack()
  expect(await contentsOf(into)).toEqual(await contentsOf(from))
})

/** Through a network that swallows everything from when the work waits for a lock that somebody else has. */
async function swallowed(
  database: FreshDatabase,
  work: (place: { databaseUrl: string; patience: SessionTimeouts }) => Promise<unknown>,
  lock: string,
): Promise<unknown> {
  const network = await startDatabaseProxy(database.connectionString)
  const beside = new Pool({ connectionString: database.connectionString, max: 2 })
  try {
    const holder = await beside.connect()
    await holder.query(`BEGIN; ${lock}`)
    const ended = work({
      databaseUrl: network.connectionString,
      patience: { connection: 2_000, answer: 3_000 },
    }).catch((error: unknown) => error)
    const waits = async () =>
      (
        await beside.query(
          `SELECT FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'`,
        )
      ).rowCount
    await expect.poll(waits).toBe(1)
    network.swallow()
    const error = await ended
    holder.release(true)
    return error
  } finally {
    await beside.end()
    await network.close()
  }
}

test('a network that swallows everything in the midst of a backup ends it, with what to look at', async () => {
  expect(await swallowed(source, backUp, 'LOCK TABLE delivery_step')).toMatchObject({
    code: 'database_lost',
    message: expect.stringMatching(/^The database gave no answer for minutes\..* is no whole backup/s),
  })
})

test('a network that swallows everything in the midst of a restore ends it, and nothing is restored', async () => {
  await fillAwkwardly(from)
  await backUp()
  await migrate({ connectionString: other.connectionString, log })
  const error = await swallowed(other, putBack, 'LOCK TABLE delivery_step IN SHARE MODE')
  expect(error).toMatchObject({
    code: 'database_lost',
    message: expect.stringContaining('The database gave no answer for minutes.'),
  })
  expect((await into.query('SELECT FROM account')).rowCount).toBe(0)
})

test('a database that takes the connection and says nothing is not waited for', async () => {
  const network = await startDatabaseProxy(source.connectionString)
  network.swallow()
  const silent = { databaseUrl: network.connectionString, patience: { connection: 500, answer: 500 } }
  await expect(backUp(silent)).rejects.toMatchObject({ code: 'database_unreachable' })
  await rm(target, { recursive: true })
  await backUp()
  await expect(putBack(silent)).rejects.toMatchObject({ code: 'database_unreachable' })
  await network.close()
})

test('what a restore that was killed left of the keys does not stop the next', async () => {
  const own = { databaseUrl: undefined, dataDir: join(folder, 'restored') }
  await backUp()
  const manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'))
  const keys = `${generateSecretKey()}\n`
  await writeFile(join(target, 'secret-keys'), keys)
  const sha256 = createHash('sha256').update(keys).digest('hex')
  manifest.contents['secret-keys'] = { bytes: keys.length, sha256 }
  await writeFile(join(target, 'manifest.json'), JSON.stringify(manifest))
  await mkdir(own.dataDir, { mode: 0o700 })
  await writeFile(join(own.dataDir, 'secret-keys'), keys.slice(0, 20))
  await putBack(own)
  expect(await readFile(join(own.dataDir, 'secret-keys'), 'utf8')).toBe(keys)
})

test('a place that takes no files is named, with what to do', async () => {
  await writeFile(join(folder, 'a file'), '')
  await expect(backUp({ target: join(folder, 'a file/backup') })).rejects.toMatchObject({
    code: 'disk_failed',
    message: expect.stringMatching(/^The disk ended it \(ENOTDIR: .*run this again\.$/),
  })
})

test('the backup of an older schema is brought up to this one; that of a newer is refused', async () => {
  await from.query(`INSERT INTO account (id, name) VALUES (gen_random_uuid(), 'of old')`)
  await backUp()
  const migrations = join(folder, 'migrations')
  await cp(migrationsFolder, migrations, { recursive: true })
  const later = '29990101000000_motto'
  await mkdir(join(migrations, later))
  await writeFile(
    join(migrations, later, 'migration.sql'),
    `ALTER TABLE account ADD COLUMN motto TEXT NOT NULL DEFAULT 'none'`,
  )
  const old = await migrationNames(migrationsFolder)
  expect((await putBack({ migrations })).manifest.migrations).toEqual(old)
  expect((await into.query('SELECT name, motto FROM account')).rows).toEqual([
    { name: 'of old', motto: 'none' },
  ])
  const applied = await into.query('SELECT migration_name FROM _prisma_migrations ORDER BY 1')
  expect(applied.rows.map(({ migration_name }) => migration_name)).toEqual([...old, later])

  const manifest = JSON.parse(await readFile(join(target, 'manifest.json'), 'utf8'))
  manifest.migrations.push('29990101000000_of_the_future')
  await writeFile(join(target, 'manifest.json'), JSON.stringify(manifest))
  await expect(putBack()).rejects.toMatchObject({
    code: 'backup_newer',
    message: expect.stringContaining('29990101000000_of_the_future'),
  })
})
