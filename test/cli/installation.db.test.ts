import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { CliWorld } from '../../src/cli/world.ts'
import { advisoryLocks } from '../../src/database/transaction.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { startTestGalley, type TestGalley } from '../support/galley.ts'
import { run } from './world.ts'

// The commands that work on the installation itself, as they are typed.

const key = generateSecretKey()
const [id] = key.split(':') as [string]

let folder: string
let database: FreshDatabase
let galley: TestGalley
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-installation-'))
  database = await freshDatabase()
  galley = await startTestGalley({ secretKeys: key }, database)
  await galley.call('POST', '/v1/sources', { name: 'signs', signing_secret: true })
})
afterAll(async () => {
  await galley.stop()
  await database.drop()
  await rm(folder, { recursive: true })
})

const typed = (line: string, settings: Record<string, string> = {}, changes: Partial<CliWorld> = {}) =>
  run(line.split(' '), {
    ...changes,
    env: {
      DATABASE_URL: database.connectionString,
      GALLEY_SECRET_KEYS: key,
      GALLEY_DATA_DIR: folder,
      PUBLIC_URL: galley.url,
      ...settings,
    },
  })

test('a backup is made while Galley runs and restored into another database, as JSON where that is asked for', async () => {
  const target = join(folder, 'backup')
  expect(await typed(`backup ${target}`)).toMatchObject({
    code: 0,
    err: expect.stringContaining('no secret keys'),
  })
  expect(await typed(`backup ${target}`)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is not empty'),
  })
  const other = await emptyDatabase()
  const into = { DATABASE_URL: other.connectionString, GALLEY_DATA_DIR: join(folder, 'other') }
  const { code, out } = await typed(`restore ${target} --json`, into)
  expect([code, JSON.parse(out)]).toEqual([0, expect.objectContaining({ success: true })])
  const pool = new Pool({ connectionString: other.connectionString, max: 1 })
  expect((await pool.query('SELECT name FROM source')).rows).toEqual([{ name: 'signs' }])
  await pool.end()
  expect(await typed(`restore ${target}`, into)).toMatchObject({
    code: 1,
    err: expect.stringContaining('has rows'),
  })
  await other.drop()
})

test('a backup that somebody stops says that what is there is none', async () => {
  const dataDir = join(folder, 'stopped')
  await mkdir(join(dataDir, 'files'), { recursive: true })
  await writeFile(join(dataDir, 'files/picture.png'), 'picture')
  const target = join(folder, 'stopped-backup')
  expect(
    await typed(`backup ${target}`, { GALLEY_DATA_DIR: dataDir }, { stop: AbortSignal.abort() }),
  ).toMatchObject({
    code: 130,
    out: '',
    err: expect.stringMatching(/^Stopped\. What is in .*stopped-backup is no whole backup/),
  })
  expect(await typed(`restore ${target}`)).toMatchObject({ code: 1, err: expect.stringContaining('cut off') })
})

test('a backup that is not there is none, and a change of keys that is under way is', async () => {
  const target = join(folder, 'none')
  expect(await typed(`restore ${target}`)).toMatchObject({
    code: 4,
    err: `There is no folder ${target}, so nothing was restored. Name one that galley backup has made.\n`,
  })
  const pool = new Pool({ connectionString: database.connectionString, max: 1 })
  await pool.query('SELECT pg_advisory_lock($1)', [advisoryLocks.rotation])
  expect(await typed('secrets rotate')).toMatchObject({
    code: 6,
    err: expect.stringContaining('Wait until it has finished'),
  })
  await pool.end()
})

test('a restore says which keys are missing', async () => {
  const target = join(folder, 'backup-without-keys')
  await typed(`backup ${target}`)
  const other = await emptyDatabase()
  const into = { DATABASE_URL: other.connectionString, GALLEY_SECRET_KEYS: generateSecretKey() }
  expect(await typed(`restore ${target}`, into)).toMatchObject({ code: 7, err: expect.stringContaining(id) })
  await other.drop()
})

test('the doctor finds an installation sound that is, and says what is not', async () => {
  const sound = await typed('doctor')
  expect(sound).toMatchObject({ code: 0, err: '' })
  for (const check of ['version', 'disk', 'database', 'clock', 'schema', 'secret keys', 'queue', 'address'])
    expect(sound.out).toMatch(new RegExp(`^ok +${check}: `, 'm'))

  const wrongKey = await typed('doctor', { GALLEY_SECRET_KEYS: generateSecretKey() })
  expect(wrongKey).toMatchObject({
    code: 7,
    out: expect.stringMatching(/^problem +secret keys: .*is not among them/m),
  })
  const noDatabase = await typed('doctor --json', { DATABASE_URL: 'postgresql://127.0.0.1:1/none' })
  expect(noDatabase.code).toBe(7)
  expect(JSON.parse(noDatabase.out).data).toContainEqual(
    expect.objectContaining({ check: 'database', level: 'problem' }),
  )
  const elsewhere = await typed('doctor', { PUBLIC_URL: 'http://127.0.0.1:1' })
  expect(elsewhere).toMatchObject({
    code: 0,
    out: expect.stringMatching(/^warning +address: There is no answer/m),
  })
})

test('the doctor counts what is due, and not what waits for a site that a person has paused', async () => {
  const pool = new Pool({ connectionString: database.connectionString, max: 1 })
  await pool.query(
    `WITH paused AS (
       INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at, stopped_at)
       SELECT gen_random_uuid(), id, 's', 'https://s.test', 'https://s.test/', 'u', 'p', now(), now() FROM account RETURNING *
     )
     INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
     SELECT gen_random_uuid(), account_id, id, id, id, 'queued', now() - interval '1 hour' FROM paused`,
  )
  expect((await typed('doctor')).out).toMatch(/^ok +queue: /m)
  await pool.query('DELETE FROM delivery')
  await pool.query('DELETE FROM site')
  await pool.end()
})

test('the keys are listed, changed while Galley runs, and an old one may go only then', async () => {
  // Of its own: a Galley cannot read its secrets afterwards.
  const changed = await freshDatabase()
  const other = await startTestGalley({ secretKeys: key }, changed)
  await other.call('POST', '/v1/sources', { name: 'signs', signing_secret: true })
  const there = { DATABASE_URL: changed.connectionString }
  expect(await typed('secrets list', there)).toEqual({
    code: 0,
    out: `${id}  1 secret, encrypts what is new\n`,
    err: '',
  })
  expect(await typed('secrets rotate', there)).toMatchObject({
    code: 1,
    err: expect.stringContaining('is encrypted with'),
  })
  const added = generateSecretKey()
  const both = { ...there, GALLEY_SECRET_KEYS: `${added},${key}` }
  expect(await typed(`secrets drop ${id}`, both)).toMatchObject({
    code: 1,
    err: expect.stringContaining('stays'),
  })
  const { code, out } = await typed('secrets rotate', both)
  expect([code, out]).toEqual([0, expect.stringContaining(`Nothing needs the key "${id}" any more`)])
  expect(await typed(`secrets drop ${id}`, both)).toMatchObject({ code: 0 })
  expect(await typed('secrets drop nobodys', both)).toMatchObject({ code: 4, out: '' })
  await other.stop()
  await changed.drop()
})
