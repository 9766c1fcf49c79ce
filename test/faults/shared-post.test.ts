import { randomUUID } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { findMediaHolder, hasCompetitor, isPostOfOtherDelivery } from '../../src/delivery/ledger/ownership.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// Whose a post is that stands on a site, where several deliveries may have it.

let database: FreshDatabase
let pool: Pool

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
})

afterAll(async () => {
  await pool.end()
  await database.drop()
})

interface Other {
  documentId: string
  /** The address of its site, as it is reached. */
  url: string
  /** Where its post is read; null where it has made one and not heard of it. */
  post: string | null
}

/** A delivery of an account of its own, under way, whose post has the number 7. @returns its id */
async function begin({ documentId, url, post }: Other): Promise<string> {
  const [id, accountId, siteId] = [randomUUID(), randomUUID(), randomUUID()]
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'test')`, [accountId])
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'test', $3, $3 || '/wp-json/', 'u', 'p', now())`,
    [siteId, accountId, url],
  )
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at, reserve_intent_at,
       post_type, post_id, post_url)
     VALUES ($1, $2, $3, $4, $4, 'delivering', now() + interval '1 hour', now(), 'posts',
       CASE WHEN $5::text IS NOT NULL THEN 7 END, $5)`,
    [id, accountId, siteId, documentId, post],
  )
  return id
}

/** What is said of post 7 of `https://one.test/blog` to a delivery that looks for its own there. */
async function saidBeside(other: Omit<Other, 'documentId'>) {
  const documentId = randomUUID()
  await pool.query('DELETE FROM delivery')
  await begin({ ...other, documentId })
  const id = await begin({ documentId, url: 'https://one.test/blog', post: null })
  const post = { id: 7, link: 'https://one.test/blog/?p=7' }
  return {
    isOfAnother: await isPostOfOtherDelivery(pool, id, post, 'posts'),
    mayBe: await hasCompetitor(pool, id, post, 'posts'),
  }
}

test.each([
  ['the site is reached at the same address', 'https://one.test/blog'],
  ['the site is reached at another host', 'https://alias.test'],
])('a post is that of another delivery where %s', async (_, url) => {
  expect(await saidBeside({ url, post: 'https://one.test/blog/title/' })).toEqual({
    isOfAnother: true,
    mayBe: true,
  })
})

test('a post may be that of another delivery which has made one and not heard of it', async () => {
  expect(await saidBeside({ url: 'https://one.test/blog', post: null })).toEqual({
    isOfAnother: false,
    mayBe: true,
  })
})

test.each([
  ['another site of its network', 'https://one.test/shop'],
  ['the first site of its network', 'https://one.test'],
])('the post of the same number on %s is another one', async (_, url) => {
  const nobodys = { isOfAnother: false, mayBe: false }
  expect(await saidBeside({ url, post: `${url}/title/` })).toEqual(nobodys)
  expect(await saidBeside({ url, post: null })).toEqual(nobodys)
})

test.each([
  ['another delivery has', 'other', 'm', 9, 'another'],
  ['another delivery may have uploaded', 'other', 'm', null, 'unknown'],
  ['another delivery uploads beside it', 'other', 'n', null, 'nobody'],
  ['this delivery has as another file', 'own', 'n', 9, 'another'],
  ['this delivery has', 'own', 'm', 9, 'nobody'],
  ['this delivery may have uploaded', 'own', 'm', null, 'nobody'],
] as const)('whose a file is that %s', async (_, whose, marker, mediaId, holder) => {
  const site = { documentId: randomUUID(), url: 'https://one.test/blog', post: null }
  await pool.query('DELETE FROM delivery')
  const deliveries = { other: await begin(site), own: await begin(site) }
  await pool.query(
    `INSERT INTO delivery_media (delivery_id, marker, source_url, intent_at, media_id)
     VALUES ($1, $2, 'https://files.test/9', now(), $3)`,
    [deliveries[whose], marker, mediaId],
  )
  const file = { id: 9, link: 'https://one.test/blog/file/' }
  expect(await findMediaHolder(pool, deliveries.own, file, 'm')).toBe(holder)
})
