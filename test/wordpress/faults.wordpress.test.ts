import { gzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { GalleyError } from '../../src/errors.ts'
import type { WordPressClient } from '../../src/wordpress/client/client.ts'
import { deleteMedia, uploadMedia } from '../../src/wordpress/media/library.ts'
import { deletePost, findPostsByMarker } from '../../src/wordpress/posts/find.ts'
import { reservePost } from '../../src/wordpress/posts/write.ts'
import {
  alter,
  answer,
  answerAfter,
  type Fault,
  pages,
  redirectTo,
  resetAfter,
  resetBefore,
  slow,
  stallAfter,
  stallBefore,
  tooManyFor,
  truncate,
  wrapped,
} from '../support/proxy/index.ts'
import { picture } from './files.ts'
import { errorOf, through } from './proxied.ts'
import { clientAs, unique, wordpress } from './site.ts'

const postType = 'posts'
const reserve = (client: WordPressClient, marker: string) =>
  reservePost(client, { postType, title: 'Harbour', marker })

/** A server that dies while it writes, behind one that passes on what came of it. */
const brokenOff = alter('broken off, and passed on as if it were whole', (reply) => ({
  ...reply,
  body: reply.body.subarray(0, -1),
}))

/** How many posts a reservation left behind; they are deleted. */
async function postsLeft(marker: string): Promise<number> {
  const client = clientAs('administrator')
  const posts = await findPostsByMarker(client, { postType, marker })
  for (const { id } of posts) await deletePost(client, { postType, id })
  return posts.length
}

/** A stalled answer is waited for no longer than it takes to tell. */
const patience = (fault: Fault) => (fault === stallBefore || fault === stallAfter ? { timeoutMs: 1_500 } : {})

describe('a write that brings no sound answer is ambiguous, whether WordPress carried it out or not', () => {
  const faults: [Fault, code: string, posts: number][] = [
    [resetBefore, 'connection_lost', 0],
    [resetAfter, 'connection_lost', 1],
    [stallBefore, 'site_timeout', 0],
    [stallAfter, 'site_timeout', 1],
    [truncate, 'connection_lost', 1],
    [answer(pages.serverError), 'site_error', 0],
    [answerAfter(pages.serverError), 'site_error', 1],
    [brokenOff, 'answer_unreadable', 1],
    [answerAfter(pages.blank), 'answer_unreadable', 1],
    [answerAfter(pages.cloudflareBlock), 'firewall_cloudflare', 1],
  ]
  for (const [fault, code, posts] of faults) {
    it(`${fault.name}: ${code}, with ${posts} post made`, async () => {
      const { client, proxy } = await through(fault, { match: { method: 'POST' }, ...patience(fault) })
      const marker = unique('galley')
      expect(await errorOf(reserve(client, marker))).toMatchObject({
        code,
        action: 'ambiguous',
        fault: 'site',
      })
      expect(proxy.requests).toHaveLength(1)
      expect(await postsLeft(marker)).toBe(posts)
    })
  }
})

describe('a read that fails may be repeated', () => {
  for (const fault of [
    resetBefore,
    stallBefore,
    truncate,
    answer(pages.badGateway),
    answer(pages.homePage),
  ]) {
    it(`${fault.name}: retry`, async () => {
      const { client } = await through(fault, patience(fault))
      const reading = findPostsByMarker(client, { postType, marker: 'galley-nothing' })
      expect(await errorOf(reading)).toMatchObject({ action: 'retry', fault: 'site' })
    })
  }
})

describe('a write that never left', () => {
  it('may be repeated after a refused connection', async () => {
    const { client, proxy } = await through(slow(0))
    await proxy.pause()
    const failed = await errorOf(reserve(client, unique('galley')))
    expect(failed).toMatchObject({ code: 'site_unreachable', action: 'retry', fault: 'site' })
    await proxy.resume()
    const marker = unique('galley')
    expect((await reserve(client, marker)).slug).toBe(marker)
    expect(await postsLeft(marker)).toBe(1)
  })

  it('is not sent after a redirect', async () => {
    const { client, proxy } = await through(elsewhere(), { match: { method: 'POST' } })
    expect(await errorOf(reserve(client, unique('galley')))).toMatchObject({
      code: 'redirected',
      action: 'retry',
    })
    expect(proxy.requests).toHaveLength(1)
  })
})

const elsewhere = () => answer(redirectTo(`${wordpress().url}/wp-json/wp/v2/posts`, 307))

describe('an answer with something around it', () => {
  const notice =
    '<br />\n<b>Warning</b>: Undefined array key "x" in <b>/wp-content/plugins/a.php</b> on line <b>3</b><br />\n'
  const faults = [
    wrapped('two byte order marks and a newline', '\uFEFF\uFEFF\n'),
    wrapped('a notice that prints an array', `${notice}Array\n(\n [0] => {"a": 1\n)\n`),
    wrapped('a notice before and a comment after', notice, '\n<!-- {"cached": true -->'),
    slow(300),
  ]
  for (const fault of faults) {
    it(`is read all the same: ${fault.name}`, async () => {
      const { client } = await through(fault)
      const marker = unique('galley')
      expect((await reserve(client, marker)).slug).toBe(marker)
      expect(await postsLeft(marker)).toBe(1)
    })
  }

  it('is read when the server compressed it unasked', async () => {
    const gzip = alter('compressed', (reply) => ({
      ...reply,
      headers: { ...reply.headers, 'content-encoding': 'gzip' },
      body: gzipSync(reply.body),
    }))
    const { client } = await through(gzip)
    expect(await findPostsByMarker(client, { postType, marker: 'galley-nothing' })).toEqual([])
  })
})

describe('an encoding that is none', () => {
  for (const encoding of ['none', 'UTF-8'])
    it(`is no reason not to read an answer: ${encoding}`, async () => {
      const named = alter(encoding, (reply) => ({
        ...reply,
        headers: { ...reply.headers, 'content-encoding': encoding },
      }))
      const { client } = await through(named)
      expect(await findPostsByMarker(client, { postType, marker: 'galley-nothing' })).toEqual([])
    })
})

describe('Retry-After', () => {
  const cases: [string, string | (() => string), [number, number]][] = [
    ['seconds', '120', [120_000, 120_000]],
    ['a date', () => new Date(Date.now() + 300_000).toUTCString(), [270_000, 300_000]],
    ['a negative number', '-5', [1_000, 1_000]],
    ['a date gone by', 'Wed, 21 Oct 2015 07:28:00 GMT', [1_000, 1_000]],
    ['an absurd number', '99999999999', [3_600_000, 3_600_000]],
  ]
  for (const [kind, value, [least, most]] of cases) {
    it(`is kept within bounds: ${kind}`, async () => {
      const { client } = await through(answer(tooManyFor(typeof value === 'string' ? value : value())))
      const error = await errorOf(findPostsByMarker(client, { postType, marker: 'galley-nothing' }))
      const waits = error instanceof GalleyError ? error.retryAfterMs : undefined
      expect(waits).toBeGreaterThanOrEqual(least)
      expect(waits).toBeLessThanOrEqual(most)
    })
  }

  it('is left to our own backoff where it cannot be read', async () => {
    const { client } = await through(answer(tooManyFor('soon')))
    const error = await errorOf(findPostsByMarker(client, { postType, marker: 'galley-nothing' }))
    expect(error).toMatchObject({ code: 'rate_limited', retryAfterMs: undefined })
  })
})

describe('an upload that fails after the attachment exists', () => {
  const failsWithId: Fault = {
    name: '500 that names the attachment',
    async apply({ forward, reply }) {
      const made = await forward()
      const { id } = JSON.parse(made.body.toString()) as { id: number }
      reply({
        ...pages.serverError,
        headers: { ...pages.serverError.headers, 'x-wp-upload-attachment-id': String(id) },
      })
    },
  }
  const upload = (client: WordPressClient, marker: string) =>
    uploadMedia(client, { bytes: picture(400, 300), mimeType: 'image/png', fileName: 'harbour.png', marker })

  it('is finished and adopted, and not uploaded again', async () => {
    const { client, proxy } = await through(failsWithId, { match: { method: 'POST', path: '/wp/v2/media' } })
    const marker = unique('galley')
    const media = await upload(client, marker)
    await deleteMedia(clientAs('author'), { id: media.id })
    expect(media).toMatchObject({ slug: marker, width: 400 })
    expect(proxy.requests.map(({ path }) => path)).toEqual([
      '/wp/v2/media',
      `/wp/v2/media/${media.id}/post-process`,
    ])
  })

  it('is adopted in its full size where the sub-sizes cannot be made', async () => {
    const { client, proxy } = await through(failsWithId, { match: { method: 'POST', path: '/wp/v2/media' } })
    proxy.rule({ path: /post-process$/ }, answer(pages.serverError))
    const marker = unique('galley')
    const media = await upload(client, marker)
    await deleteMedia(clientAs('author'), { id: media.id })
    expect(media.slug).toBe(marker)
    expect(proxy.requests.filter(({ path }) => path.endsWith('post-process'))).toHaveLength(5)
  })
})
