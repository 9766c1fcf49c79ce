import { afterAll, beforeAll, expect, test } from 'vitest'
import { findMedia } from '../support/wordpress/index.ts'
import { codesOf, laneWith, postsOf } from './plugin-lane.ts'
import { contentOf, otherPicture, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'

// Plugins that do something to posts and files, and that a delivery gets past without a word, or with one.

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

test.each<[string, { draft?: string[]; publish?: string[]; parent?: number }]>([
  ['adds-tags', {}],
  ['converts-to-webp', {}],
  ['detaches-files', { parent: 0 }],
  ['fills-new-drafts', {}],
  ['forbids-deleting', {}],
  ['moves-to-cdn', {}],
  ['needs-alt', {}],
  ['new-becomes-private', { draft: ['status_changed'] }],
  ['other-picture-addresses', {}],
  ['renames-files', {}],
  ['site-author', {}],
  ['throws-on-publish', {}],
])(
  '%s: a draft, a post and its newer version arrive as one post each, with their files',
  async (plugin, said) => {
    const plain = await stage.lane('editor')
    const standing = await stage.deliver(stage.documents.make(plain.siteId))
    const before = await read(standing.post?.id)
    const { siteId } = await laneWith(stage, plugin)
    for (const post_status of ['draft', 'publish'] as const) {
      const document = stage.documents.make(siteId, { post_status })
      const first = withMore(document, { featured_image: otherPicture(document) })
      const delivery = await stage.deliver(first)
      expect([delivery.status, codesOf(delivery)]).toEqual(['delivered', said[post_status] ?? []])
      const newer = stage.documents.make(siteId, { post_status, version: 'second', of: document })
      const next = withMore(newer, { featured_image: otherPicture(document) })
      expect(await stage.deliver(next)).toMatchObject({
        status: 'delivered',
        post: { id: delivery.post?.id },
      })
      expect((await postsOf(document)).map(({ id }) => id)).toEqual([delivery.post?.id])
      expect(await contentOf(delivery.post?.id)).toContain(newer.says)
      const files = (await findMedia(`search=${encodeURIComponent(document.alt)}`)).filter(
        ({ alt_text }) => alt_text === document.alt,
      )
      expect(files.map(({ post }) => post ?? 0)).toEqual([said.parent ?? delivery.post?.id])
    }
    expect(await read(standing.post?.id)).toEqual(before)
  },
)
