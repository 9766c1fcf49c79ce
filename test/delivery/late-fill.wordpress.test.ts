import { setTimeout as wait } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Lane } from '../faults/stage/lane.ts'
import { type Fault, pages, restError } from '../support/proxy/index.ts'
import { rest } from '../support/wordpress/index.ts'
import { contentOf, deliverFirst, edit, read } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// What people do to a post while a fill hangs: its repetition would leave long after anybody looked.

const fillWithinMs = 300
let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage({ fillWithinMs })
  lane = await stage.lane()
})

afterEach(() => lane.proxy.clear())

afterAll(() => stage.close())

const savedAndHangs = (meanwhile: () => Promise<unknown>): Fault => ({
  name: 'WordPress saves, a hook hangs, and the gateway gives up',
  async apply({ forward, reply }) {
    await forward()
    await meanwhile()
    await wait(2 * fillWithinMs)
    reply(pages.gatewayTimeout)
  },
})

const fillOf = (id: number | undefined) => ({ method: 'POST', path: `/wp/v2/posts/${id}`, nth: 1 })

test('an editor who saves while the fill hangs is not written over', async () => {
  const { siteId, proxy } = lane
  const { post, next } = await deliverFirst(stage, siteId)
  proxy.rule(
    fillOf(post?.id),
    savedAndHangs(() => edit(post?.id, { content: 'Mine.' })),
  )
  expect(await stage.deliver(next('second'))).toMatchObject({
    status: 'held',
    error: { code: 'post_changed' },
  })
  expect(await contentOf(post?.id)).toBe('Mine.')
})

test('a post that is put into the trash while the fill that publishes it hangs stays there', async () => {
  const { siteId, proxy } = lane
  const { post, next } = await deliverFirst(stage, siteId)
  proxy.rule(
    fillOf(post?.id),
    savedAndHangs(() => rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}`)),
  )
  expect(await stage.deliver(next('second', { post_status: 'publish' }))).toMatchObject({
    status: 'held',
    error: { code: 'post_trashed' },
  })
  expect(await read(post?.id)).toMatchObject({ status: 'trash' })
})

test('what nobody has touched while the fill hung is delivered, and no change of anybody', async () => {
  const { siteId, proxy } = lane
  const { post, next } = await deliverFirst(stage, siteId)
  proxy.rule(
    fillOf(post?.id),
    savedAndHangs(async () => undefined),
  )
  expect(await stage.deliver(next('second'))).toMatchObject({ status: 'delivered', warnings: [] })
  expect(await contentOf(post?.id)).toContain('The second version')
})

test('what a plugin made of a fill of which it refused a part is nobody’s change, however late it said so', async () => {
  const { siteId, proxy } = lane
  proxy.rule(
    { method: 'POST', path: /\/posts\/\d+$/, nth: 1 },
    {
      name: 'a plugin adds to the text, and will not have it published yet',
      async apply({ request, forward, reply }) {
        await forward()
        await edit(Number(/\d+$/.exec(request.path)?.[0]), { content: 'And an advertisement.' })
        await wait(2 * fillWithinMs)
        reply(restError(403, 'not_ready', 'A checklist is not done.'))
      },
    },
  )
  const delivery = await stage.deliver(stage.documents.make(siteId, { post_status: 'publish' }))
  expect(delivery).toMatchObject({ status: 'delivered', warnings: [] })
  expect(await contentOf(delivery.post?.id)).not.toContain('advertisement')
})

test('a fill that cannot leave in time is preceded by a look, and given more time after each', async () => {
  const hurried = await startStage({ fillWithinMs: 0.1 })
  onTestFinished(() => hurried.close())
  const { siteId, proxy } = await hurried.lane()
  expect(await hurried.deliver(hurried.documents.make(siteId))).toMatchObject({
    status: 'delivered',
    warnings: [],
  })
  const asked = proxy.requests.map(({ method, path }) => `${method} ${path.replace(/\d+$/, 'N')}`)
  const fills = asked.filter((request) => request === 'POST /wp/v2/posts/N')
  expect([asked[asked.indexOf('POST /wp/v2/posts/N') - 1], fills.length]).toEqual(['GET /wp/v2/posts/N', 1])
})
