import { afterEach, describe, expect, it } from 'vitest'
import type { WordPressClient } from '../../src/wordpress/client/client.ts'
import { deletePost, findPostsByMarker, getPost } from '../../src/wordpress/posts/find.ts'
import { fillPost, reservePost } from '../../src/wordpress/posts/write.ts'
import { createTerm } from '../../src/wordpress/terms/find-or-create.ts'
import { createSiteTraffic, type SiteTraffic } from '../../src/wordpress/traffic/site-traffic.ts'
import type { PostRecord } from '../../src/wordpress/types.ts'
import {
  alter,
  answer,
  batchInvalid,
  type FaultProxy,
  memberAnswers,
  pages,
  resetAfter,
  startFaultProxy,
  truncate,
} from '../support/proxy/index.ts'
import { clientAs, type Role, unique, wordpress } from './site.ts'

const postType = 'posts'
const made: number[] = []

afterEach(async () => {
  const client = clientAs('administrator')
  for (const id of made.splice(0)) await deletePost(client, { postType, id })
})

interface Together {
  client: WordPressClient
  traffic: SiteTraffic
  proxy: FaultProxy
  /** What was sent, without what was asked about batches: `POST /batch/v1 207`. */
  sent: () => string[]
}

/** A client whose requests may go together, and the proxy that sees them. */
async function together(
  work: (given: Together) => Promise<void>,
  { role = 'author', concurrency = 4 }: { role?: Role; concurrency?: number } = {},
): Promise<void> {
  const proxy = await startFaultProxy(wordpress().url)
  const traffic = createSiteTraffic({ concurrency, batch: 'auto' })
  const client = clientAs(role, { restRoot: `${proxy.url}/wp-json/`, traffic })
  const sent = () =>
    proxy.requests
      .filter(({ method }) => method !== 'OPTIONS')
      .map(({ method, path, status }) => `${method} ${path.replace(/\/\d+$/, '/ID')} ${status}`)
  try {
    await work({ client, traffic, proxy, sent })
  } finally {
    await proxy.close()
  }
}

/** So many drafts with markers, asked for in the same moment. */
async function reserveMany(client: WordPressClient, count: number): Promise<PostRecord[]> {
  const markers = Array.from({ length: count }, () => unique('galley'))
  const posts = await Promise.all(
    markers.map((marker) => reservePost(client, { postType, title: `Harbour ${marker}`, marker })),
  )
  made.push(...posts.map(({ id }) => id))
  expect(posts.map(({ slug }) => slug)).toEqual(markers)
  return posts
}

describe('requests that wait for each other go as one', () => {
  it('drafts are reserved and filled, each by its own answer', () =>
    together(async ({ client, sent }) => {
      const posts = await reserveMany(client, 5)
      const filled = await Promise.all(
        posts.map(({ id }, at) =>
          fillPost(client, {
            postType,
            id,
            fields: { title: `A\\B “${at}”`, content: `<p>back\\slash ${at}</p>`, slug: unique('harbour') },
          }),
        ),
      )
      expect(filled.map(({ id }) => id)).toEqual(posts.map(({ id }) => id))
      expect(filled.map(({ title, content }) => [title, content])).toEqual(
        posts.map((_, at) => [`A\\B “${at}”`, `<p>back\\slash ${at}</p>`]),
      )
      expect(sent()).toEqual([...Array(2)].fill('POST /batch/v1 207'))
    }))

  it('keep types and bytes as single requests do, and are deleted so', () =>
    together(async ({ client, sent }) => {
      const posts = await reserveMany(client, 2)
      const content = '<p>a\\\\b "q" ’ &amp; é 😀</p>'
      const fields = { content, categories: [], status: 'draft' as const, slug: '' }
      const [one, two] = await Promise.all(
        posts.map(({ id }, at) => fillPost(client, { postType, id, fields: { ...fields, title: `${at}` } })),
      )
      const direct = clientAs('author')
      const alone = await fillPost(direct, { postType, id: one?.id ?? 0, fields: { ...fields, title: '0' } })
      expect({ ...one, modifiedGmt: '' }).toEqual({ ...alone, modifiedGmt: '' })
      expect(two?.content).toBe(content)
      await Promise.all(made.splice(0).map((id) => deletePost(client, { postType, id })))
      expect(await getPost(client, { postType, id: one?.id ?? 0 })).toBeNull()
      expect(sent().slice(0, 3)).toEqual(Array(3).fill('POST /batch/v1 207'))
    }))

  it('are at most as many as WordPress says, which refuses one more', () =>
    together(async ({ proxy, client, traffic }) => {
      traffic.concurrency = 1
      const gone = Array.from({ length: 60 }, (_, at) => 2_000_000_000 + at)
      await Promise.allSettled(
        gone.map((id) => fillPost(client, { postType, id, fields: { title: 'Gone' } })),
      )
      expect(proxy.requests.map(({ method, status }) => `${method} ${status}`)).toEqual([
        'OPTIONS 200',
        ...Array(5).fill('POST 207'),
      ])
      const requests = Array.from({ length: 26 }, () => ({ method: 'DELETE', path: '/wp/v2/posts/0' }))
      const tooMany = clientAs('author').request({
        method: 'POST',
        path: '/batch/v1',
        data: { requests },
        doing: 'sending',
        subject: 'site',
      })
      await expect(tooMany).rejects.toMatchObject({ code: 'field_refused' })
    }))

  it('one by itself goes as a request of its own, and nothing is asked about batches', () =>
    together(async ({ client, proxy }) => {
      await reserveMany(client, 1)
      expect(proxy.requests.map(({ path }) => path)).toEqual(['/wp/v2/posts'])
    }))

  it('one that is refused leaves the others as they are', () =>
    together(
      async ({ client, sent }) => {
        const [first, second] = await reserveMany(client, 2)
        const gone = 2_000_000_000
        const answers = await Promise.allSettled([
          fillPost(client, { postType, id: first?.id ?? 0, fields: { title: 'Filled' } }),
          fillPost(client, { postType, id: second?.id ?? 0, fields: { status: 'publish' } }),
          fillPost(client, { postType, id: gone, fields: { title: 'Filled' } }),
        ])
        expect(answers).toMatchObject([
          { value: { title: 'Filled' } },
          { reason: { code: 'cannot_publish', fault: 'owner', details: { status: 403 } } },
          { reason: { code: 'post_gone', message: expect.stringContaining('filling the post') } },
        ])
        expect(sent()).toEqual([...Array(2)].fill('POST /batch/v1 207'))
      },
      { role: 'contributor' },
    ))

  it('terms are made in one, and one that is there already is adopted', () =>
    together(
      async ({ client, sent }) => {
        const [one, two] = [unique('Harbour & sea'), unique('Boats')]
        const wanted = [one, two, one].map((name) => createTerm(client, { taxonomy: 'tags', name }))
        const [first, second, again] = await Promise.all(wanted)
        expect(again).toBe(first)
        expect(second).not.toBe(first)
        // The last is looked at: an answer that says which one exists may be another's.
        expect(sent()).toEqual(['POST /batch/v1 207', 'GET /wp/v2/tags 200'])
        await client.request({
          method: 'DELETE',
          path: `/wp/v2/tags/${first}`,
          query: { force: true },
          doing: 'deleting',
          subject: 'term',
        })
      },
      { role: 'administrator' },
    ))
})

describe('a site that takes no batches', () => {
  it('refuses them by a firewall: all go by themselves, and no batch is tried again', () =>
    together(async ({ client, traffic, proxy, sent }) => {
      const posts = await reserveMany(client, 2)
      proxy.rule({ path: '/batch/v1' }, answer(pages.wordfence))
      const fill = () =>
        Promise.all(
          posts.map(({ id }) =>
            client.request({
              method: 'POST',
              path: `/wp/v2/posts/${id}`,
              data: { title: 'Filled' },
              doing: 'filling the post',
              subject: 'post',
              repeatable: true,
            }),
          ),
        )
      await fill()
      await fill()
      expect(sent().slice(1)).toEqual([
        expect.stringContaining('POST /batch/v1'),
        ...Array(4).fill('POST /wp/v2/posts/ID 200'),
      ])
      expect(traffic.persists()).toBe(false)
    }))
})

describe('a batch whose answer is lost', () => {
  it('is ambiguous for each of its members, whose posts are found by their markers', () =>
    together(async ({ client, proxy }) => {
      await reserveMany(client, 2)
      proxy.rule({ path: '/batch/v1' }, resetAfter)
      const markers = [unique('galley'), unique('galley')]
      const lost = await Promise.allSettled(
        markers.map((marker) => reservePost(client, { postType, title: 'Lost', marker })),
      )
      expect(lost).toMatchObject(
        Array(2).fill({ reason: { code: 'connection_lost', action: 'ambiguous', fault: 'site' } }),
      )
      for (const marker of markers) {
        const found = await findPostsByMarker(client, { postType, marker })
        made.push(...found.map(({ id }) => id))
        expect(found).toHaveLength(1)
      }
    }))

  it('is asked for again where that changes nothing', () =>
    together(async ({ client, proxy, sent }) => {
      const posts = await reserveMany(client, 4)
      proxy.rule({ path: '/batch/v1', nth: 1 }, truncate)
      const filled = await Promise.all(
        posts.map(({ id }) => fillPost(client, { postType, id, fields: { title: `Post ${id}` } })),
      )
      expect(filled.map(({ id }) => id)).toEqual(posts.map(({ id }) => id))
      expect(sent().slice(-2)).toEqual(Array(2).fill('POST /batch/v1 207'))
    }))

  it('because of one of them costs the others nothing', () =>
    together(async ({ client, proxy, traffic }) => {
      const posts = await reserveMany(client, 5)
      const crashes = ({ body }: { body: Buffer }) => body.includes('Poison')
      proxy.rule({ where: crashes }, answer(pages.phpFatal))
      const settled = await Promise.allSettled(
        posts.map(({ id }, at) =>
          fillPost(client, { postType, id, fields: { title: at === 3 ? 'Poison' : 'Fine' } }),
        ),
      )
      expect(settled.map(({ status }) => status)).toEqual([
        'fulfilled',
        'fulfilled',
        'fulfilled',
        'rejected',
        'fulfilled',
      ])
      expect(settled[3]).toMatchObject({ reason: { code: 'php_fatal_error', action: 'ambiguous' } })
      expect(traffic.persists()).toBe(false)
    }))

  it('with answers in another order is believed by none of them: each is filled again by itself', () =>
    together(async ({ client, proxy, sent }) => {
      const posts = await reserveMany(client, 3)
      proxy.rule(
        { path: '/batch/v1' },
        alter('another order', (reply) => {
          const { responses } = JSON.parse(reply.body.toString()) as { responses: unknown[] }
          return { ...reply, body: Buffer.from(JSON.stringify({ responses: responses.reverse() })) }
        }),
      )
      const answers = await Promise.allSettled(
        posts.map(({ id }) => fillPost(client, { postType, id, fields: { title: `Post ${id}` } })),
      )
      expect(answers).toMatchObject(posts.map(({ id }) => ({ value: { id, title: `Post ${id}` } })))
      expect(sent().slice(2)).toEqual(Array(3).fill('POST /wp/v2/posts/ID 200'))
      for (const { id } of posts) expect((await getPost(client, { postType, id }))?.title).toBe(`Post ${id}`)
    }))

  it('with answers that are none is no failure of the site: what may be is made again by itself, the rest looked for', () =>
    together(async ({ client, traffic, proxy, sent }) => {
      const posts = await reserveMany(client, 2)
      proxy.rule(
        { method: 'POST', path: '/batch/v1' },
        memberAnswers('none', (all) => all.map(() => ({ status: 0 }))),
      )
      const title = 'Filled'
      const filled = posts.map(({ id }) => fillPost(client, { postType, id, fields: { title } }))
      expect(await Promise.all(filled)).toMatchObject([{ title }, { title }])
      expect(sent().slice(2)).toEqual(Array(2).fill('POST /wp/v2/posts/ID 200'))
      expect(traffic.persists()).toBe(false)
    }))

  it('with one answer that is none is believed by the others, and that one is looked for', () =>
    together(async ({ client, traffic, proxy }) => {
      proxy.rule(
        { method: 'POST', path: '/batch/v1' },
        memberAnswers('one is none', ([, ...others]) => [{ status: 0 }, ...others]),
      )
      const markers = [unique('galley'), unique('galley')]
      const [lost, other] = await Promise.allSettled(
        markers.map((marker) => reservePost(client, { postType, title: 'Lost', marker })),
      )
      expect(lost).toMatchObject({ reason: { code: 'answer_unexpected', action: 'ambiguous' } })
      expect(other).toMatchObject({ value: { slug: markers[1] } })
      for (const marker of markers) {
        const found = await findPostsByMarker(client, { postType, marker })
        made.push(...found.map(({ id }) => id))
        expect(found).toHaveLength(1)
      }
      expect(await traffic.again((lost as PromiseRejectedResult).reason, 1)).toBe(true)
      expect(traffic.persists()).toBe(false)
    }))

  it('of which one is said to be invalid is sent again one by one: none was carried out', () =>
    together(async ({ client, proxy, sent }) => {
      const posts = await reserveMany(client, 2)
      proxy.rule({ method: 'POST', path: '/batch/v1' }, batchInvalid)
      const title = 'Filled'
      const filled = posts.map(({ id }) => fillPost(client, { postType, id, fields: { title } }))
      expect(await Promise.all(filled)).toMatchObject([{ title }, { title }])
      expect(sent().slice(2)).toEqual(Array(2).fill('POST /wp/v2/posts/ID 200'))
    }))
})
