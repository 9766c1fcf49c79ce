import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Lane } from '../faults/stage/lane.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import { answer, pages, resetAfter, restError } from '../support/proxy/index.ts'
import { rest } from '../support/wordpress/index.ts'
import { laneWith, postsOf } from './plugin-lane.ts'
import { contentOf, deliverFirst, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage({}, { picture: false })
  lane = await stage.lane()
})

afterEach(() => lane.proxy.clear())

afterAll(() => stage.close())

const published = (siteId: string) => deliverFirst(stage, siteId, { post_status: 'publish' })

type First = Pick<Awaited<ReturnType<typeof published>>, 'deliveryId' | 'document'>

const ask = (id: string, action: string, body: object = {}) =>
  stage.galley.call<{ data: DeliveryData }>('POST', `/v1/deliveries/${id}/${action}`, body)

async function withdraw(
  { deliveryId, document }: First,
  to: 'draft' | 'trash',
  force?: boolean,
): Promise<DeliveryData> {
  expect(await ask(deliveryId, 'withdraw', { to, force })).toMatchObject({
    status: 202,
    body: { data: { withdraw_to: to } },
  })
  return settled(stage.galley, document.id)
}

async function sendAgain({ deliveryId, document }: First): Promise<DeliveryData> {
  await ask(deliveryId, 'retry')
  return settled(stage.galley, document.id)
}

test.each(['draft', 'trash'] as const)(
  'a post that is withdrawn to the %s keeps its text, and sending it again publishes the same post at the same address',
  async (to) => {
    const { siteId } = lane
    const first = await published(siteId)
    const before = await read(first.post?.id)
    expect(await withdraw(first, to)).toMatchObject({
      status: 'withdrawn',
      withdraw_to: to,
      post: { id: first.post?.id, status: to },
      warnings: [],
      error: null,
    })
    expect(await read(first.post?.id)).toMatchObject({ status: to, content: before.content })
    expect(await sendAgain(first)).toMatchObject({
      status: 'delivered',
      withdraw_to: null,
      post: { id: first.post?.id, url: first.post?.url, status: 'publish' },
      warnings: [],
    })
    expect(await read(first.post?.id)).toMatchObject({ status: 'publish', slug: before.slug })
    expect(await postsOf(first.document)).toHaveLength(1)
  },
)

test('a newer version goes into the post that was withdrawn to the trash, and publishes it', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await withdraw(first, 'trash')
  expect(await stage.deliver(first.next('second'))).toMatchObject({
    status: 'delivered',
    post: { id: first.post?.id, status: 'publish' },
  })
  expect(await contentOf(first.post?.id)).toContain('The second version')
  expect(await postsOf(first.document)).toHaveLength(1)
})

test('a draft that was never filled comes out of the trash without the marker in its address', async () => {
  const { siteId, proxy } = lane
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  proxy.rule(
    { method: 'POST', path: /\/posts\/\d+$/ },
    answer(restError(400, 'rest_invalid_param', 'Invalid parameter(s): title')),
  )
  const failed = await stage.deliver(document)
  expect(failed).toMatchObject({ status: 'failed', post: { status: 'draft' } })
  proxy.clear()
  const first = { ...failed, deliveryId: failed.id, document }
  expect(await withdraw(first, 'trash')).toMatchObject({ status: 'withdrawn', post: { status: 'trash' } })
  expect(await sendAgain(first)).toMatchObject({
    status: 'delivered',
    post: { id: failed.post?.id, url: expect.stringContaining(stage.documents.word) },
    warnings: [],
  })
})

test('a post of which somebody changed its title is held, and stays public', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await edit(first.post?.id, { title: 'My own title' })
  for (const to of ['draft', 'trash'] as const) {
    expect(await withdraw(first, to)).toMatchObject({
      status: 'held',
      withdraw_to: to,
      error: {
        code: 'post_changed',
        step: 'withdraw',
        message: expect.stringContaining('so it was not withdrawn'),
      },
    })
    expect((await read(first.post?.id)).status).toBe('publish')
  }
})

test('a post that somebody changed is withdrawn where a person insists, and the change stays and is held later', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await edit(first.post?.id, { content: 'Mine.' })
  expect(await withdraw(first, 'trash')).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
  expect(await withdraw(first, 'trash', true)).toMatchObject({ status: 'withdrawn', error: null })
  expect(await read(first.post?.id)).toMatchObject({ status: 'trash' })
  expect(await contentOf(first.post?.id)).toContain('Mine.')
  expect(await sendAgain(first)).toMatchObject({ status: 'held', error: { code: 'post_changed' } })
})

test('who insists withdraws no other post that stands in the place of ours', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await edit(first.post?.id, { title: 'Another post', slug: 'another-post', content: 'Of somebody else.' })
  expect(await withdraw(first, 'trash', true)).toMatchObject({
    status: 'held',
    error: { code: 'post_replaced' },
  })
  expect((await read(first.post?.id)).status).toBe('publish')
})

test('a post that was withdrawn to the one place goes to the other', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  for (const to of ['trash', 'draft', 'trash'] as const)
    expect(await withdraw(first, to)).toMatchObject({ status: 'withdrawn', post: { status: to } })
  expect(await sendAgain(first)).toMatchObject({
    status: 'delivered',
    post: { id: first.post?.id, url: first.post?.url, status: 'publish' },
  })
})

test('a draft that its editor published without a change is withdrawn', async () => {
  const { siteId } = lane
  const first = await deliverFirst(stage, siteId)
  await edit(first.post?.id, { status: 'publish' })
  expect(await withdraw(first, 'draft')).toMatchObject({ status: 'withdrawn', post: { status: 'draft' } })
})

test('a post that somebody trashed is withdrawn to the draft already, and is restored when it is sent again', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await rest('administrator', 'DELETE', `/wp/v2/posts/${first.post?.id}`)
  expect(await withdraw(first, 'draft')).toMatchObject({ status: 'withdrawn', post: { status: 'trash' } })
  expect(await sendAgain(first)).toMatchObject({
    status: 'delivered',
    post: { id: first.post?.id, status: 'publish' },
  })
})

test('a post that Galley withdrew, sent again and a person then trashed stays in the trash', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await withdraw(first, 'trash')
  await sendAgain(first)
  await rest('administrator', 'DELETE', `/wp/v2/posts/${first.post?.id}`)
  expect(await sendAgain(first)).toMatchObject({ status: 'held', error: { code: 'post_trashed' } })
})

test('a post that was deleted is withdrawn with a warning, and is not made anew', async () => {
  const { siteId } = lane
  const first = await published(siteId)
  await rest('administrator', 'DELETE', `/wp/v2/posts/${first.post?.id}?force=true`)
  expect(await withdraw(first, 'trash')).toMatchObject({
    status: 'withdrawn',
    post: { status: 'deleted' },
    warnings: [{ code: 'post_missing', severity: 'note' }],
  })
  expect(await sendAgain(first)).toMatchObject({ status: 'held', error: { code: 'post_deleted' } })
  expect(await postsOf(first.document)).toEqual([])
})

test('a site without a trash is asked for a draft instead, and deletes nothing', async () => {
  const { siteId } = await laneWith(stage, 'no-trash')
  const first = await published(siteId)
  expect(await withdraw(first, 'trash')).toMatchObject({
    status: 'held',
    error: { code: 'trash_off', step: 'withdraw' },
  })
  expect((await read(first.post?.id)).status).toBe('publish')
  expect(await withdraw(first, 'draft')).toMatchObject({ status: 'withdrawn', post: { status: 'draft' } })
})

test('a withdrawal to either place whose answer is lost is found done', async () => {
  const { siteId, proxy } = lane
  for (const to of ['draft', 'trash'] as const) {
    const first = await published(siteId)
    const rule = {
      method: to === 'trash' ? 'DELETE' : 'POST',
      path: `/wp/v2/posts/${first.post?.id}`,
      nth: 1,
    }
    proxy.rule(rule, resetAfter)
    expect(await withdraw(first, to)).toMatchObject({
      status: 'withdrawn',
      post: { id: first.post?.id, status: to },
    })
    expect(await sendAgain(first)).toMatchObject({
      status: 'delivered',
      post: { id: first.post?.id, status: 'publish' },
      warnings: [],
    })
    expect(await postsOf(first.document)).toHaveLength(1)
  }
})

test('a restoration whose answer is lost goes on with the same post', async () => {
  const { siteId, proxy } = lane
  const first = await published(siteId)
  await withdraw(first, 'trash')
  proxy.rule({ method: 'POST', path: `/wp/v2/posts/${first.post?.id}`, nth: 1 }, resetAfter)
  expect(await sendAgain(first)).toMatchObject({
    status: 'delivered',
    post: { id: first.post?.id, status: 'publish' },
    warnings: [],
  })
})

test('a withdrawal waits while its site is down, says so, and goes on when it answers', async () => {
  const { siteId, proxy } = lane
  const first = await published(siteId)
  proxy.rule({}, answer(pages.badGateway))
  await ask(first.deliveryId, 'withdraw', { to: 'draft' })
  const shown = async () =>
    (await stage.galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${first.deliveryId}`)).body.data
  await expect
    .poll(shown)
    .toMatchObject({ status: 'waiting', withdraw_to: 'draft', stands: { waits_for: 'site' } })
  proxy.clear()
  expect(await settled(stage.galley, first.document.id)).toMatchObject({ status: 'withdrawn' })
})
