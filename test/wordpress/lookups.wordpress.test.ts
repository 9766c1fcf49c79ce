import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import type { WordPressClient } from '../../src/wordpress/client/client.ts'
import { deleteMedia, findMediaByMarker, getMedia, uploadMedia } from '../../src/wordpress/media/library.ts'
import { deletePost, findPostsByMarker, getPost } from '../../src/wordpress/posts/find.ts'
import { fillPost, reservePost } from '../../src/wordpress/posts/write.ts'
import { mediaSchema, postSchema } from '../../src/wordpress/records.ts'
import { createSiteTraffic } from '../../src/wordpress/traffic/site-traffic.ts'
import type { PostRecord } from '../../src/wordpress/types.ts'
import { answer, type FaultProxy, pages, startFaultProxy } from '../support/proxy/index.ts'
import { rest } from '../support/wordpress/index.ts'
import { picture } from './files.ts'
import { clientAs, unique, wordpress } from './site.ts'

const postType = 'posts'
let proxy: FaultProxy
let client: WordPressClient
const made: PostRecord[] = []
const files: number[] = []

beforeEach(async () => {
  proxy = await startFaultProxy(wordpress().url)
  client = together()
})

afterEach(async () => {
  await proxy.close()
  for (const { id } of made.splice(0)) await deletePost(clientAs('administrator'), { postType, id })
  for (const id of files.splice(0)) await deleteMedia(clientAs('administrator'), { id })
})

/** A client whose lookups go together. */
const together = () =>
  clientAs('editor', {
    restRoot: `${proxy.url}/wp-json/`,
    traffic: createSiteTraffic({ concurrency: 4, batch: 'off' }),
  })

async function reserved(marker = unique('galley')): Promise<{ marker: string; post: PostRecord }> {
  const post = await reservePost(clientAs('editor'), { postType, title: 'A harbour at dawn', marker })
  made.push(post)
  return { marker, post }
}

const asked = (): string[] => proxy.requests.map(({ method, path }) => `${method} ${path}`)

describe('markers that are looked up in the same moment', () => {
  it('are looked up in one request, each for itself, in the trash too', async () => {
    const [first, second] = [await reserved(), await reserved()]
    await rest('administrator', 'DELETE', `/wp/v2/posts/${second.post.id}`)
    const markers = [first.marker, unique('galley'), second.marker]
    const found = await Promise.all(markers.map((marker) => findPostsByMarker(client, { postType, marker })))
    expect(found.map((posts) => posts.map(({ id, status }) => [id, status]))).toEqual([
      [[first.post.id, 'draft']],
      [],
      [[second.post.id, 'trash']],
    ])
    expect(asked()).toEqual(['OPTIONS /wp/v2/posts', 'GET /wp/v2/posts'])
  })

  it('are looked up without asking again which statuses there are', async () => {
    const { marker, post } = await reserved()
    await findPostsByMarker(client, { postType, marker })
    const [found] = await findPostsByMarker(client, { postType, marker })
    expect(found?.id).toBe(post.id)
    expect(asked()).toEqual(['OPTIONS /wp/v2/posts', 'GET /wp/v2/posts', 'GET /wp/v2/posts'])
  })

  it('are looked up one by one where a firewall dislikes the long address', async () => {
    const all = [await reserved(), await reserved()]
    proxy.rule(
      { method: 'GET', where: ({ url }) => url.split('galley-').length > 4 },
      answer(pages.modsecurity),
    )
    const found = await Promise.all(all.map(({ marker }) => findPostsByMarker(client, { postType, marker })))
    expect(found.flat().map(({ id }) => id)).toEqual(all.map(({ post }) => post.id))
  })

  it('of files are looked up in one request as well', async () => {
    const markers = [unique('galley'), unique('galley')]
    for (const marker of markers) {
      const { id } = await uploadMedia(clientAs('editor'), {
        bytes: picture(4, 3),
        mimeType: 'image/png',
        fileName: `${marker}.png`,
        marker,
      })
      files.push(id)
    }
    const found = await Promise.all(
      [...markers, unique('galley')].map((marker) => findMediaByMarker(client, marker)),
    )
    expect(found.map((file) => file?.id)).toEqual([...files, undefined])
    expect(asked()).toEqual(['GET /wp/v2/media'])
  })
})

describe('what is asked for of a post', () => {
  for (const type of ['posts', 'pages']) {
    it(`is all that is read of it, of the type ${type}`, async () => {
      const { id } = await reservePost(clientAs('editor'), {
        postType: type,
        title: 'A “harbour” & more',
        marker: unique('galley'),
      })
      const filled = await fillPost(clientAs('editor'), {
        postType: type,
        id,
        fields: { content: '<p>Boats.</p>', excerpt: 'Of boats.', status: 'publish' },
      })
      const whole = await rest('editor', 'GET', `/wp/v2/${type}/${id}?context=edit`)
      // Its other members are asked for where a document sets them.
      const { actions, members: _, ...all } = postSchema.parse(whole)
      expect(actions).toContain('publish')
      expect(await getPost(clientAs('editor'), { postType: type, id })).toEqual({
        ...all,
        actions: [],
        members: expect.any(Object),
      })
      expect(filled).toEqual({ ...all, actions: [], members: expect.any(Object) })
      expect(filled.lacks).toEqual(type === 'pages' ? ['categories', 'tags'] : [])
      await deletePost(clientAs('administrator'), { postType: type, id })
    })
  }

  it('is all that is read of a file too', async () => {
    const file = await uploadMedia(clientAs('editor'), {
      bytes: picture(400, 300),
      mimeType: 'image/png',
      fileName: 'harbour.png',
      marker: unique('galley'),
      title: 'Harbour',
      altText: 'A harbour at dawn',
    })
    files.push(file.id)
    const whole = await rest('editor', 'GET', `/wp/v2/media/${file.id}?context=edit`)
    expect(file).toEqual(mediaSchema.parse(whole))
    expect(await getMedia(clientAs('editor'), { id: file.id })).toEqual(file)
  })

  it('includes what the user may do with it where that is asked', async () => {
    const asking = { postType, title: 'Asked', marker: unique('galley'), withActions: true }
    const post = await reservePost(clientAs('editor'), asking)
    made.push(post)
    expect(post.actions).toContain('publish')
    expect((await reserved()).post.actions).toEqual([])
  })

  it('is nothing that WordPress would have to render', async () => {
    const { post } = await reserved()
    const bodies: Buffer[] = []
    proxy.rule(
      {},
      {
        name: 'seen',
        async apply({ forward, reply }) {
          const answered = await forward()
          bodies.push(answered.body)
          reply(answered)
        },
      },
    )
    await fillPost(client, { postType, id: post.id, fields: { content: '<p>Boats.</p>' } })
    await getPost(client, { postType, id: post.id })
    expect(bodies).toHaveLength(2)
    for (const body of bodies) {
      expect(body.toString()).toContain('"raw":"<p>Boats.')
      expect(body.toString()).not.toContain('"rendered"')
    }
  })
})
