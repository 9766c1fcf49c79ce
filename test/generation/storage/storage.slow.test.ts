import { spawn } from 'node:child_process'
import { createHash, randomBytes, randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { readdir, rm, truncate, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { buffer } from 'node:stream/consumers'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createStorage } from '../../../src/generation/storage/storage.ts'
import { PUBLIC_URL, type StorageStage, startStorage } from './stage.ts'

let stage: StorageStage
beforeAll(async () => {
  stage = await startStorage()
})
afterAll(() => stage.stop())

const keep = (body: Buffer | AsyncIterable<Buffer>, served = true) =>
  stage.storage.keep({ accountId: stage.accountId, type: 'image/png', extension: 'png', body, served })

const sha256 = (body: Buffer) => createHash('sha256').update(body).digest('hex')

/** Everything that lies in the data folder, by its path. */
const lying = async () =>
  (await readdir(stage.dataDir, { recursive: true, withFileTypes: true }))
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))

const nameOf = (url: string) => url.split('/').at(-1) ?? ''

/** Where its bytes lie. */
async function pathOf(token: string): Promise<string> {
  const { rows } = await stage.database.pool.query('SELECT key FROM stored_file WHERE token = $1', [token])
  const path = (await lying()).find((path) => path.endsWith(rows[0].key.split('/')[1]))
  expect(path).toBeDefined()
  return path as string
}

test('a file that is kept is there whole, at an address that nobody can guess', async () => {
  const body = randomBytes(300_000)
  const kept = await keep(body)
  expect(kept.url).toBe(`${PUBLIC_URL}/files/${kept.token}.png`)
  expect(kept.token).toMatch(/^[0-9a-f]{48}$/)
  expect(await stage.storage.read(kept.token)).toEqual(body)
  const served = await stage.storage.served(nameOf(kept.url))
  expect(served).toMatchObject({ type: 'image/png', bytes: 300_000, sha256: sha256(body) })
  expect(served?.expiresInMs).toBeGreaterThan(29 * 86_400_000)
  expect(served?.expiresInMs).toBeLessThanOrEqual(30 * 86_400_000)
})

test('a file comes in pieces, and goes in pieces and in parts', async () => {
  const pieces = [randomBytes(70_000), Buffer.alloc(0), randomBytes(3), randomBytes(200_000)]
  const { token, url } = await keep(
    (async function* () {
      yield* pieces
    })(),
  )
  const whole = Buffer.concat(pieces)
  expect(await stage.storage.read(token)).toEqual(whole)
  const served = await stage.storage.served(nameOf(url))
  const part = await served?.open({ start: 69_999, end: 70_004 })
  expect(part && (await buffer(part))).toEqual(whole.subarray(69_999, 70_005))
})

test('an empty file is a file', async () => {
  const { token } = await keep(Buffer.alloc(0))
  expect(await stage.storage.read(token)).toEqual(Buffer.alloc(0))
})

test('a body that breaks off leaves nothing, and says what broke it', async () => {
  const before = await lying()
  const broken = (async function* () {
    yield randomBytes(100_000)
    throw new Error('the provider hung up')
  })()
  await expect(keep(broken)).rejects.toThrow('the provider hung up')
  expect(await lying()).toEqual(before)
})

test('a file of a job alone is served at no address', async () => {
  const { token } = await keep(Buffer.from('a raw answer'), false)
  expect(await stage.storage.served(`${token}.png`)).toBeUndefined()
  expect(String(await stage.storage.read(token))).toBe('a raw answer')
})

test('a file is known by its own name alone', async () => {
  const { token } = await keep(Buffer.from('x'))
  for (const name of [
    token,
    `${token}.jpg`,
    `${token}.png.png`,
    `${token.toUpperCase()}.png`,
    '',
    '../x.png',
  ])
    expect(await stage.storage.served(name), name).toBeUndefined()
  expect(await stage.storage.served(`${randomBytes(24).toString('hex')}.png`)).toBeUndefined()
})

test('an address of ours is read from the store, and no other', async () => {
  const { url, token } = await keep(Buffer.from('ours'))
  const own = await stage.storage.own(url)
  expect(own && own !== 'gone' && String(await buffer(await own.open()))).toBe('ours')
  for (const gone of [`${token}.jpg`, `../files/x/${token}.png`, '', `${token}.png?size=1`])
    expect(await stage.storage.own(`${PUBLIC_URL}/files/${gone}`), gone).toBe('gone')
  const others = [
    `http://127.0.0.1:8081/files/${token}.png`,
    `https://127.0.0.1:8080/files/${token}.png`,
    `http://elsewhere.example/files/${token}.png`,
    `${PUBLIC_URL}/other/../files-/${token}.png`,
    `${PUBLIC_URL}/files`,
    `${PUBLIC_URL}@elsewhere.example/files/${token}.png`,
    'not an address',
    '',
  ]
  for (const other of others) expect(await stage.storage.own(other), other).toBeUndefined()
})

test('a path in the public address is part of every address', async () => {
  const { pool } = stage.database
  const publicUrl = () => 'https://example.com/galley'
  const storage = createStorage({ pool, dataDir: stage.dataDir, publicUrl, days: 0 })
  const { url } = await storage.keep({
    accountId: stage.accountId,
    type: 'audio/mpeg',
    extension: 'mp3',
    body: Buffer.from('x'),
    served: true,
  })
  expect(url).toMatch(/^https:\/\/example\.com\/galley\/files\/[0-9a-f]{48}\.mp3$/)
  expect(await storage.own(url)).toMatchObject({ type: 'audio/mpeg', expiresInMs: null })
  expect(await stage.storage.own(url)).toBeUndefined()
})

test('a file whose time is over is not served any more', async () => {
  const { token, url } = await keep(Buffer.from('old'))
  await stage.database.pool.query(
    `UPDATE stored_file SET expires_at = now() - interval '1 second' WHERE token = $1`,
    [token],
  )
  expect(await stage.storage.served(nameOf(url))).toBeUndefined()
  expect(await stage.storage.own(url)).toBe('gone')
})

test('a file that somebody else removed or cut is never taken for the file', async () => {
  const lost = await keep(Buffer.from('lost'))
  await rm(await pathOf(lost.token))
  await expect(stage.storage.read(lost.token)).rejects.toMatchObject({ reason: 'STORAGE_FAILED', of: 'job' })
  const cut = await keep(Buffer.from('cut in half'))
  await truncate(await pathOf(cut.token), 3)
  await expect(stage.storage.read(cut.token)).rejects.toMatchObject({ reason: 'STORAGE_FAILED' })
})

test('a folder that cannot be written to is the failure of the storage', async () => {
  const dataDir = join(stage.dataDir, 'a-file')
  await writeFile(dataDir, '')
  const storage = createStorage({ pool: stage.database.pool, dataDir, publicUrl: () => PUBLIC_URL, days: 30 })
  const file = { accountId: stage.accountId, type: 'image/png', extension: 'png', served: true }
  await expect(storage.keep({ ...file, body: Buffer.from('x') })).rejects.toMatchObject({
    reason: 'STORAGE_FAILED',
    of: 'provider',
    action: 'retry',
  })
})

test('whenever its process is killed, what was said to be kept is whole, and a row never names less', async () => {
  const { pool } = stage.database
  const { connectionString, dataDir, accountId } = stage
  const script = fileURLToPath(new URL('./keeps-files.ts', import.meta.url))
  const said: string[] = []
  for (let kill = 0; kill < 3; kill += 1) {
    const child = spawn(process.execPath, ['--import', 'tsx', script, connectionString, dataDir, accountId])
    const lines = createInterface({ input: child.stdout })
    let ofThis = 0
    for await (const token of lines) {
      said.push(token)
      ofThis += 1
      if (ofThis === 3 + kill) child.kill('SIGKILL')
    }
    if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
    expect(child.signalCode).toBe('SIGKILL')
  }
  expect(said.length).toBeGreaterThanOrEqual(12)
  const { rows } = await pool.query('SELECT token FROM stored_file WHERE bytes = 120000 AND served')
  expect(rows.map(({ token }) => token)).toEqual(expect.arrayContaining(said))
  for (const { token } of rows) expect(await stage.storage.read(token)).toHaveLength(120_000)
})

test('an account that is removed takes its files’ rows with it', async () => {
  const { pool } = stage.database
  const id = randomUUID()
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'Other')`, [id])
  const { token } = await stage.storage.keep({
    accountId: id,
    type: 'image/png',
    extension: 'png',
    body: Buffer.from('x'),
    served: true,
  })
  await pool.query('DELETE FROM account WHERE id = $1', [id])
  expect(await stage.storage.served(`${token}.png`)).toBeUndefined()
})
