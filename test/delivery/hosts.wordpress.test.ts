import { afterAll, afterEach, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { Lane } from '../faults/stage/lane.ts'
import { alter, type Fault, pages } from '../support/proxy/index.ts'
import { misbehavingSite, rest, wordpress } from '../support/wordpress/index.ts'
import { contentOf } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// What servers do to requests and answers on their way to a WordPress that is well.

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage()
  lane = await stage.lane()
})

afterEach(() => lane.proxy.clear())

afterAll(() => stage.close())

test('a post that a person deleted, behind a page of the server’s own for HTTP 404: held, and the site goes on', async () => {
  const { siteId, proxy } = lane
  proxy.rule(
    {},
    alter('its own page', (reply) => (reply.status === 404 ? pages.notFound : reply)),
  )
  const document = stage.documents.make(siteId)
  const { post } = await stage.deliver(document)
  await rest('administrator', 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
  const newer = stage.documents.make(siteId, { version: 'second', of: document })
  expect(await stage.deliver(newer)).toMatchObject({ status: 'held', error: { code: 'post_deleted' } })
  expect(await stage.deliver(stage.documents.make(siteId))).toMatchObject({ status: 'delivered' })
})

test('a request that arrives without its body: held, and no plugin is blamed', async () => {
  const { siteId, proxy } = lane
  const emptied: Fault = {
    name: 'without its body',
    apply: async ({ forward, reply }) => reply(await forward({ body: Buffer.alloc(0) })),
  }
  proxy.rule({ method: 'POST', path: /^\/wp\/v2\/posts\/\d+$/ }, emptied)
  const document = stage.documents.make(siteId, { post_status: 'publish' })
  expect(await stage.deliver(document)).toMatchObject({
    status: 'held',
    post: { status: 'draft' },
    error: { code: 'text_missing', message: expect.stringContaining('without their body') },
  })
})

test('a PHP that has printed before WordPress sends its headers: delivered, with each post and file once', async () => {
  const { siteId, proxy } = await stage.lane()
  proxy.rule(
    {},
    alter('headers were sent already', ({ headers, body }) => ({
      status: 200,
      headers: {
        'content-type': 'text/html; charset=UTF-8',
        ...(headers.date === undefined ? {} : { date: headers.date }),
      },
      body: Buffer.concat([Buffer.from('\uFEFF\n'), body]),
    })),
  )
  const document = stage.documents.make(siteId)
  const first = await stage.deliver(document)
  expect(first).toMatchObject({ status: 'delivered', warnings: [] })
  const newer = stage.documents.make(siteId, { version: 'second', of: document })
  expect(await stage.deliver(newer)).toMatchObject({ status: 'delivered', post: { id: first.post?.id } })
  expect(await contentOf(first.post?.id)).toContain(newer.says)
})

test('a WordPress in a folder of its own: posts are edited there', async () => {
  const plugin = await misbehavingSite('own-folder')
  onTestFinished(() => plugin.close())
  const { login, applicationPassword } = wordpress().users.editor
  const connected = await stage.galley.call<{ id: string }>('POST', '/v1/sites?check=false', {
    ...{ url: plugin.url, username: login, application_password: applicationPassword },
  })
  const { id } = connected.body
  onTestFinished(async () => {
    await stage.galley.call('DELETE', `/v1/sites/${id}`)
  })
  await stage.galley.call('POST', `/v1/sites/${id}/check`)
  const { post } = await stage.deliver(stage.documents.make(id))
  expect(post?.edit_url).toBe(`${plugin.url}/wp/wp-admin/post.php?post=${post?.id}&action=edit`)
})
