import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createLog } from '../../src/log/log.ts'
import { createBackup } from '../../src/operations/backup/backup.ts'
import { restore } from '../../src/operations/backup/restore.ts'
import { createApiKey, generateSecretKey } from '../../src/secrets/keyring.ts'
import { type FaultDocument, startDocuments } from '../faults/stage/documents.ts'
import { type Lane, openLane } from '../faults/stage/lane.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { emptyDatabase, type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { findMedia, type RestItem, removeAll, rest } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
import { edit, read } from './posts.ts'

// The database of a Galley is put back to a day before its deliveries, and the same webhooks come again.

const log = createLog({ logLevel: 'silent' })
const config = { secretKeys: generateSecretKey(), adminKey: createApiKey() }

let folder: string
let database: FreshDatabase
let galley: TestGalley
let webhook: string
let documents: Awaited<ReturnType<typeof startDocuments>>
let lane: Lane
let pool: Pool

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'galley-put-back-'))
  database = await freshDatabase()
  documents = await startDocuments()
  await start()
  webhook = await webhookPath(galley)
  lane = await openLane({ call: galley.call, pool }, { role: 'editor', settings: {} })
  await createBackup({ ...place(database), target: join(folder, 'backup'), withKeys: false, log })
})
afterAll(async () => {
  await removeAll(documents.word)
  await galley.stop()
  await pool.end()
  await lane.proxy.close()
  await documents.close()
  await database.drop()
  await rm(folder, { recursive: true })
})

const place = ({ connectionString }: FreshDatabase) => ({
  ...{ databaseUrl: connectionString, dataDir: join(folder, 'data'), secretKeys: config.secretKeys },
})

async function start(): Promise<void> {
  galley = await startTestGalley(config, database, quickTiming)
  pool = new Pool({ connectionString: database.connectionString, max: 1 })
}

/** Stops Galley, and starts it on what the backup from before every delivery holds. */
async function putBack(): Promise<void> {
  await galley.stop()
  await pool.end()
  await database.drop()
  database = await emptyDatabase()
  await restore({ ...place(database), source: join(folder, 'backup'), log })
  await start()
}

async function deliver(document: FaultDocument) {
  expect((await galley.call('POST', webhook, document.body)).status).toBe(202)
  return settled(galley, document.id)
}

const metaOf = ({ body }: FaultDocument): { slug?: string } =>
  (body.data as { content: { meta: { slug?: string } } }).content.meta

/** Delivered before the database was put back: each as it stood on the site then. */
const before = new Map<string, { document: FaultDocument; post: RestItem; files: RestItem[] }>()

const filesOf = async ({ alt }: FaultDocument): Promise<RestItem[]> =>
  (await findMedia(`search=${encodeURIComponent(alt)}`)).filter(({ alt_text }) => alt_text === alt)

/** Has a document delivered before the database is put back, and changed by a person where that is said. */
async function deliverBefore(name: string, document: FaultDocument, change?: (post: RestItem) => object) {
  const { id } = (await deliver(document)).post ?? {}
  const post = await read(id)
  before.set(name, {
    document,
    post: change === undefined ? post : await edit(id, change(post)),
    files: await filesOf(document),
  })
}

const stood = (name: string) => before.get(name) as NonNullable<ReturnType<typeof before.get>>

const addition = '\n\n<!-- wp:paragraph -->\n<p>Mine.</p>\n<!-- /wp:paragraph -->'
const kinds = [
  ['published', { post_status: 'publish', picture: true }],
  ['published, without a picture', { post_status: 'publish', picture: false }],
  ['a draft with a slug of its own', { post_status: 'draft', picture: true }],
] as const

/** One restore for all: each stops Galley, makes a database and starts Galley anew. */
beforeAll(async () => {
  const { siteId } = lane
  const plain = () => documents.make(siteId, { post_status: 'publish', picture: false })
  for (const [name, requested] of kinds) await deliverBefore(name, documents.make(siteId, requested))
  const untitled = plain()
  delete metaOf(untitled).slug
  await deliverBefore('no slug', untitled)
  const one = plain()
  const other = { ...one, id: crypto.randomUUID() }
  other.body = JSON.parse(JSON.stringify(one.body).replaceAll(one.id, other.id))
  await deliverBefore('one', one)
  await deliverBefore('other', other)
  await deliverBefore('another user', plain(), () => ({ author: 1 }))
  await deliverBefore('changed', documents.make(siteId, { post_status: 'publish' }), ({ content }) => ({
    content: `${(content as { raw: string }).raw}${addition}`,
  }))
  await putBack()
})

test.each(kinds)('%s: its post is found again, and there is no second one', async (name, requested) => {
  const { document, post, files } = stood(name)
  expect(await deliver(document)).toMatchObject({ status: 'delivered', post: { id: post.id } })
  expect(await postsOf(document)).toEqual([post])
  expect(await filesOf(document)).toEqual(files)
  const newer = documents.make(lane.siteId, { ...requested, version: 'second', of: document })
  expect(await deliver(newer)).toMatchObject({ status: 'delivered', post: { id: post.id } })
})

test('a title without a slug of its own is found by what WordPress makes of it', async () => {
  const { document, post } = stood('no slug')
  expect(await deliver(document)).toMatchObject({ status: 'delivered', post: { id: post.id } })
  expect(await postsOf(document)).toHaveLength(1)
})

test('two documents with the same text, both forgotten, have a post each again', async () => {
  const [one, other] = [stood('one'), stood('other')]
  const first = [one.post.id, other.post.id]
  expect(new Set(first).size).toBe(2)
  const second = [(await deliver(one.document)).post?.id, (await deliver(other.document)).post?.id]
  expect(second.sort()).toEqual(first.sort())
  expect(await postsOf(one.document)).toHaveLength(2)
})

test('a post of the same title and user that says something else is somebody’s, and stays beside it', async () => {
  const document = documents.make(lane.siteId, { post_status: 'publish', picture: false })
  const { slug } = metaOf(document)
  const person = await rest<RestItem>('editor', 'POST', '/wp/v2/posts?context=edit', {
    ...{ title: document.title, slug, status: 'publish', content: 'What I think of it.' },
  })
  const { status, post } = await deliver(document)
  expect(status).toBe('delivered')
  expect(post?.id).not.toBe(person.id)
  expect(await read(person.id)).toMatchObject({ slug, modified_gmt: person.modified_gmt })
  expect(await postsOf(document)).toHaveLength(2)
})

test('one of another user with the very same text stays beside it', async () => {
  const { document, post } = stood('another user')
  const again = await deliver(document)
  expect(again).toMatchObject({ status: 'delivered' })
  expect(again.post?.id).not.toBe(post.id)
  expect(await postsOf(document)).toHaveLength(2)
})

test('one that somebody has changed since is left as it is and held, and there is no second one', async () => {
  const { document, post } = stood('changed')
  expect(await deliver(document)).toMatchObject({
    ...{ status: 'held', error: { code: 'post_changed' }, post: { id: post.id } },
  })
  expect(await postsOf(document)).toEqual([post])
})
