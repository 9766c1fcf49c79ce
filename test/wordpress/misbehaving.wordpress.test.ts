import { copyFileSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createClient, type WordPressClient } from '../../src/wordpress/client/client.ts'
import { fetchCurrentUser } from '../../src/wordpress/discover/current-user.ts'
import { probeDraft } from '../../src/wordpress/doctor/probes/draft.ts'
import { probeUpload } from '../../src/wordpress/doctor/probes/upload.ts'
import type { Finding } from '../../src/wordpress/doctor/report.ts'
import { runChecks } from '../../src/wordpress/doctor/run-checks.ts'
import { deleteMedia, findMediaByMarker, getMedia, uploadMedia } from '../../src/wordpress/media/library.ts'
import { deletePost, findPostsByMarker } from '../../src/wordpress/posts/find.ts'
import { verifyFill } from '../../src/wordpress/posts/verify.ts'
import { fillPost, reservePost } from '../../src/wordpress/posts/write.ts'
import { readPostSchema, seoFieldOf } from '../../src/wordpress/schema.ts'
import { withHeaders } from '../support/proxy/index.ts'
import { findMedia, findPosts, removePost, rest } from '../support/wordpress/index.ts'
import { picture } from './files.ts'
import { errorOf, through } from './proxied.ts'
import { clientAs, outbound, type Role, unique, wordpress } from './site.ts'

const { muPlugins } = wordpress()
const plugin = join(muPlugins, `galley-test-${process.pid}.php`)

beforeAll(() => {
  mkdirSync(muPlugins, { recursive: true })
  copyFileSync(new URL('galley-test.php', import.meta.url), plugin)
})
afterAll(async () => {
  rmSync(plugin, { force: true })
})

const nothing = async () => undefined

/** A client whose every request makes WordPress misbehave in this way. */
async function misbehaving(how: string, role: Role = 'author'): Promise<WordPressClient> {
  return (await through(withHeaders({ 'x-galley-test': how }), { role, rewriteUrls: true })).client
}

const reserve = (client: WordPressClient, marker = unique('galley')) =>
  reservePost(client, { postType: 'posts', title: 'Harbour', marker })

describe('a real WordPress that misbehaves', () => {
  it('password_wrong: where a plugin lets WordPress say why', async () => {
    const client = await misbehaving('early-user')
    const wrong = createClient({ ...client.site, applicationPassword: 'a'.repeat(24) }, outbound)
    expect(await errorOf(fetchCurrentUser(wrong))).toMatchObject({
      code: 'password_wrong',
      message: expect.stringContaining('invalid application password'),
    })
  })

  it('username_unknown: where a plugin lets WordPress say why', async () => {
    const client = await misbehaving('early-user')
    const unknown = createClient({ ...client.site, username: 'nobody' }, outbound)
    expect(await errorOf(fetchCurrentUser(unknown))).toMatchObject({
      code: 'username_unknown',
      action: 'owner',
    })
  })

  it('application_passwords_off: switched off for the whole site', async () => {
    const client = await misbehaving('no-application-passwords')
    expect(await errorOf(fetchCurrentUser(client))).toMatchObject({
      code: 'application_passwords_off',
      action: 'owner',
    })
  })

  it('application_passwords_off: switched off for this user', async () => {
    const client = await misbehaving('not-for-this-user')
    expect(await errorOf(fetchCurrentUser(client))).toMatchObject({
      code: 'application_passwords_off',
      action: 'owner',
    })
  })

  it('rest_api_disabled: a plugin that closes the REST API to everybody', async () => {
    const client = await misbehaving('members-only')
    expect(await errorOf(reserve(client))).toMatchObject({ code: 'rest_api_disabled', fault: 'site' })
  })

  it('php_fatal_error: a plugin that crashes', async () => {
    const client = await misbehaving('fatal')
    expect(await errorOf(reserve(client))).toMatchObject({ code: 'php_fatal_error', action: 'ambiguous' })
  })

  it('php_fatal_error: ambiguous, since the post is there all the same', async () => {
    const client = await misbehaving('fails-after-insert')
    const marker = unique('galley')
    expect(await errorOf(reserve(client, marker))).toMatchObject({
      code: 'php_fatal_error',
      action: 'ambiguous',
    })
    const posts = await findPostsByMarker(clientAs('author'), { postType: 'posts', marker })
    for (const { id } of posts) await deletePost(clientAs('author'), { postType: 'posts', id })
    expect(posts).toHaveLength(1)
  })

  it('is read all the same when it prints warnings', async () => {
    const client = await misbehaving('notice')
    const marker = unique('galley')
    const post = await reserve(client, marker)
    await deletePost(client, { postType: 'posts', id: post.id })
    expect(post.slug).toBe(marker)
  })

  it('keeps the picture of an upload that crashed, and it is finished', async () => {
    const client = await misbehaving('fails-while-resizing')
    const marker = unique('galley')
    const media = await uploadMedia(client, {
      bytes: picture(1200, 800),
      mimeType: 'image/png',
      fileName: `${marker}.png`,
      marker,
    })
    await deleteMedia(clientAs('author'), { id: media.id })
    expect(media).toMatchObject({ slug: marker, width: 1200 })
    expect(Object.keys(media.sizes)).toContain('medium')
  })
})

describe('a site whose SEO plugin is open', () => {
  it('shows its field in the schema, and keeps what is written there', async () => {
    const client = await misbehaving('seo', 'editor')
    const field = seoFieldOf(await readPostSchema(client, { postType: 'posts' }))
    expect(field).toEqual({ plugin: 'Yoast SEO', key: '_yoast_wpseo_metadesc' })
    const { id } = await reserve(client)
    const fields = { meta: { _yoast_wpseo_metadesc: 'Cold & early' } }
    const filled = await fillPost(client, { postType: 'posts', id, fields })
    await deletePost(client, { postType: 'posts', id })
    expect(filled.meta).toMatchObject(fields.meta)
    expect(verifyFill(fields, filled)).toEqual([])
  })
})

describe('a WordPress whose REST API is for members', () => {
  it('not_logged_in: it answers as to a visitor, with its own words', async () => {
    const client = await misbehaving('members-only-visitors')
    const wrong = createClient({ ...client.site, applicationPassword: 'a'.repeat(24) }, outbound)
    expect(await errorOf(fetchCurrentUser(wrong))).toMatchObject({
      code: 'not_logged_in',
      message: expect.stringContaining('Members only'),
    })
    expect((await fetchCurrentUser(client)).roles).toEqual(['author'])
  })
})

describe('the doctor, before the first delivery does', () => {
  const levelOf = (findings: Finding[], wanted: string) =>
    findings.filter(({ check }) => check === wanted).map(({ level }) => level)

  it('finds a plugin that caches answers to POST', async () => {
    const client = await misbehaving(`caches-post-by-route:${unique('cache')}`, 'editor')
    const marker = unique('galley-check')
    const { findings, leftBehind } = await probeDraft(client, { postType: 'posts', marker }, nothing)
    expect([levelOf(findings, 'own_answers'), leftBehind]).toEqual([['problem'], []])
    expect(await findPosts(`slug=${marker},${marker}-second`)).toEqual([])
  })

  it('writes to nobody’s post where a plugin answers with one that another client has made', async () => {
    const client = await misbehaving(`caches-post-by-route:${unique('cache')}`, 'editor')
    const { id } = await reservePost(client, { postType: 'posts', title: 'Mine', marker: unique('mine') })
    const mine = { content: 'All of it.', status: 'publish' }
    await rest('administrator', 'POST', `/wp/v2/posts/${id}`, mine)
    try {
      const probe = { postType: 'posts', marker: unique('galley-check') }
      const { findings, draft, leftBehind } = await probeDraft(client, probe, nothing)
      // Nothing tells whether something was made beside it.
      const told = [{ what: `post ${id} (“Mine”)`, isOurs: false }]
      expect([levelOf(findings, 'own_answers'), draft, leftBehind]).toEqual([['problem'], null, told])
      expect(await rest('administrator', 'GET', `/wp/v2/posts/${id}?context=edit`)).toMatchObject({
        status: 'publish',
        title: { raw: 'Mine' },
        content: { raw: 'All of it.' },
      })
    } finally {
      await removePost(id)
    }
  })

  it('finds a plugin that rewrites slugs', async () => {
    const client = await misbehaving('rewrites-slugs', 'editor')
    const drafts = () => findPosts(`search=${encodeURIComponent('Galley connection check')}`)
    const before = await drafts()
    const { findings, leftBehind } = await probeDraft(
      client,
      { postType: 'posts', marker: unique('galley-check') },
      nothing,
    )
    expect([levelOf(findings, 'slugs'), leftBehind]).toEqual([['warning'], []])
    expect((await drafts()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })

  it('finds what plugins do to slugs, to the right to publish, to languages and to answers, each by its own line', async () => {
    const plugins =
      'takes-slugs,guards-publishing,renames-titles,refuses-meta,names-languages,prints-brackets'
    const { findings } = await runChecks(await misbehaving(plugins, 'editor'))
    for (const [check, says] of [
      ['slugs', 'A plugin takes the slug from a draft.'],
      ['right_to_publish', 'has the right to publish, but not a post in the status “draft”'],
      ['titles', 'it became “News: Galley connection check'],
      ['seo', 'and refused'],
      ['language', 'in several languages (en-GB, fr-FR)'],
      ['rest_api', '“Array ( [0] => [] )'],
    ] as const)
      expect(findings.filter((finding) => finding.check === check)).toMatchObject([
        { level: 'warning', seen: expect.stringContaining(says) },
      ])
    expect(levelOf(findings, 'cleanup')).toEqual(['ok'])
  })

  it('finds a plugin that crashes over new drafts with a slug, past which a delivery gets', async () => {
    const client = await misbehaving('crashes-on-slugs', 'editor')
    const drafts = () => findPosts(`search=${encodeURIComponent('Galley connection check')}`)
    const before = await drafts()
    const { findings } = await runChecks(client)
    expect(findings.filter(({ check }) => check === 'slugs')).toMatchObject([
      { level: 'warning', seen: 'A plugin crashes when a new draft has a slug.' },
    ])
    for (const check of ['own_answers', 'statuses', 'block_markup', 'right_to_publish', 'cleanup'])
      expect(levelOf(findings, check)).toEqual(['ok'])
    expect((await drafts()).map(({ id }) => id)).toEqual(before.map(({ id }) => id))
  })

  it.each([
    ['drops-text', ['block_markup problem', 'without most of its text']],
    [
      'drops-pictures,publishes-drafts',
      ['block_markup problem', 'without its picture'],
      ['statuses problem', 'publishes drafts by itself'],
    ],
    [
      'drops-headings,own-statuses',
      ['block_markup warning', 'without these parts of it: heading.'],
      ['statuses warning', 'turns a draft into “pitch”'],
    ],
    ['fails-after-saving', ['block_markup warning', 'notification service cannot be reached']],
  ] as [string, ...[string, string][]][])('finds plugins that do this: %s', async (how, ...expected) => {
    const probe = { postType: 'posts', marker: unique('galley-check') }
    const { findings, leftBehind } = await probeDraft(await misbehaving(how, 'editor'), probe, nothing)
    const found = findings.map(({ check, level, seen }) => [`${check} ${level}`, seen])
    for (const [line, says] of expected) expect(found).toContainEqual([line, expect.stringContaining(says)])
    expect(leftBehind).toEqual([])
  })

  for (const [how, sentence, says] of [
    ['dies-for-visitors', 'seen', 'before WordPress has checked who is signing in'],
    ['none-for-this-user', 'todo', 'application passwords are switched off for this user'],
  ] as const)
    it(`finds a plugin that lets nobody in: ${how}`, async () => {
      const { findings } = await runChecks(await misbehaving(how, 'editor'))
      expect(findings.filter(({ check }) => check === 'credentials')).toMatchObject([
        { level: 'problem', [sentence]: expect.stringContaining(says) },
      ])
    })

  it('finds a plugin that renames attachments', async () => {
    const client = await misbehaving('renames-attachments', 'editor')
    const marker = unique('galley-check')
    const { findings, leftBehind } = await probeUpload(client, { marker, lists: true })
    expect([levelOf(findings, 'file_slugs'), leftBehind]).toEqual([['warning'], []])
    expect(await findMedia(`search=${marker}`)).toEqual([])
  })
})

describe('a media library with a trash', () => {
  it('hides no file behind one of the same marker that a person has put there', async () => {
    const marker = unique('galley')
    const client = await misbehaving('media-trash', 'editor')
    const upload = () =>
      uploadMedia(client, { bytes: picture(4, 3), mimeType: 'image/png', fileName: `${marker}.png`, marker })
    const trashed = await upload()
    const path = `/wp/v2/media/${trashed.id}`
    await client.request({ method: 'DELETE', path, doing: 'trashing', subject: 'media' })
    expect(await getMedia(client, { id: trashed.id })).toMatchObject({ status: 'trash' })
    expect(await findMediaByMarker(client, marker)).toBeNull()
    const standing = await upload()
    expect(await findMediaByMarker(client, marker)).toMatchObject({ id: standing.id, slug: marker })
    for (const { id } of [trashed, standing]) await deleteMedia(client, { id })
  })
})
