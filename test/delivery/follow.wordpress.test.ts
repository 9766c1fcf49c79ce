import { afterAll, beforeAll, expect, test } from 'vitest'
import { followVisited } from '../../src/delivery/follow/follow.ts'
import type { DeliveryData } from '../support/galley.ts'
import { type Role, rest } from '../support/wordpress/index.ts'
import { laneWith } from './plugin-lane.ts'
import { deliverFirst, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'
import { asAdministrator } from './with-plugin.ts'

// What became of posts after they were delivered, on real WordPress.

let stage: DeliveryStage
let accountId: string
let siteId: string
let requests: { method: string; path: string }[]

beforeAll(async () => {
  stage = await startStage()
  const lane = await stage.lane('editor')
  siteId = lane.siteId
  requests = lane.proxy.requests as typeof requests
  const { rows } = await stage.pool.query('SELECT account_id FROM site')
  accountId = rows[0].account_id
})
afterAll(() => stage.close())

type Followed = DeliveryData & { post: Record<string, unknown> | null }

/** As though the site's posts were last looked at an hour ago, and somebody came to see it. */
async function follow(deliveryId: string, at = siteId): Promise<Followed> {
  await stage.pool.query(`UPDATE site SET followed_at = now() - interval '1 hour' WHERE id = $1`, [at])
  await stage.pool.query('UPDATE delivery SET post_seen_at = NULL WHERE id = $1', [deliveryId])
  await followVisited(stage.pool, { accountId, id: at })
  const delivery = async () =>
    (await stage.galley.call<{ data: Followed }>('GET', `/v1/deliveries/${deliveryId}`)).body.data
  await expect.poll(async () => (await delivery()).post?.seen_at).not.toBeNull()
  return delivery()
}

/** Times of WordPress have no fractions: what changes in the second in which Galley wrote is not told from that. */
async function afterItsSecond(id: number | undefined): Promise<void> {
  const written = Date.parse(`${(await read(id)).modified_gmt}Z`)
  await expect.poll(() => Date.now() - written).toBeGreaterThanOrEqual(1_000)
}

const nameOf = async (role: Role): Promise<string> =>
  (await rest<{ name: string }>(role, 'GET', '/wp/v2/users/me')).name

/** Without the look that a visitor's eyes take at a post that has just become public. */
const linesOf = ({ timeline }: DeliveryData) => timeline.filter(({ step }) => step !== 'public')
const lastLine = (delivery: DeliveryData) => linesOf(delivery).at(-1)

test('a post that stands as Galley left it says so, and is read together with the others', async () => {
  const deliveries = await Promise.all([deliverFirst(stage, siteId), deliverFirst(stage, siteId)])
  const [one] = deliveries
  requests.length = 0
  const followed = await follow(one.deliveryId)
  expect(followed.post).toMatchObject({ status: 'draft', modified_at: null, modified_by: null })
  expect(lastLine(followed)).toMatchObject({ step: 'deliver', outcome: 'delivered' })
  expect(requests.map(({ method }) => method)).toEqual(['GET'])
})

test('a draft that somebody rewrote and published names who did, when, and its address', async () => {
  const { deliveryId, post } = await deliverFirst(stage, siteId)
  await afterItsSecond(post?.id)
  await edit(post?.id, { status: 'publish', content: '<p>Anew</p>' })
  const followed = await follow(deliveryId)
  const { modified_gmt, date_gmt, link } = await read(post?.id)
  expect(followed.post).toMatchObject({
    status: 'publish',
    url: link,
    modified_by: await nameOf('administrator'),
    modified_at: `${modified_gmt}.000Z`,
    publish_at: `${date_gmt}.000Z`,
  })
  expect(lastLine(followed)).toMatchObject({ step: 'follow', outcome: 'published' })
  expect(linesOf(await follow(deliveryId))).toEqual(linesOf(followed))
})

test('who published a draft without a change of its text is not known: WordPress keeps no record of it', async () => {
  const { deliveryId, post } = await deliverFirst(stage, siteId)
  await afterItsSecond(post?.id)
  await edit(post?.id, { status: 'publish' })
  const { post: now } = await follow(deliveryId)
  expect(now).toMatchObject({ status: 'publish', modified_by: null, modified_at: expect.any(String) })
})

test('it is known where the site shows who edited a post last', async () => {
  const { siteId, url } = await laneWith(stage, 'edit-last')
  const { deliveryId, post } = await deliverFirst(stage, siteId)
  await afterItsSecond(post?.id)
  await asAdministrator(url, 'POST', `/wp/v2/posts/${post?.id}`, { status: 'publish' })
  const { post: now } = await follow(deliveryId, siteId)
  expect(now).toMatchObject({ status: 'publish', modified_by: await nameOf('administrator') })
})

test('a changed text names who changed it, and a newer version of the document ends that', async () => {
  const { deliveryId, post, next } = await deliverFirst(stage, siteId, { post_status: 'publish' })
  await afterItsSecond(post?.id)
  await edit(post?.id, { title: 'Another title' })
  const changed = await follow(deliveryId)
  expect(changed.post).toMatchObject({ status: 'publish', modified_by: await nameOf('administrator') })
  expect(lastLine(changed)).toMatchObject({
    outcome: 'changed',
    detail: `by ${await nameOf('administrator')}`,
  })
  await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { settings: { on_changed_post: 'overwrite' } })
  const newer = (await stage.deliver(next('second'))) as Followed
  expect(newer).toMatchObject({ status: 'delivered', post: { modified_at: null, modified_by: null } })
})

test('a post in the trash, one that was deleted, and one that was scheduled', async () => {
  const { deliveryId, post } = await deliverFirst(stage, siteId, { post_status: 'publish' })
  await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}`)
  const trashed = await follow(deliveryId)
  expect(trashed.post).toMatchObject({ status: 'trash', url: post?.url })
  expect(lastLine(trashed)).toMatchObject({ outcome: 'trashed' })
  await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
  const deleted = await follow(deliveryId)
  expect(deleted.post).toMatchObject({ status: 'deleted', modified_at: null })
  expect(lastLine(deleted)).toMatchObject({ outcome: 'deleted' })

  const other = await deliverFirst(stage, siteId)
  await edit(other.post?.id, { status: 'future', date_gmt: '2040-01-31T09:30:00' })
  expect((await follow(other.deliveryId)).post).toMatchObject({
    status: 'future',
    publish_at: '2040-01-31T09:30:00.000Z',
  })
})
