import { mkdtemp, readFile, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { pino } from 'pino'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { attachEmbedded } from '../../src/database/embedded/start.ts'
import { createLog } from '../../src/log/log.ts'
import { createBackup } from '../../src/operations/backup/backup.ts'
import { restore } from '../../src/operations/backup/restore.ts'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { type DocumentMaker, startDocuments } from '../faults/stage/documents.ts'
import { type Lane, openLane } from '../faults/stage/lane.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { discardDataDir, newDataDir } from '../support/database/data-folder.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { removeAll } from '../support/wordpress/index.ts'
import { read } from './posts.ts'

// A Galley with a PostgreSQL of its own is backed up while it runs, and another data folder is made of that.

const log = createLog({ logLevel: 'silent' })
const adminKey = createApiKey()
const embedded = (dataDir: string) => ({ databaseUrl: undefined, secretKeys: undefined, dataDir })

let folder: string
let first: string
let second: string
let documents: DocumentMaker
let galley: TestGalley | undefined
let lane: Lane | undefined
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-put-back-'))
  first = newDataDir()
  second = newDataDir()
  documents = await startDocuments()
})
afterEach(async () => {
  await removeAll(documents.word)
  await galley?.stop()
  await lane?.proxy.close()
  await documents.close()
  await discardDataDir(first)
  await discardDataDir(second)
  await rm(folder, { recursive: true })
})

async function start(dataDir: string): Promise<TestGalley> {
  galley = await startTestGalley({ ...embedded(dataDir), adminKey }, undefined, quickTiming)
  return galley
}

test('the restored one delivers with the keys of the first, and makes no second post', async () => {
  const { call } = await start(first)
  const pool = new Pool({ connectionString: await attachEmbedded(first, pino({ level: 'silent' })), max: 1 })
  lane = await openLane({ call, pool })
  await pool.end()
  const webhook = await webhookPath(galley as TestGalley)
  const deliver = async (document: { id: string; body: unknown }) => {
    await (galley as TestGalley).call('POST', webhook, document.body)
    return settled(galley as TestGalley, document.id)
  }
  const known = documents.make(lane.siteId, { post_status: 'publish' })
  const before = await deliver(known)
  const target = join(folder, 'backup')
  expect(await createBackup({ ...embedded(first), target, withKeys: true, log })).toMatchObject({
    hasKeys: true,
  })
  const forgotten = documents.make(lane.siteId, { post_status: 'publish' })
  const after = await deliver(forgotten)
  const posts = [await read(before.post?.id), await read(after.post?.id)]
  await galley?.stop()

  await restore({ ...embedded(second), source: target, log })
  const keys = join(second, 'secret-keys')
  expect(await readFile(keys)).toEqual(await readFile(join(first, 'secret-keys')))
  expect((await stat(keys)).mode & 0o777).toBe(0o600)
  await start(second)
  expect(await deliver(known)).toMatchObject({ status: 'delivered', post: { id: before.post?.id } })
  expect(await deliver(forgotten)).toMatchObject({ status: 'delivered', post: { id: after.post?.id } })
  expect([await read(before.post?.id), await read(after.post?.id)]).toEqual(posts)
  const anew = documents.make(lane.siteId)
  expect(await deliver(anew)).toMatchObject({ status: 'delivered', error: null })
})
