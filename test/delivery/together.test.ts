import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { findMedia, type RestItem, wordpress } from '../support/wordpress/index.ts'
import { codesOf, laneWith } from './plugin-lane.ts'
import { otherPicture, read, withMore } from './posts.ts'
import { type DeliveryStage, startStage } from './stage.ts'
import { asAdministrator } from './with-plugin.ts'

/** Those of test/wordpress/galley-test.php that a delivery gets past, each as its own tests have it. */
const HARMLESS = [
  `caches-post:${randomUUID()}`,
  'coauthors',
  'crashes-on-slugs',
  'delays',
  'early-user',
  'keeps-without-image',
  'languages',
  'notice',
  'own-statuses',
  'refuses-meta',
  'renames-attachments',
  'required-fields',
  'rewrites-slugs',
]

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

test('with all harmless plugins at once a draft, a post and their newer versions arrive, each as one post', async () => {
  const plain = await stage.lane('editor')
  const standing = await stage.deliver(stage.documents.make(plain.siteId))
  const before = await read(standing.post?.id)

  const { login } = wordpress().users.author
  const lane = await laneWith(stage, HARMLESS.join(), { author: login })
  const { siteId, url } = lane
  await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { language: 'en' })
  await stage.galley.call('POST', `/v1/sites/${siteId}/check`)
  await stage.pool.query('UPDATE site SET seo_field = $2 WHERE id = $1', [siteId, '_yoast_wpseo_metadesc'])

  const postsOf = async ({ title }: FaultDocument) => {
    const query = `status=publish,future,private,pitch,trash&context=edit&search=${encodeURIComponent(title)}`
    const found = await asAdministrator<RestItem[]>(url, 'GET', `/wp/v2/posts?${query}`)
    return found.filter((post) => (post.title as { raw: string }).raw === title)
  }
  for (const [post_status, status] of [
    ['draft', 'pitch'],
    ['publish', 'publish'],
  ] as const) {
    const requested = (version: string, of?: FaultDocument) => {
      const document = stage.documents.make(siteId, { post_status, version, ...(of && { of }) })
      return withMore(document, { featured_image: otherPicture(document) })
    }
    const first = requested('first')
    const { post, ...delivery } = await stage.deliver(first)
    onTestFinished(async () => {
      await asAdministrator(url, 'DELETE', `/wp/v2/posts/${post?.id}?force=true`)
    })
    expect({ status: delivery.status, post }).toMatchObject({ status: 'delivered', post: { status } })
    expect(codesOf({ post, ...delivery }).sort()).toEqual([
      'meta_refused',
      'required_fields_empty',
      'slug_rewritten',
      ...(post_status === 'draft' ? ['status_unavailable'] : []),
    ])
    const second = requested('second', first)
    const next = await stage.deliver(second)
    expect(next).toMatchObject({ status: 'delivered', post: { id: post?.id, status } })

    const stands = await postsOf(first)
    expect(stands).toMatchObject([
      {
        id: post?.id,
        content: { raw: expect.stringContaining(second.says) },
        coauthors: [expect.any(Number)],
      },
    ])
    const term = (stands as { coauthors?: number[] }[])[0]?.coauthors?.[0]
    expect(await asAdministrator(url, 'GET', `/wp/v2/coauthors/${term}`)).toMatchObject({ name: login })
    const files = await findMedia(`parent=${post?.id}`)
    expect(files.map(({ alt_text }) => alt_text).filter((alt) => alt === first.alt)).toHaveLength(1)
  }
  expect(await read(standing.post?.id)).toEqual(before)
})
