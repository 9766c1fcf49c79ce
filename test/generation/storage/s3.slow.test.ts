import { randomBytes } from 'node:crypto'
import { mkdtemp, readdir, rm } from 'node:fs/promises'
import { createServer } from 'node:http'
import { createRequire } from 'node:module'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { buffer } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { S3Settings } from '../../../src/generation/storage/blobs.ts'
import { removeExpired } from '../../../src/generation/storage/file-rows.ts'
import { createStorage } from '../../../src/generation/storage/storage.ts'
import { PUBLIC_URL, type StorageStage, startStorage } from './stage.ts'

interface S3rver {
  run(): Promise<AddressInfo>
  close(): Promise<void>
}

// It has no types of its own.
const Server: new (options: object) => S3rver = createRequire(import.meta.url)('s3rver')

let directory: string
let server: S3rver
let s3: S3Settings
let stage: StorageStage

beforeAll(async () => {
  directory = await mkdtemp(join(tmpdir(), 'galley-s3-'))
  server = new Server({
    directory,
    address: '127.0.0.1',
    port: 0,
    silent: true,
    vhostBuckets: false,
    configureBuckets: [{ name: 'pictures', configs: [] }],
  })
  const { port } = await server.run()
  s3 = {
    bucket: 'pictures',
    endpoint: `http://127.0.0.1:${port}`,
    region: 'us-east-1',
    credentials: { accessKeyId: 'S3RVER', secretAccessKey: 'S3RVER' },
    prefix: 'galley/',
  }
  stage = await startStorage({ s3 })
})

afterAll(async () => {
  await stage.stop()
  await server.close()
  await rm(directory, { recursive: true, force: true })
})

const keep = (body: Buffer | AsyncIterable<Buffer>) =>
  stage.storage.keep({ accountId: stage.accountId, type: 'image/png', extension: 'png', body, served: true })

/** What lies in the bucket, by its name. */
const lying = async () =>
  (await readdir(join(directory, 'pictures'), { recursive: true })).filter((name) => /_object$/.test(name))

/** What lies in the data folder. */
const inFolder = async () =>
  (await readdir(stage.dataDir, { recursive: true, withFileTypes: true })).filter((entry) => entry.isFile())

const other = (settings: Partial<S3Settings>) =>
  createStorage({
    pool: stage.database.pool,
    dataDir: stage.dataDir,
    publicUrl: () => PUBLIC_URL,
    days: 30,
    s3: { ...s3, ...settings },
  })

test('a file lies in the bucket, and not in the data folder', async () => {
  const body = randomBytes(300_000)
  const { token, url } = await keep(
    (async function* () {
      yield body.subarray(0, 100_000)
      yield body.subarray(100_000)
    })(),
  )
  expect(await stage.storage.read(token)).toEqual(body)
  expect(await inFolder()).toEqual([])
  expect((await lying()).filter((name) => name.startsWith('galley/'))).toHaveLength(1)
  // Whoever lists the bucket learns no address.
  expect((await lying()).join()).not.toContain(token)
  const served = await stage.storage.served(url?.split('/').at(-1) ?? '')
  const part = await served?.open({ start: 99_998, end: 100_003 })
  expect(part && (await buffer(part))).toEqual(body.subarray(99_998, 100_004))
})

test('an empty file is a file there too', async () => {
  const { token } = await keep(Buffer.alloc(0))
  expect(await stage.storage.read(token)).toEqual(Buffer.alloc(0))
})

test('a file whose time is over is gone from the bucket', async () => {
  const before = await lying()
  const expired = await keep(Buffer.from('expired'))
  expect(await lying()).toHaveLength(before.length + 1)
  await stage.database.pool.query(
    `UPDATE stored_file SET expires_at = now() - interval '1 second' WHERE token = $1`,
    [expired.token],
  )
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1, left: 0 })
  expect(await lying()).toEqual(before)
  await expect(stage.storage.read(expired.token)).rejects.toMatchObject({
    reason: 'STORAGE_FAILED',
    of: 'job',
  })
})

test('one that somebody else removed from the bucket is gone', async () => {
  const { token } = await keep(Buffer.from('x'))
  const { rows } = await stage.database.pool.query('SELECT key FROM stored_file WHERE token = $1', [token])
  await stage.storage.removeBlob(rows[0].key)
  await expect(stage.storage.read(token)).rejects.toMatchObject({ reason: 'STORAGE_FAILED', of: 'job' })
})

test('files that were kept in the data folder before are read and removed there', async () => {
  const { pool } = stage.database
  const folder = createStorage({ pool, dataDir: stage.dataDir, publicUrl: () => PUBLIC_URL, days: 30 })
  const { token } = await folder.keep({
    accountId: stage.accountId,
    type: 'image/png',
    extension: 'png',
    body: Buffer.from('older'),
    served: true,
  })
  expect(String(await stage.storage.read(token))).toBe('older')
  await pool.query(`UPDATE stored_file SET expires_at = now() - interval '1 second' WHERE token = $1`, [
    token,
  ])
  expect(await removeExpired(stage.storage)).toEqual({ removed: 1, left: 0 })
})

test('a store that breaks off in the middle of a file fails, and is asked again later', async () => {
  const breaking = createServer((request, response) => {
    request.resume().once('end', () => {
      if (request.method === 'PUT') return void response.end()
      response.writeHead(200, { 'Content-Length': 1_000 })
      response.write('the beginning', () => response.destroy())
    })
  })
  await new Promise<void>((resolve) => breaking.listen(0, '127.0.0.1', resolve))
  const storage = other({ endpoint: `http://127.0.0.1:${(breaking.address() as AddressInfo).port}` })
  const body = Buffer.alloc(1_000)
  const file = { accountId: stage.accountId, type: 'image/png', extension: 'png', served: true, body }
  const { token, url } = await storage.keep(file)
  const failure = { reason: 'STORAGE_FAILED', of: 'provider', action: 'retry' }
  await expect(storage.read(token)).rejects.toMatchObject(failure)
  const served = await storage.served(url.split('/').at(-1) ?? '')
  await expect(served?.open().then(buffer)).rejects.toMatchObject(failure)
  await new Promise((resolve) => breaking.close(resolve))
})

test.each<[string, Partial<S3Settings>]>([
  ['refuses the key', { credentials: { accessKeyId: 'OTHER', secretAccessKey: 'wrong' } }],
  ['has no such bucket', { bucket: 'nothing' }],
  ['is away', { endpoint: 'http://127.0.0.1:1' }],
])('a store that %s fails, names no secret, and leaves nothing behind', async (_, settings) => {
  const file = { accountId: stage.accountId, type: 'image/png', extension: 'png', served: true }
  const failed = other(settings).keep({ ...file, body: Buffer.from('x') })
  await expect(failed).rejects.toMatchObject({ reason: 'STORAGE_FAILED', of: 'provider', action: 'retry' })
  await expect(failed).rejects.not.toThrow(/wrong/)
  expect(await inFolder()).toEqual([])
})
