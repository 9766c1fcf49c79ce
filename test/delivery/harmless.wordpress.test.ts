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

/** Of those that are not among the ones of together.wordpress.test.ts; some share a row. */
test.each<[string, { draft?: string[]; parent?: number }]>([
  ['adds-tags,forbids-deleting,site-author,copies-files,moves-to-cdn', {}],
  ['detaches-files,renames-attachments', { parent: 0 }],
  ['renames-attachments,renames-files', {}],
  ['ends-in-other-words,fills-new-drafts', {}],
  ['ends-without-image,makes-translations,refuses-without-image,refuses-without-excerpt', {}],
  ['new-becomes-private', { draft: ['status_changed'] }],
])(
  '%s: a post and its newer version arrive as one post, with its files',
  async (plugin, { draft, parent }) => {
    const { siteId } = await laneWith(stage, plugin)
    const post_status = draft === undefined ? 'publish' : 'draft'
    const document = stage.documents.make(siteId, { post_status })
    const first = withMore(document, { featured_image: otherPicture(document) })
    const delivery = await stage.deliver(first)
    expect([delivery.status, codesOf(delivery)]).toEqual(['delivered', draft ?? []])
    const newer = stage.documents.make(siteId, { post_status, version: 'second', of: document })
    const next = withMore(newer, { featured_image: otherPicture(document) })
    expect(await stage.deliver(next)).toMatchObject({
      status: 'delivered',
      post: { id: delivery.post?.id },
    })
    const [post, ...others] = await postsOf(document)
    expect([post?.id, others]).toEqual([delivery.post?.id, []])
    expect(post?.featured_media).toBeGreaterThan(0)
    expect(await contentOf(delivery.post?.id)).toContain(newer.says)
    const files = (await findMedia(`search=${encodeURIComponent(document.alt)}`)).filter(
      ({ alt_text }) => alt_text === document.alt,
    )
    expect(files.map(({ post }) => post ?? 0)).toEqual([parent ?? delivery.post?.id])
  },
)

testVerdict(() => stage)
