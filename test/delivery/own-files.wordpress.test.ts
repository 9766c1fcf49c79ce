import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Pool } from 'pg'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { createStorage } from '../../src/generation/storage/storage.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { png } from '../support/files.ts'
import { removeSitesOf, settled, startTestGalley, type TestGalley, webhookPath } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { findMedia, type RestItem, removePosts, rest, wordpress } from '../support/wordpress/index.ts'
import { wav } from '../wordpress/files.ts'

let database: FreshDatabase
let dataDir: string
let pool: Pool
let galley: TestGalley
let webhook: string
let siteId: string
let accountId: string
const posts = new Set<number>()

beforeAll(async () => {
  const { url, users } = wordpress()
  database = await freshDatabase()
  dataDir = await mkdtemp(join(tmpdir(), 'galley-own-files-'))
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  // The site alone may be reached: Galley's own address, on loopback as well, may not.
  galley = await startTestGalley({ dataDir, allowPrivate: [new URL(url).host] }, database)
  webhook = await webhookPath(galley)
  const { login, applicationPassword } = users.editor
  await removeSitesOf(galley, login)
  const { status, body } = await galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    url,
    username: login,
    application_password: applicationPassword,
  })
  expect(status).toBe(201)
  siteId = body.id
  accountId = (await pool.query('SELECT account_id FROM site')).rows[0].account_id
})

afterEach(async () => {
  await removePosts(posts)
  posts.clear()
})

afterAll(async () => {
  await galley.stop()
  await pool.end()
  await database.drop()
  await rm(dataDir, { recursive: true, force: true })
})

/** Keeps a file as a job of this Galley would; resolves with its address on loopback. */
async function keep(type: string, extension: string, body: Buffer): Promise<string> {
  const storage = createStorage({ pool, dataDir, publicUrl: () => galley.url, days: 30 })
  const { url } = await storage.keep({ accountId, type, extension, body, served: true })
  expect(url).toMatch(/^http:\/\/127\.0\.0\.1:\d+\/files\//)
  return url as string
}

const documentWith = (url: string, audio?: string) => {
  const blocks = [{ type: 'image', url, alt: 'A harbour', image_type: 'photograph' }]
  const body = completed({ siteId, featured_image: url, blocks })
  const narration = { url: audio, duration: '0 min 1 sec', character_count: 10, format: 'wav' }
  return { ...body, data: { ...(body.data as object), ...(audio !== undefined && { audio: narration }) } }
}

async function deliver(body: { id: string }) {
  const answer = await galley.call('POST', webhook, body)
  expect(answer.status).toBe(202)
  const delivery = await settled(galley, body.id)
  if (delivery.post) posts.add(delivery.post.id)
  return delivery
}

test('a picture and a narration at our own loopback address stand in the library, though no request may go there', async () => {
  const picture = png(320, 200, [20, 60, 120])
  const url = await keep('image/png', 'png', picture)
  const delivery = await deliver(documentWith(url, await keep('audio/wav', 'wav', wav())))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  const media = await findMedia(`parent=${delivery.post?.id}`)
  expect(media.map(({ mime_type }) => mime_type).sort()).toEqual(['audio/wav', 'image/png'])
  const shown = media.find(({ mime_type }) => mime_type === 'image/png')
  const uploaded = Buffer.from(await (await fetch(shown?.source_url as string)).arrayBuffer())
  expect(uploaded.equals(picture)).toBe(true)
  const post = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${delivery.post?.id}?context=edit`)
  expect(post.featured_media).toBe(shown?.id)
  expect(JSON.stringify(post.content)).not.toContain(galley.url)
})

test('a preview looks at it in the same way', async () => {
  const url = await keep('image/png', 'png', png(320, 200, [20, 60, 120]))
  const { data } = documentWith(url)
  const { status, body } = await galley.call('POST', `/v1/sites/${siteId}/preview`, {
    data,
    delivery: { post_status: 'draft' },
  })
  expect(status).toBe(200)
  expect(body).toMatchObject({ data: { uploads: [{ url, mime_type: 'image/png' }], warnings: [] } })
})

test('one that is not kept any more is missing, as at any other address, and the post stands without it', async () => {
  const url = await keep('image/png', 'png', png(320, 200, [20, 60, 120]))
  await pool.query(`UPDATE stored_file SET expires_at = now() - interval '1 second'`)
  const delivery = await deliver(documentWith(url))
  expect(delivery).toMatchObject({
    status: 'delivered',
    warnings: [{ code: 'picture_left_out', message: expect.stringContaining('Galley keeps it no longer') }],
  })
})

test('an address of this machine that is not one of its files stays closed', async () => {
  const url = `${galley.url.replace('127.0.0.1', '127.0.0.2')}/files/${'0'.repeat(48)}.png`
  const delivery = await deliver(documentWith(url))
  expect(delivery.warnings).toMatchObject([
    { code: 'picture_left_out', message: expect.stringContaining('not a public address') },
  ])
})

test('a file larger than the site takes is too big', async () => {
  const url = await keep('image/png', 'png', Buffer.concat([png(8, 8, [1, 2, 3]), Buffer.alloc(200_000)]))
  await galley.call('PATCH', `/v1/sites/${siteId}`, { settings: { max_picture_bytes: 100_000 } })
  const delivery = await deliver(documentWith(url))
  expect(delivery.warnings).toMatchObject([{ code: 'picture_left_out', severity: 'loss' }])
})
