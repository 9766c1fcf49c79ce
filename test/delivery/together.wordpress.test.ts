import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import type { FaultDocument } from '../faults/stage/documents.ts'
import { findMedia, type RestItem, wordpress } from '../support/wordpress/index.ts'
import { type JudgedStage, startJudgedStage } from './judged-stage.ts'
import { codesOf, findingsOf, laneWith } from './plugin-lane.ts'
import { otherPicture, withMore } from './posts.ts'
import { asAdministrator } from './with-plugin.ts'

// Those of test/wordpress/galley-test.php and galley-test-siblings.php that a delivery gets past, each as its own tests
// have it, on one site. Not among them: one that fills new drafts (where slugs do not last, a draft whose answer was lost may
// be anybody's, and stays), one that crashes over slugs (where others have printed something before, WordPress says nothing of a
// crash, and the site has failed), those that spoil every answer or
// make another post, and whatever wants the opposite of another one here.

const { login } = wordpress().users.author

let stage: JudgedStage

beforeAll(async () => {
  // However long a crash of the site takes, a draft that a plugin has filled is its own then.
  stage = await startJudgedStage({ untouchedMs: { made: 120_000, seen: 2_000 } })
})

afterAll(() => stage.close())

/** Some that are to stay drafts and some that are to be published, all at once, and then their newer versions. */
async function deliverAll(siteId: string) {
  const made = (['draft', 'publish', 'draft'] as const).map((post_status) => ({
    post_status,
    document: stage.documents.make(siteId, { post_status }),
  }))
  const send = (documents: FaultDocument[]) =>
    Promise.all(documents.map((document) => stage.deliver(document)))
  const pictured = (document: FaultDocument) => withMore(document, { featured_image: otherPicture(document) })
  const first = await send(made.map(({ document }) => pictured(document)))
  expect(first.map(({ status, error }) => ({ status, error }))).toEqual(
    made.map(() => ({ status: 'delivered', error: null })),
  )
  const next = await send(
    made.map(({ document, post_status }) =>
      pictured(stage.documents.make(siteId, { post_status, version: 'second', of: document })),
    ),
  )
  expect(next.map(({ status, post, error }) => ({ status, id: post?.id, error }))).toEqual(
    first.map(({ post }) => ({ status: 'delivered', id: post?.id, error: null })),
  )
  const alts = (await findMedia(`search=${stage.documents.word}`)).map(({ alt_text }) => alt_text)
  for (const { document } of made) expect(alts.filter((alt) => alt === document.alt)).toHaveLength(1)
  return { first, posts: first.map(({ post }) => post?.status) }
}

const WITH_STATUSES = [
  'bom',
  `caches-pages-unasked:${randomUUID()}`,
  `caches-post:${randomUUID()}`,
  'closes-index-and-users',
  'coauthors',
  'converts-to-webp',
  `counts-logins:${randomUUID()}`,
  'delays',
  'early-user',
  'forces-login',
  'guards-publishing',
  'hides-login',
  'keeps-without-image',
  'languages',
  'maintenance-for-visitors',
  'needs-alt',
  'notice',
  'notices',
  'other-picture-addresses',
  'own-statuses',
  'prefixes-slugs',
  'prefixes-titles',
  'prints-brackets',
  'refuses-meta',
  'refuses-same-titles',
  'relative-addresses',
  'renames-attachments',
  'required-fields',
  'rewrites-slugs',
  'suffixes-slugs',
  'throws-on-publish',
]

describe('many harmless plugins at once', () => {
  test('several documents and their newer versions arrive, each as one post; the doctor has said what they do', async () => {
    const { siteId, url } = await laneWith(stage, WITH_STATUSES.join(), { author: login })
    await stage.galley.call('PATCH', `/v1/sites/${siteId}`, { language: 'en' })
    const findings = await findingsOf(stage, siteId)
    expect(findings.map(({ check, level }) => `${check}: ${level}`)).toEqual([
      'seo: warning',
      'required_fields: warning',
      'slugs: warning',
      'titles: warning',
      'statuses: warning',
      'file_slugs: warning',
    ])
    await stage.pool.query('UPDATE site SET seo_field = $2 WHERE id = $1', [siteId, '_yoast_wpseo_metadesc'])
    const { first, posts } = await deliverAll(siteId)
    for (const delivery of first)
      expect(codesOf(delivery).sort()).toEqual([
        'meta_refused',
        'required_fields_empty',
        'slug_changed',
        'slug_rewritten',
        ...(delivery.post?.status === 'pitch' ? ['status_unavailable'] : []),
        'title_changed',
      ])
    onTestFinished(async () => {
      for (const { post } of first)
        if (post) await asAdministrator(url, 'DELETE', `/wp/v2/posts/${post.id}?force=true`)
    })
    expect(posts).toEqual(['pitch', 'publish', 'pitch'])

    const query = `status=publish,future,draft,private,pitch,trash&context=edit&per_page=100&search=${stage.documents.word}`
    await stage.judge(() => asAdministrator<RestItem[]>(url, 'GET', `/wp/v2/posts?${query}`))
    for (const { post } of first) {
      const { coauthors } = await asAdministrator<{ coauthors: number[] }>(
        url,
        'GET',
        `/wp/v2/posts/${post?.id}?context=edit`,
      )
      expect(await asAdministrator(url, 'GET', `/wp/v2/coauthors/${coauthors[0]}`)).toMatchObject({
        name: login,
      })
    }
  })
})
