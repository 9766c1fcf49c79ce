import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Pool } from 'pg'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { openDatabase } from '../../src/database/client.ts'
import { createLog } from '../../src/log/log.ts'
import { dropSecretKey, rotateSecrets } from '../../src/operations/rotate-secrets.ts'
import { sealedColumns } from '../../src/operations/sealed-columns.ts'
import { openSealed, type SealedColumn, sealFor } from '../../src/secrets/check-keys.ts'
import { loadKeyring } from '../../src/secrets/key-file.ts'
import { generateSecretKey, type Keyring } from '../../src/secrets/keyring.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { keysInUse, put, rowsOf, secretOf, storeSecrets } from './stored.ts'

/** More than a batch of sites. */
const SITES = 80
/** Sites, notification secrets; signing secrets and upstream keys of three sources; one of the three before it counts; a line of an import and an answer that was kept; secrets of two receivers, of which one before it counts. */
const SECRETS = 2 * (SITES + 1 + 3 + 3 + 1 + 2 + 3)
/** Of secrets before the present one, those that do not count any more stay as they are. */
const OVER = 6

let database: FreshDatabase
let pool: Pool
let dataDir: string
let first: string
const settings = () => ({ secretKeys: undefined, dataDir })
/** What a process has that runs on these data. */
const running = () => loadKeyring(settings())

beforeEach(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 4 })
  dataDir = await mkdtemp(join(tmpdir(), 'galley-rotate-'))
  const keyring = await running()
  first = keyring.newestId
  await storeSecrets(pool, keyring, SITES)
})
afterEach(async () => {
  await pool.end()
  await database.drop()
  await rm(dataDir, { recursive: true })
})

/** Fails where a secret cannot be read, or is not the one that was stored. */
async function readAll(keyring: Keyring): Promise<void> {
  for (const column of sealedColumns)
    for (const row of await rowsOf(pool, column)) expect(openSealed(keyring, column, row)).toBe(secretOf(row))
}

test('everything is encrypted with a new key, and a process that runs reads and writes with it at once', async () => {
  const process = await running()
  const rotation = await rotateSecrets(pool, settings())
  expect(rotation).toEqual({
    ...{ newest: process.newestId, made: true, secrets: SECRETS, idle: [first], unreadable: [] },
  })
  expect(rotation.newest).not.toBe(first)
  expect(await keysInUse(pool)).toEqual({ [first]: OVER, [rotation.newest]: SECRETS })
  await readAll(process)
  expect(process.encrypt('secret', 'row')).toContain(`.${rotation.newest}.`)
  expect((await stat(join(dataDir, 'secret-keys'))).mode & 0o777).toBe(0o600)
})

test('however many secrets there are, a statement reads a hundred', async () => {
  const asked = vi.spyOn(pool, 'query')
  const { newest } = await rotateSecrets(pool, settings())
  await expect(dropSecretKey(pool, settings(), newest)).rejects.toThrow()
  const answers = await Promise.all(asked.mock.results.map(({ value }) => value))
  expect(Math.max(...answers.map(({ rows }) => rows.length))).toBe(100)
})

test('a secret is bound to its place as before', async () => {
  await rotateSecrets(pool, settings())
  const keyring = await running()
  for (const column of sealedColumns) {
    const [one, other] = (await rowsOf(pool, column)) as [Record<string, string>, Record<string, string>]
    expect(() =>
      openSealed(keyring, column, { ...other, [column.column]: one[column.column] as string }),
    ).toThrow('cannot be decrypted')
  }
})

test('what is stored while it runs is not lost, and is never unreadable', async () => {
  const [process, writer] = [await running(), await running()]
  const [site] = sealedColumns as [SealedColumn]
  let over = false
  const reading = (async () => {
    while (!over) await readAll(process)
  })()
  const writing = (async () => {
    for (const row of await rowsOf(pool, site))
      await put(pool, site, row, sealFor(writer, site, row, secretOf(row)))
  })()
  const { newest } = await rotateSecrets(pool, settings())
  await writing
  over = true
  await reading
  const { [newest]: now } = await keysInUse(pool)
  expect(now).toBe(SECRETS)
})

test('a row that somebody is changing is waited for', async () => {
  const [site] = sealedColumns as [SealedColumn]
  const [row] = (await rowsOf(pool, site)) as [Record<string, string>]
  const client = await pool.connect()
  await client.query('BEGIN')
  await client.query('UPDATE site SET name = name WHERE id = $1', [row.id])
  const rotation = rotateSecrets(pool, settings())
  await expect.poll(() => keysInUse(pool)).toMatchObject({ [first]: OVER + 1 })
  await client.query('COMMIT')
  client.release()
  const { newest } = await rotation
  expect(await keysInUse(pool)).toEqual({ [first]: OVER, [newest]: SECRETS })
})

/** Another process, which has written a batch and stands still. */
async function midway(): Promise<ChildProcess> {
  const script = fileURLToPath(new URL('rotating-process.ts', import.meta.url))
  const child = spawn(process.execPath, ['--import', 'tsx', script, database.connectionString, dataDir])
  child.stderr.pipe(process.stderr)
  await once(child.stdout, 'data')
  return child
}

test('killed in the middle, everything can be read, no key may go, and the next finishes it with the same key', async () => {
  const child = await midway()
  await expect(rotateSecrets(pool, settings())).rejects.toMatchObject({ code: 'rotation_under_way' })
  child.kill('SIGKILL')
  await once(child, 'exit')
  const keyring = await running()
  const newest = keyring.newestId
  expect(await keysInUse(pool)).toEqual({ [first]: SECRETS + OVER - 100, [newest]: 100 })
  await readAll(keyring)
  await expect(dropSecretKey(pool, settings(), first)).rejects.toMatchObject({
    code: 'secret_key_needed',
    message: expect.stringContaining(`${SECRETS - 100} secrets can be read with it alone`),
  })
  expect(await rotateSecrets(pool, settings())).toMatchObject({ newest, made: false, secrets: SECRETS - 100 })
  expect((await running()).ids()).toEqual([newest, first])
})

test('a database that goes away in the midst loses nothing, and the next finishes it with the same key', async () => {
  const { connectionString } = database
  const own = openDatabase({ connectionString, poolSize: 2, log: createLog({ logLevel: 'silent' }) })
  const holder = await pool.connect()
  await holder.query('BEGIN; LOCK TABLE source IN SHARE MODE')
  const waiting = `FROM pg_stat_activity
    WHERE application_name = 'galley' AND datname = current_database() AND wait_event_type = 'Lock'`
  const cutOff = async () => (await pool.query(`SELECT pg_terminate_backend(pid) ${waiting}`)).rowCount
  const [done] = await Promise.allSettled([rotateSecrets(own.pool, settings()), expect.poll(cutOff).toBe(1)])
  holder.release(true)
  await own.close()
  expect(done).toMatchObject({
    reason: { code: 'database_lost', message: expect.stringContaining('it goes on where it ended') },
  })
  const keyring = await running()
  await readAll(keyring)
  const { newestId: newest } = keyring
  expect(await rotateSecrets(pool, settings())).toMatchObject({ newest, made: false })
  expect(await keysInUse(pool)).toEqual({ [first]: OVER, [newest]: SECRETS })
})

test('the old key goes when nothing needs it, and the new one never', async () => {
  const { newest } = await rotateSecrets(pool, settings())
  await expect(dropSecretKey(pool, settings(), newest)).rejects.toMatchObject({ code: 'secret_key_needed' })
  await expect(dropSecretKey(pool, settings(), 'other')).rejects.toMatchObject({ code: 'secret_key_unknown' })
  expect(await dropSecretKey(pool, settings(), first)).toBe(true)
  expect(await readFile(join(dataDir, 'secret-keys'), 'utf8')).not.toContain(first)
  const keyring = await running()
  expect(keyring.ids()).toEqual([newest])
})

test('a secret that no key reads is named, and neither lost nor in the way', async () => {
  const [site] = sealedColumns as [SealedColumn]
  const [row, other] = (await rowsOf(pool, site)) as [Record<string, string>, Record<string, string>]
  const damaged = `v2.${first}.${'A'.repeat(16)}.${'A'.repeat(40)}`
  await put(pool, site, row, damaged)
  expect(await rotateSecrets(pool, settings())).toMatchObject({
    secrets: SECRETS - 1,
    unreadable: [`application_password of the site ${row.id}`],
  })
  expect((await rowsOf(pool, site))[0]?.application_password).toBe(damaged)
  expect((await rowsOf(pool, site))[1]).toMatchObject({ id: other.id })
  expect(await rotateSecrets(pool, settings())).toMatchObject({ made: true })
})

test('keys of GALLEY_SECRET_KEYS are the operator’s: the first is taken, and none is made', async () => {
  const old = await readFile(join(dataDir, 'secret-keys'), 'utf8')
  const external = (secretKeys: string) => ({ secretKeys, dataDir })
  await expect(rotateSecrets(pool, external(old))).rejects.toMatchObject({ code: 'rotation_key_needed' })
  const both = external(`${generateSecretKey()},${old}`)
  const { newest, made } = await rotateSecrets(pool, both)
  expect(both.secretKeys).toMatch(new RegExp(`^${newest}:`))
  expect(made).toBe(false)
  expect(await dropSecretKey(pool, both, first)).toBe(false)
  expect(await readFile(join(dataDir, 'secret-keys'), 'utf8')).toBe(old)
})
