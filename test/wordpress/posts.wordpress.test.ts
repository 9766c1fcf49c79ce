import { afterAll, describe, expect, it } from 'vitest'
import { getMedia } from '../../src/wordpress/media/library.ts'
import { deletePost, findDraftsByTitle, findPostsByMarker, getPost } from '../../src/wordpress/posts/find.ts'
import { verifyFill } from '../../src/wordpress/posts/verify.ts'
import { fillPost, reservePost } from '../../src/wordpress/posts/write.ts'
import { alter, answer, type ProxiedRequest, pages, resetBefore } from '../support/proxy/index.ts'
import { errorOf, through } from './proxied.ts'
import { clientAs, type Role, unique } from './site.ts'

const postType = 'posts'
const made: { role: Role; id: number }[] = []

async function reserve(role: Role, marker = unique('galley')) {
  const post = await reservePost(clientAs(role), { postType, title: 'A harbour at dawn', marker })
  made.push({ role: 'administrator', id: post.id })
  return { post, marker }
}

afterAll(async () => {
  for (const { role, id } of made) await deletePost(clientAs(role), { postType, id })
})

describe('reserving a post', () => {
  it('makes a draft with the marker as its slug and nothing in it', async () => {
    const { post, marker } = await reserve('author')
    expect(post).toMatchObject({ status: 'draft', slug: marker, title: 'A harbour at dawn', content: '' })
  })

  it('comes back with another slug when the marker is taken', async () => {
    const { marker } = await reserve('author')
    const { post } = await reserve('author', marker)
    expect(post.slug).toBe(`${marker}-2`)
  })
})

describe('a server that takes no other methods than GET and POST', () => {
  const refuses = ({ headers, method, url }: ProxiedRequest) =>
    'x-http-method-override' in headers || !(/^(GET|POST)$/.test(method) || url.includes(`_method=${method}`))

  it('has its posts looked up and deleted all the same', async () => {
    const { client, proxy } = await through(resetBefore, { match: { where: refuses } })
    const { post, marker } = await reserve('author')
    expect(await findPostsByMarker(client, { postType, marker })).toMatchObject([{ id: post.id }])
    await deletePost(client, { postType, id: post.id })
    expect(await getPost(client, { postType, id: post.id })).toBeNull()
    expect(proxy.requests.map(({ method }) => method)).toEqual(['OPTIONS', 'GET', 'DELETE', 'GET'])
  })
})

describe('a server that shows its own page for HTTP 404', () => {
  const shown = alter('the server’s own page', (reply) => (reply.status === 404 ? pages.notFound : reply))

  it('does not hide that a post or a file was deleted', async () => {
    const { client } = await through(shown)
    const { post } = await reserve('author')
    expect(await getPost(client, { postType, id: post.id })).toMatchObject({ id: post.id })
    await deletePost(clientAs('author'), { postType, id: post.id })
    expect(await getPost(client, { postType, id: post.id })).toBeNull()
    expect(await getMedia(client, { id: 99_999_999 })).toBeNull()
  })

  it('is not asked to say so where the REST API is gone altogether, or where the post is there', async () => {
    const { post } = await reserve('author')
    const nothing = await through(answer(pages.notFound))
    expect(await errorOf(getPost(nothing.client, { postType, id: post.id }))).toMatchObject({
      code: 'not_found',
    })
    const one = await through(answer(pages.notFound), { match: { path: `/wp/v2/posts/${post.id}` } })
    expect(await errorOf(getPost(one.client, { postType, id: post.id }))).toMatchObject({ code: 'not_found' })
  })
})

describe('looking a post up by its marker', () => {
  for (const role of ['administrator', 'editor', 'author', 'contributor'] as const) {
    it(`finds the draft of ${role}`, async () => {
      const { post, marker } = await reserve(role)
      const found = await findPostsByMarker(clientAs(role), { postType, marker })
      expect(found.map(({ id }) => id)).toEqual([post.id])
    })
  }

  it('finds a post that somebody put in the trash', async () => {
    const { post, marker } = await reserve('author')
    await clientAs('administrator').request({
      method: 'DELETE',
      path: `/wp/v2/posts/${post.id}`,
      doing: 'trashing',
      subject: 'post',
    })
    const [found] = await findPostsByMarker(clientAs('author'), { postType, marker })
    expect(found).toMatchObject({ id: post.id, status: 'trash', slug: `${marker}__trashed` })
  })

  it('finds nothing where there is nothing', async () => {
    expect(await findPostsByMarker(clientAs('author'), { postType, marker: unique('galley') })).toEqual([])
  })
})

describe('looking a draft up by its title', () => {
  it.each([
    'Nights at -20 degrees by the harbour',
    'Boats & harbours: lighthouses, tides, storms, anchors, ropes, sails, nets, gulls, piers',
    '“Dawn” – the harbour’s <b>best</b> hour',
    '⚓',
  ])('finds “%s” as WordPress has stored it', async (title) => {
    const { id } = await reservePost(clientAs('author'), { postType, title, marker: unique('galley') })
    made.push({ role: 'administrator', id })
    const found = await findDraftsByTitle(clientAs('author'), { postType, title })
    expect(found.map((draft) => draft.id)).toContain(id)
  })
})

describe('reading a post', () => {
  it('answers null for a post that was deleted', async () => {
    const { post } = await reserve('author')
    await deletePost(clientAs('author'), { postType, id: post.id })
    expect(await getPost(clientAs('author'), { postType, id: post.id })).toBeNull()
  })

  it('takes a second deletion for done', async () => {
    const { post } = await reserve('author')
    const client = clientAs('author')
    await deletePost(client, { postType, id: post.id })
    await expect(deletePost(client, { postType, id: post.id })).resolves.toBeUndefined()
  })
})

describe('filling a post', () => {
  const content = '<!-- wp:paragraph -->\n<p>It was <strong>cold</strong>.</p>\n<!-- /wp:paragraph -->'

  it('sets everything in one call and publishes', async () => {
    const { post } = await reserve('editor')
    const slug = unique('harbour')
    const fields = { title: 'Harbour', content, excerpt: 'Cold.', slug, status: 'publish' as const }
    const filled = await fillPost(clientAs('editor'), { postType, id: post.id, fields })
    expect(filled).toMatchObject({ title: 'Harbour', content, excerpt: 'Cold.', slug, status: 'publish' })
    expect(verifyFill(fields, filled)).toEqual([])
  })

  it('leaves a slug that nobody asked for to WordPress, and reports nothing', async () => {
    const { post } = await reserve('editor')
    const fields = { title: unique('harbour'), content, slug: '', status: 'publish' as const }
    const filled = await fillPost(clientAs('editor'), { postType, id: post.id, fields })
    expect(filled.slug).toBe(fields.title)
    expect(verifyFill(fields, filled)).toEqual([])
    const unchanged = { ...filled, slug: post.slug }
    expect(verifyFill(fields, unchanged)).toMatchObject([{ code: 'slug_changed' }])
  })

  it('changes nothing when it is repeated', async () => {
    const { post } = await reserve('editor')
    const fill = () =>
      fillPost(clientAs('editor'), {
        postType,
        id: post.id,
        fields: { content, slug: post.slug, status: 'draft' },
      })
    const { modifiedGmt: _, ...once } = await fill()
    const { modifiedGmt: __, ...twice } = await fill()
    expect(twice).toEqual(once)
  })

  it('reports what WordPress dropped without a word', async () => {
    const { post } = await reserve('editor')
    const fields = { tags: [99999991], featuredMedia: 99999992, meta: { nobody_registered_this: 'x' } }
    const filled = await fillPost(clientAs('editor'), { postType, id: post.id, fields })
    expect(
      verifyFill(fields, filled)
        .map(({ code }) => code)
        .sort(),
    ).toEqual(['featured_image_dropped', 'meta_dropped', 'tags_dropped'])
  })

  it('says that a contributor may not publish', async () => {
    const { post } = await reserve('contributor')
    const publishing = fillPost(clientAs('contributor'), {
      postType,
      id: post.id,
      fields: { status: 'publish' },
    })
    await expect(publishing).rejects.toMatchObject({
      code: 'cannot_publish',
      fault: 'owner',
      action: 'owner',
    })
  })

  it('warns that a pending post of a contributor keeps no slug', async () => {
    const { post } = await reserve('contributor')
    const fields = { slug: 'harbour', status: 'pending' as const }
    const filled = await fillPost(clientAs('contributor'), { postType, id: post.id, fields })
    expect(verifyFill(fields, filled).map(({ code }) => code)).toEqual(['slug_dropped'])
  })
})
