import { afterAll, beforeAll, expect, test } from 'vitest'
import { findMedia } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage, testVerdict } from './judged-stage.ts'
import { codesOf, laneWith, postsOf } from './plugin-lane.ts'
import { contentOf, otherPicture, withMore } from './posts.ts'

// Plugins that do something to posts and files, and that a delivery gets past without a word, or with one.

let stage: JudgedStage

beforeAll(async () => {
  stage = await startJudgedStage()
})

afterAll(() => stage.close())

test.each<[string, { draft?: string[]; publish?: string[]; parent?: number }]>([
  ['adds-tags', {}],
  ['bom,notices', {}],
  ['converts-to-webp', {}],
  ['copies-files', {}],
  ['detaches-files', { parent: 0 }],
  ['detaches-files,renames-attachments', { parent: 0 }],
  ['fills-new-drafts', {}],
  ['early-user,notice', {}],
  ['ends-in-other-words', {}],
  ['ends-without-image', {}],
  ['forbids-deleting', {}],
  ['guards-publishing', {}],
  ['keeps-without-image', {}],
  ['makes-translations', {}],
  ['moves-to-cdn', {}],
  ['needs-alt', {}],
  ['new-becomes-private', { draft: ['status_changed'] }],
  ['other-picture-addresses', {}],
  ['refuses-without-excerpt', {}],
  ['refuses-without-image', {}],
  ['renames-files', {}],
  ['renames-attachments,renames-files', {}],
  ['site-author', {}],
  ['throws-on-publish', {}],
])(
  '%s: a draft, a post and its newer version arrive as one post each, with their files',
  async (plugin, said) => {
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
  },
)

testVerdict(() => stage)
