import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest'
import { FOLLOWED_DAYS, followHourly, followPosts } from '../../src/delivery/follow/follow.ts'
import { lowestUuidAt } from '../../src/lib/uuid.ts'
import { createOutbound } from '../../src/outbound/outbound.ts'
import { loadSite } from '../../src/sites/health/load-site.ts'
import { startApp, type TestApp } from '../http/app.ts'
import { type HostileSite, RawResponse, startHostileSite } from '../support/hostile-site.ts'

// What becomes of posts: which are read, when, by how many requests, and what is said of it. What WordPress answers is real in
// follow.wordpress.test.ts.

let app: TestApp
let site: HostileSite
let siteId: string
let outbound: ReturnType<typeof createOutbound>
const DAY_MS = 24 * 60 * 60_000
const LEFT = '2026-11-01T08:00:00'
const now = new Date('2026-11-28T12:00:00Z')

beforeAll(async () => {
  app = await startApp()
  outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/test' })
  site = await startHostileSite()
  const body = { url: site.url, username: 'ed', application_password: 'abcd EFGH 1234 abcd EFGH 1234' }
  siteId = (await app.ask('POST', '/v1/sites?check=false', { body })).body.id
  await pool().query(
    `INSERT INTO receiver (id, account_id, kind, name, url, events, site_ids, labels)
     VALUES (gen_random_uuid(), $1, 'webhook', 'Desk', 'https://desk.example/', '{post.published,post.trashed,post.schedule_missed}', '{}', '{}')`,
    [app.owner.id],
  )
})
afterAll(async () => {
  await outbound.close()
  await site.close()
  await app.stop()
})

const pool = () => app.database.pool

beforeEach(async () => {
  await pool().query('TRUNCATE delivery, notification CASCADE')
  await pool().query('DELETE FROM graphile_worker._private_jobs')
  await pool().query(
    'UPDATE site SET trouble = NULL, paused_until = NULL, stopped_at = NULL, followed_at = now()',
  )
  standing.clear()
  revisions.clear()
  site.received.length = 0
  site.lie({
    posts: (_, { url }) => {
      const ids = new URL(url, site.url).searchParams.get('include')?.split(',') ?? []
      return ids.flatMap((id) => standing.get(Number(id)) ?? [])
    },
    nothing: (_, { route }) => revisions.get(Number(/posts\/(\d+)\/revisions/.exec(route)?.[1])) ?? [],
    users: () => [{ id: 7, name: 'Ben Editor', slug: 'ben' }],
  })
})

/** Posts of the site as its list answers them, and their newest revisions. */
const standing = new Map<number, object>()
const revisions = new Map<number, object[]>()

interface Stored {
  status?: string
  postStatus?: string
  ageDays?: number
  seenAt?: Date
  warnings?: object[]
  error?: object
}

let lastPost = 0

/** A delivery whose post stands as Galley left it. */
async function delivered(stored: Stored = {}, now_ = now) {
  const {
    status = 'delivered',
    postStatus = 'draft',
    ageDays = 1,
    seenAt = null,
    warnings = [],
    error,
  } = stored
  lastPost += 1
  const id = lowestUuidAt(now_.getTime() - ageDays * DAY_MS).slice(0, 24) + randomUUID().slice(24)
  await pool().query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, title, status, post_id, post_type, post_status,
       post_url, post_seen_at, answered, warnings, error)
     VALUES ($1, $2, $3, gen_random_uuid(), gen_random_uuid(), 'Tides', $4, $5, 'posts', $6, 'https://blog.example/?p=1', $7,
       jsonb_build_object('modifiedGmt', $8::text), $9, $10)`,
    [id, app.owner.id, siteId, status, lastPost, postStatus, seenAt, LEFT, JSON.stringify(warnings), error],
  )
  stands(lastPost, { status: postStatus })
  return { id, post: lastPost }
}

const stands = (id: number, more: object = {}) =>
  standing.set(id, {
    ...{ id, status: 'draft', link: `${site.url}/${id}/`, modified_gmt: LEFT, date_gmt: LEFT },
    ...more,
  })

const context = (at = now) => ({
  pool: pool(),
  log: pino({ level: 'silent' }),
  load: (one: { accountId: string; id: string }) =>
    loadSite({ pool: pool(), keyring: app.keyring, outbound }, one),
  now: () => at,
})

const follow = (requests = 30, at = now, deliveryId: string | null = null) =>
  followPosts(context(at), { accountId: app.owner.id, siteId, requests, deliveryId })

const asked = () => site.received.map(({ url }) => new URL(url, site.url))
const includedPosts = () =>
  asked().flatMap(({ searchParams }) => searchParams.get('include')?.split(',').map(Number) ?? [])

const read = async (id: string) => (await app.ask('GET', `/v1/deliveries/${id}`)).body.data

const told = async () => {
  const { rows } = await pool().query(
    `SELECT convert_from(body, 'UTF8')::json AS body FROM notification ORDER BY id`,
  )
  return rows.map(({ body }) => body)
}

test('250 posts are read by three requests, and an unchanged one says when it was seen', async () => {
  const all = []
  for (let n = 0; n < 250; n += 1) all.push(await delivered())
  await follow()
  expect(site.received).toHaveLength(3)
  expect(asked().map(({ searchParams }) => searchParams.get('per_page'))).toEqual(['100', '100', '100'])
  expect(new Set(includedPosts()).size).toBe(250)
  const { post, timeline } = await read(all[0]?.id as string)
  expect(post).toMatchObject({
    status: 'draft',
    modified_at: null,
    modified_by: null,
    seen_at: expect.any(String),
  })
  expect(timeline).toEqual([])
})

test('a published post says by whom, in the answer, the timeline and the outcome', async () => {
  const { id, post } = await delivered()
  const changed = { status: 'publish', modified_gmt: '2026-11-28T10:00:00', date_gmt: '2026-11-28T10:00:00' }
  stands(post, changed)
  revisions.set(post, [{ author: 7, date_gmt: '2026-11-28T10:00:00' }])
  await follow()
  const published = {
    ...{ id: post, status: 'publish', url: `${site.url}/${post}/`, modified_by: 'Ben Editor' },
    ...{ modified_at: '2026-11-28T10:00:00.000Z', publish_at: '2026-11-28T10:00:00.000Z' },
  }
  const delivery = await read(id)
  expect(delivery.post).toMatchObject(published)
  expect(delivery.timeline).toMatchObject([{ step: 'follow', outcome: 'published', detail: 'by Ben Editor' }])
  expect(await told()).toMatchObject([
    { event: 'post.published', data: { id, title: 'Tides', post: published } },
  ])
  await follow()
  expect(await told()).toHaveLength(1)
  expect((await read(id)).post).toMatchObject({ modified_by: 'Ben Editor' })
  expect(site.received.filter(({ route }) => route.endsWith('/revisions'))).toHaveLength(1)
})

test('a post that is published after its delivery is looked at as a visitor; what a look found meanwhile stays', async () => {
  const { id, post } = await delivered()
  const { id: draft } = await delivered()
  stands(post, { status: 'publish' })
  const found = [{ code: 'public_noindex', message: 'Not listed.', severity: 'change' }]
  site.lie({
    posts: async () => {
      await pool().query('UPDATE delivery SET warnings = $1', [JSON.stringify(found)])
      return [...standing.values()]
    },
  })
  await follow()
  const { rows } = await pool().query(
    'SELECT id, warnings FROM delivery WHERE public_check_at <= now() AND id = ANY ($1)',
    [[id, draft]],
  )
  expect(rows).toEqual([{ id, warnings: found }])
})

test('a revision that is older than the change names nobody', async () => {
  const { id, post } = await delivered({ postStatus: 'publish' })
  stands(post, { status: 'publish', modified_gmt: '2026-11-28T10:00:00' })
  revisions.set(post, [{ author: 7, date_gmt: LEFT }])
  await follow()
  const delivery = await read(id)
  expect(delivery.post).toMatchObject({ modified_at: '2026-11-28T10:00:00.000Z', modified_by: null })
  expect(delivery.timeline).toMatchObject([{ outcome: 'changed' }])
})

test('what is in the trash and then deleted is told once', async () => {
  const { id, post } = await delivered({ postStatus: 'publish' })
  stands(post, { status: 'trash', modified_gmt: '2026-11-28T10:00:00', link: `${site.url}/?p=${post}` })
  await follow()
  expect((await read(id)).post).toMatchObject({ status: 'trash', url: 'https://blog.example/?p=1' })
  standing.delete(post)
  await follow()
  expect((await read(id)).post).toMatchObject({ status: 'deleted', modified_at: null })
  expect((await told()).map(({ event }) => event)).toEqual(['post.trashed'])
  site.received.length = 0
  await follow()
  expect(site.received).toEqual([])
})

test('a post that the list lacks and this user may not see stays as it is known', async () => {
  const { id, post } = await delivered({ postStatus: 'publish' })
  standing.delete(post)
  site.posts.set(post, {})
  site.lie({
    posts: () => [],
    'posts/id': () => new RawResponse(403, '{"code":"rest_forbidden_context","message":"No."}'),
  })
  await follow()
  site.posts.clear()
  expect((await read(id)).post).toMatchObject({ status: 'publish', seen_at: expect.any(String) })
})

test('a missed schedule is a warning until the post is public, and is told once', async () => {
  const { id, post } = await delivered({ postStatus: 'future' })
  const due = { status: 'future', date_gmt: '2026-11-28T09:00:00' }
  stands(post, due)
  await follow(30, new Date('2026-11-28T09:03:00Z'))
  expect((await read(id)).warnings).toEqual([])
  await follow()
  await follow()
  const missed = { code: 'schedule_missed', severity: 'change', message: expect.stringContaining('WP-Cron') }
  expect(await read(id)).toMatchObject({
    warnings: [missed],
    post: { status: 'future', publish_at: '2026-11-28T09:00:00.000Z' },
    timeline: [{ step: 'follow', outcome: 'schedule_missed' }],
  })
  expect(await told()).toMatchObject([{ event: 'post.schedule_missed', data: { id, warnings: [missed] } }])
  const { body } = await app.ask('GET', '/v1/deliveries?warning=schedule_missed')
  expect(body.data).toHaveLength(1)
  stands(post, { ...due, status: 'publish' })
  await follow()
  expect(await read(id)).toMatchObject({ warnings: [], post: { status: 'publish', modified_at: null } })
})

test('a claim that came meanwhile is not written over', async () => {
  const { id, post } = await delivered()
  stands(post, { status: 'publish' })
  const answer = standing.get(post)
  site.lie({
    async posts() {
      await pool().query('UPDATE delivery SET fence = fence + 1 WHERE id = $1', [id])
      return [answer]
    },
  })
  await follow()
  expect((await read(id)).post).toMatchObject({ status: 'draft', seen_at: null })
})

test.each([
  ['waits for its next attempt', { status: 'queued' }],
  ['is held', { status: 'held', error: { code: 'process_ended', message: 'Ended.', step: 'withdraw' } }],
])('what a delivery wrote before its process ended is nobody’s change while it %s', async (_, stored) => {
  const { id, post } = await delivered({ postStatus: 'publish', ...stored })
  stands(post, { status: 'trash', modified_gmt: '2026-11-28T10:00:00' })
  await follow()
  expect(await read(id)).toMatchObject({ post: { status: 'publish', modified_at: null }, timeline: [] })
  expect(await told()).toEqual([])
})

test('old posts are left alone, but for those that are not final', async () => {
  const old = FOLLOWED_DAYS + 1
  await delivered({ postStatus: 'publish', ageDays: old })
  const draft = await delivered({ postStatus: 'draft', ageDays: old })
  const scheduled = await delivered({ postStatus: 'future', ageDays: old })
  const recent = await delivered({ postStatus: 'publish', ageDays: FOLLOWED_DAYS - 1 })
  await follow()
  expect(includedPosts().sort()).toEqual([draft, scheduled, recent].map(({ post }) => post).sort())
})

test('with few requests those come first that were seen longest ago', async () => {
  const seen = []
  for (let n = 0; n < 120; n += 1) seen.push(await delivered({ seenAt: new Date(now.getTime() + n * 1000) }))
  const unseen = await delivered()
  await follow(2)
  expect(includedPosts()).toHaveLength(100)
  expect(includedPosts().slice(0, 2)).toEqual([unseen.post, seen[0]?.post])
  site.received.length = 0
  await follow(2, now, seen[119]?.id)
  expect(includedPosts()[0]).toBe(seen[119]?.post)
})

test('a site that is down is left alone, and one that fails meanwhile stays as it is', async () => {
  const { id } = await delivered()
  site.lie({ posts: () => new RawResponse(503, 'Down') })
  await follow()
  expect((await read(id)).post.seen_at).toBeNull()
  const { rows } = await pool().query('SELECT trouble FROM site')
  expect(rows).toEqual([{ trouble: null }])
  site.received.length = 0
  await pool().query(
    `UPDATE site SET trouble = '{"code": "site_down"}', paused_until = now() + interval '1 hour'`,
  )
  await follow()
  expect(site.received).toEqual([])
})

const jobs = async () => {
  const { rows } = await pool().query(
    `SELECT payload FROM graphile_worker._private_jobs j JOIN graphile_worker._private_tasks t ON t.id = j.task_id
     WHERE t.identifier = 'follow_posts'`,
  )
  return rows.map(({ payload }) => payload)
}

const lookedAt = (ago: string) => pool().query(`UPDATE site SET followed_at = now() - $1::interval`, [ago])

test('each site that works and has posts is looked at hourly', async () => {
  await delivered({}, new Date())
  await lookedAt('59 minutes')
  await followHourly(pool())
  expect(await jobs()).toEqual([])
  await lookedAt('61 minutes')
  await pool().query(`UPDATE site SET trouble = '{"code": "site_down"}'`)
  await followHourly(pool())
  await pool().query('UPDATE site SET trouble = NULL, stopped_at = now()')
  await followHourly(pool())
  expect(await jobs()).toEqual([])
  await pool().query('UPDATE site SET stopped_at = NULL')
  await followHourly(pool())
  await followHourly(pool())
  expect(await jobs()).toEqual([{ accountId: app.owner.id, siteId, requests: 30, deliveryId: null }])
})

test('a site without posts is sent nothing', async () => {
  await lookedAt('61 minutes')
  await followHourly(pool())
  expect(await jobs()).toEqual([])
})

test('a visit to the page has it looked at at once, by three requests a minute at most; a program does not', async () => {
  const { id } = await delivered({}, new Date())
  const { headers } = await app.ask('POST', '/v1/session')
  const cookie = headers.getSetCookie()[0]?.replace(/;.*/, '') as string
  const visit = (path: string) =>
    app.ask('GET', path, { key: undefined, headers: { cookie, 'sec-fetch-site': 'same-origin' } })
  await lookedAt('130 seconds')
  await read(id)
  expect(await jobs()).toEqual([])
  await visit(`/v1/deliveries/${id}`)
  expect(await jobs()).toMatchObject([{ siteId, requests: 6, deliveryId: id }])
  await pool().query('DELETE FROM graphile_worker._private_jobs')
  await lookedAt('50 seconds')
  await visit(`/v1/deliveries/${id}`)
  await visit(`/v1/sites/${siteId}`)
  expect(await jobs()).toEqual([])
  await lookedAt('70 seconds')
  await visit(`/v1/sites/${siteId}`)
  expect(await jobs()).toMatchObject([{ siteId, requests: 3 }])
})

test('posts that wait for review are counted by site, and found', async () => {
  const other = randomUUID()
  const drafts = [await delivered(), await delivered({ postStatus: 'pending' })]
  await delivered({ postStatus: 'publish' })
  await delivered({ status: 'failed' })
  const { id } = await delivered()
  await pool().query('UPDATE delivery SET site_id = $1 WHERE id = $2', [other, id])
  const { name } = (await app.ask('GET', `/v1/sites/${siteId}`)).body.data
  const { body } = await app.ask('GET', '/v1/deliveries/counts')
  expect(body.data.review).toEqual({
    ...{ posts: 3, sites: 2, more: false },
    by_site: [
      { id: siteId, name, count: 2 },
      { id: other, name: null, count: 1 },
    ],
  })
  const query = `status=delivered&post_status=draft&post_status=pending&site_id=${siteId}`
  const found = await app.ask('GET', `/v1/deliveries?${query}&total=true`)
  expect(found.body.total).toEqual({ count: 2, more: false })
  expect(found.body.data.map((one: { id: string }) => one.id).sort()).toEqual(
    drafts.map((one) => one.id).sort(),
  )
  const published = await app.ask('GET', '/v1/deliveries?post_status=publish')
  expect(published.body.data).toHaveLength(1)
})
