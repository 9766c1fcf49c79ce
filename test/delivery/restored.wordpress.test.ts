import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import type { Lane } from '../faults/stage/lane.ts'
import { pages } from '../support/proxy/index.ts'
import { findMedia, type RestItem } from '../support/wordpress/index.ts'
import { contentOf, deliverFirst, edit, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// A site that was restored from a backup counts anew: what Galley remembers by its number may be somebody else's.

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage()
  lane = await stage.lane('editor', { on_changed_post: 'overwrite' })
})

afterAll(() => stage.close())

test('the post of another document that has the number now is left alone, though they share their lines', async () => {
  const { siteId } = lane
  const shared = 'A line that every document of this sender ends with, long as it is.'
  const ending = (document: FaultDocument) => {
    const { content } = document.body.data as { content: { content: object[] } }
    return withMore(document, {
      content: { content: [...content.content, { type: 'paragraph', text: shared }] },
    })
  }
  const [one, other] = [ending(stage.documents.make(siteId)), ending(stage.documents.make(siteId))]
  const { id } = await stage.deliver(one)
  const { post } = await stage.deliver(other)
  await stage.pool.query('UPDATE delivery SET post_id = $2 WHERE id = $1', [id, post?.id])
  const before = await read(post?.id)
  const newer = ending(stage.documents.make(siteId, { version: 'second', of: one }))
  expect(await stage.deliver(newer)).toMatchObject({ status: 'held', error: { code: 'post_replaced' } })
  expect(await read(post?.id)).toEqual(before)
})

test('another post that has the number of a reserve is left alone', async () => {
  const { siteId, proxy } = lane
  const document = stage.documents.make(siteId)
  let before: RestItem | undefined
  proxy.rule(
    { method: 'POST', path: '/wp/v2/media', nth: 1 },
    {
      name: 'the site is restored',
      async apply({ reply }) {
        const { rows } = await stage.pool.query('SELECT post_id FROM delivery WHERE document_id = $1', [
          document.id,
        ])
        const title = `${stage.documents.word} of somebody`
        before = await edit(rows[0].post_id, { title, slug: randomUUID(), content: 'Mine.' })
        reply(pages.serverError)
      },
    },
  )
  expect(await stage.deliver(document)).toMatchObject({ status: 'held', error: { code: 'post_replaced' } })
  expect(await read(before?.id)).toEqual(before)
})

test('another file that has the number of a picture is not shown', async () => {
  const { siteId } = lane
  const [one, other] = [await deliverFirst(stage, siteId), await deliverFirst(stage, siteId)]
  const [stranger] = await findMedia(`parent=${other.post?.id}`)
  await stage.pool.query('UPDATE delivery_media SET media_id = $2 WHERE delivery_id = $1', [
    one.deliveryId,
    stranger?.id,
  ])
  await stage.deliver(one.next('second'))
  expect(await contentOf(one.post?.id)).not.toContain(`wp-image-${stranger?.id}"`)
})
