import { randomUUID } from 'node:crypto'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Lane } from '../faults/stage/lane.ts'
import { alter, type Fault } from '../support/proxy/index.ts'
import { findMedia, type RestItem, rest } from '../support/wordpress/index.ts'
import { postsOf } from './plugin-lane.ts'
import { read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage()
  lane = await stage.lane()
})

afterEach(() => lane.proxy.clear())

afterAll(() => stage.close())

/** The request reaches WordPress twice, as when another worker has sent it a moment earlier. */
const second: Fault = {
  name: 'sent twice',
  async apply({ forward, reply }) {
    await forward()
    reply(await forward())
  },
}

test('a reserve that finds its marker taken gives way: the first post is filled, the second is gone', async () => {
  const { siteId, proxy } = lane
  proxy.rule({ method: 'POST', path: '/wp/v2/posts' }, second)
  const document = stage.documents.make(siteId)
  const { status, post, timeline } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(timeline.map(({ outcome }) => outcome)).toContain('adopted')
  expect((await postsOf(document)).map(({ id }) => id)).toEqual([post?.id])
  const [removed, ...others] = proxy.requests.filter(({ method }) => method === 'DELETE')
  const id = Number(removed?.path.split('/').at(-1))
  expect(id).toBeGreaterThan(post?.id as number)
  expect(others).toEqual([])
  expect(timeline.filter(({ outcome }) => outcome === 'removed')).toMatchObject([
    { step: 'reserve', detail: `post ${id}, which was made a second time` },
  ])
})

/** The answer arrives when somebody else has taken the delivery over, and has made a post of its own. */
const takenOver = (post: 'still has its marker' | 'is filled'): Fault => ({
  name: 'taken over',
  async apply({ forward, reply }) {
    const theirs = post === 'is filled' ? 1 : JSON.parse((await forward()).body.toString()).id
    const answered = await forward()
    const { rows } = await stage.pool.query(
      `UPDATE delivery SET fence = fence + 1, post_id = $1, status = 'cancelled', due_at = NULL
       WHERE status = 'delivering' RETURNING id`,
      [theirs],
    )
    expect(rows).toHaveLength(1)
    reply(answered)
  },
})

for (const state of ['is filled', 'still has its marker'] as const)
  test(`a worker that was taken over removes the post it made too late, where that of the other ${state}`, async () => {
    const { siteId, proxy } = await stage.lane()
    proxy.rule({ method: 'POST', path: '/wp/v2/posts' }, takenOver(state))
    const document = stage.documents.make(siteId)
    await stage.send(document)
    const told = async () => {
      const { rows } = await stage.pool.query<{ detail: string; post_id: number }>(
        `SELECT s.detail, d.post_id FROM delivery_step s JOIN delivery d ON d.id = s.delivery_id
         WHERE d.document_id = $1 AND s.outcome = 'removed'`,
        [document.id],
      )
      return rows
    }
    await expect.poll(told).toHaveLength(1)
    const [{ detail, post_id: theirs } = { detail: '', post_id: 0 }] = await told()
    const removed = proxy.requests.filter(({ method }) => method === 'DELETE')
    expect(removed.map(({ path }) => `post ${path.split('/').at(-1)}`)).toEqual([detail.split(',')[0]])
    expect((await postsOf(document)).map(({ id }) => id)).toEqual(state === 'is filled' ? [] : [theirs])
  })

test('an upload that finds its marker taken gives way as well', async () => {
  const { siteId, proxy } = lane
  proxy.rule({ method: 'POST', path: '/wp/v2/media' }, second)
  const document = stage.documents.make(siteId)
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  const pictures = await findMedia(`parent=${post?.id}`)
  expect(pictures).toHaveLength(1)
  const { content } = await rest<RestItem>('administrator', 'GET', `/wp/v2/posts/${post?.id}?context=edit`)
  expect((content as { raw: string }).raw).toContain(`wp-image-${pictures[0]?.id}"`)
})

test('what somebody else has under the marker, where the connected user may not look, holds the delivery', async () => {
  const { siteId } = await stage.lane('author')
  const document = stage.documents.make(siteId)
  const slug = await stage.markerOf(siteId, document.id)
  await rest('administrator', 'POST', '/wp/v2/posts', { title: document.title, slug, status: 'draft' })
  expect(await stage.deliver(document)).toMatchObject({
    status: 'held',
    error: { code: 'marker_taken', step: 'reserve' },
  })
  expect((await postsOf(document)).map((post) => post.slug)).toEqual([slug])
})

test('an answer that names the draft of another document with the same title leaves that one alone', async () => {
  const { siteId, proxy } = await stage.lane('administrator')
  const document = stage.documents.make(siteId)
  const slug = await stage.markerOf(siteId, randomUUID())
  const other = await rest<RestItem>('administrator', 'POST', '/wp/v2/posts?context=edit', {
    title: document.title,
    slug,
    status: 'draft',
  })
  const mistaken = alter('the answer of another', (reply) => ({
    ...reply,
    body: Buffer.from(JSON.stringify(other)),
  }))
  proxy.rule({ method: 'POST', path: '/wp/v2/posts' }, mistaken)
  const { status, post } = await stage.deliver(document)
  expect(status).toBe('delivered')
  expect(post?.id).not.toBe(other.id)
  expect(await read(other.id)).toMatchObject({ slug, status: 'draft', content: { raw: '' } })
  expect(proxy.requests.filter(({ method }) => method === 'DELETE')).toEqual([])
})
