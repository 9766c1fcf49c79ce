import { afterAll, beforeAll, expect, test } from 'vitest'
import { atRest } from '../faults/stage/oracle.ts'
import { settled } from '../support/galley.ts'
import { resetAfter } from '../support/proxy/index.ts'
import { findPosts, type RestItem, rest } from '../support/wordpress/index.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage({ orphansAfterMs: 6_000 })
})

afterAll(() => stage.close())

test('a post that the site finishes late is removed, unless somebody has written in it', async () => {
  const { siteId, proxy } = await stage.lane('administrator')
  const document = stage.documents.make(siteId)
  proxy.rule({ method: 'POST', nth: 1 }, resetAfter)
  await stage.send(document)
  const { post } = await settled(stage.galley, document.id)

  // What a request that was still under way would leave: the marker once more, and with a number.
  const slug = await stage.markerOf(siteId, document.id)
  const late = (content: string) =>
    rest<RestItem>('administrator', 'POST', '/wp/v2/posts', {
      title: document.title,
      slug,
      status: 'draft',
      content,
    })
  const bare = await late('')
  const written = await late('Somebody has begun to write here.')
  expect([bare.slug, written.slug]).toEqual([slug, `${slug}-2`])

  await atRest(stage.pool, 60)
  const left = (await findPosts(`search=${encodeURIComponent(document.title)}`)).map(({ id }) => id)
  expect(left.sort()).toEqual([post?.id, written.id].sort())
  const { timeline } = await settled(stage.galley, document.id)
  expect(timeline).toContainEqual(
    expect.objectContaining({ step: 'orphans', outcome: 'removed', detail: `post ${bare.id}` }),
  )
})
