import { afterEach, expect, it } from 'vitest'
import { roles } from '../../../demo/wordpress/index.ts'
import { png } from '../../support/files.ts'
import {
  misbehavingSite,
  type RestItem,
  removeMedia,
  removePosts,
  rest,
  wordpress,
} from '../../support/wordpress/index.ts'

// What the other tests take for granted of the WordPress that they are given, in WASM or not.

const made = { posts: [] as number[], media: [] as number[] }

afterEach(async () => {
  await removePosts(made.posts.splice(0))
  for (const id of made.media.splice(0)) await removeMedia(id)
})

it.each(roles)('lets the %s in with an application password', async (role) => {
  const me = await rest<{ roles: string[] }>(role, 'GET', '/wp/v2/users/me?context=edit')
  expect(me.roles).toEqual([role])
})

it('answers whatever comes while it works on a slow request', async () => {
  const slow = await misbehavingSite('slow')
  const answers = await Promise.all(
    Array.from({ length: 3 }, () => fetch(`${slow.url}/wp-json/wp/v2/types`)),
  ).finally(slow.close)
  expect(answers.map(({ status }) => status)).toEqual([200, 200, 200])
})

it('gives posts pretty permalinks', async () => {
  const post = await rest<RestItem>('editor', 'POST', '/wp/v2/posts', {
    title: 'Site test',
    slug: 'site-test',
    status: 'publish',
  })
  made.posts.push(post.id)
  expect(post.link).toBe(`${wordpress().url}/site-test/`)
})

it('makes the slug of a second draft unique', async () => {
  const draft = { title: 'Site test', slug: 'site-test-draft', status: 'draft' }
  for (const slug of ['site-test-draft', 'site-test-draft-2']) {
    const post = await rest<RestItem>('author', 'POST', '/wp/v2/posts', draft)
    made.posts.push(post.id)
    expect(post.slug).toBe(slug)
  }
})

it('takes a picture with its words and its slug in one multipart request, and makes the smaller sizes', async () => {
  const form = new FormData()
  form.set('slug', 'site-test-picture')
  form.set('alt_text', 'Nothing but blue')
  form.set(
    'file',
    new File([new Uint8Array(png(1600, 900, [20, 60, 120]))], 'blue.png', { type: 'image/png' }),
  )
  const { url, users } = wordpress()
  const credentials = Buffer.from(`author:${users.author.applicationPassword}`).toString('base64')
  const response = await fetch(`${url}/wp-json/wp/v2/media`, {
    method: 'POST',
    headers: { authorization: `Basic ${credentials}` },
    body: form,
  })
  const media = (await response.json()) as RestItem & {
    media_details: { sizes: Record<string, { source_url: string }> }
  }
  made.media.push(media.id)
  expect(media).toMatchObject({ slug: 'site-test-picture', alt_text: 'Nothing but blue' })
  const large = await fetch(media.media_details.sizes.large?.source_url ?? '')
  expect(large.headers.get('content-type')).toBe('image/png')
  expect((await large.arrayBuffer()).byteLength).toBeGreaterThan(0)
})
