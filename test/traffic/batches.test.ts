import { describe, expect, it } from 'vitest'
import {
  ends,
  type FakeSite,
  fakeSite,
  fill,
  fillMany,
  look,
  type Member,
  reserve,
  type Said,
  type Trouble,
  upTo,
} from './fake-site.ts'

/** A site that has answered well, and has said how many requests it takes. */
async function batchingSite(settings: Parameters<typeof fakeSite>[0] = {}): Promise<FakeSite> {
  const site = await fakeSite(settings)
  await fillMany(site.client, 2)
  site.heard.length = 0
  return site
}

/** What happens to batches alone. */
const ofBatches =
  (trouble: (members: Member[]) => ReturnType<Trouble>): Trouble =>
  ({ path, body }) =>
    path === '/batch/v1' && body.requests !== undefined ? trouble(body.requests) : undefined

const answered = (responses: unknown[], status = 207): Said => ({ status, body: { responses } })

/** As WordPress answers a fill. */
const filled = ({ path, body }: Member) => ({
  status: 200,
  headers: [],
  body: { id: Number(/\/(\d+)/.exec(path)?.[1]), ...body },
})

const reasonOf = (settled: PromiseSettledResult<unknown> | undefined): unknown =>
  settled?.status === 'rejected' ? settled.reason : settled

describe('a batch', () => {
  it('holds what waits in the same moment, as much as the site says that it takes', async () => {
    const { client, went, heard } = await fakeSite({ concurrency: 1, maxItems: 4 })
    expect(ends(await fillMany(client, 10))).toEqual(upTo(10))
    expect(went()).toEqual(['batch of 4', 'batch of 4', 'batch of 2'])
    expect(heard.filter(({ method }) => method === 'OPTIONS')).toHaveLength(1)
  })

  it('begins small and grows with quick answers', async () => {
    const { client, went } = await fakeSite({ concurrency: 1 })
    expect(ends(await fillMany(client, 100))).toEqual(upTo(100))
    expect(went()).toEqual([5, 10, 15, 20, 25, 25].map((count) => `batch of ${count}`))
  })

  it('holds at most ten that make something', async () => {
    const { client, went } = await fakeSite({ concurrency: 1 })
    await fillMany(client, 100)
    const before = went().length
    await Promise.all(upTo(25).map((number) => reserve(client, `galley-${number}`)))
    expect(went().slice(before)).toEqual(['batch of 10', 'batch of 10', 'batch of 5'])
    await fillMany(client, 25)
    expect(went().at(-1)).toBe('batch of 25')
  })

  /** A site that takes batches of 25, of which those at these places, from 0, are answered 500. */
  async function failing(places: number[]): Promise<FakeSite> {
    const site = await fakeSite({ concurrency: 1 })
    await fillMany(site.client, 100)
    site.heard.length = 0
    let place = 0
    site.trouble(
      ofBatches(() =>
        places.includes(place++) ? { status: 500, body: 'Internal Server Error' } : undefined,
      ),
    )
    return site
  }

  const sizesOf = ({ went }: FakeSite) => went().map((batch) => Number(batch.split(' ').at(-1)))

  it('is as large as before after a failure that stands alone, but for those who were in it', async () => {
    const site = await failing([0])
    expect(ends(await fillMany(site.client, 75))).toEqual(upTo(75))
    const [failed, ...sizes] = sizesOf(site)
    expect(failed).toBe(25)
    // On a busy machine those who were in it are due again before all others have gone, and go with them.
    expect(sizes).toContain(25)
    expect(sizes.reduce((sum, size) => sum + size, 0)).toBe(75)
  })

  it('is half as large after a second failure of the server among ten answers, and grows again', async () => {
    const site = await failing([0, 2])
    expect(ends(await fillMany(site.client, 100))).toEqual(upTo(100))
    const sizes = sizesOf(site).slice(3)
    expect(Math.max(...sizes)).toBeLessThan(25)
    expect(new Set(sizes).size).toBeGreaterThan(1)
  })

  it('is spread over the places that are free', async () => {
    const { client, went, heard } = await batchingSite({ concurrency: 4 })
    await fillMany(client, 100)
    heard.length = 0
    await fillMany(client, 20)
    expect(went()).toEqual(Array(4).fill('batch of 5'))
  })

  it('never holds two requests about one post, nor two that ask for one slug', async () => {
    const { client, went } = await batchingSite()
    await Promise.all([fill(client, 1), fill(client, 2), fill(client, 1, { title: 'Newer' })])
    expect(went().sort()).toEqual(['POST /wp/v2/posts/1', 'batch of 2'])
    await Promise.all([reserve(client, 'galley-1'), reserve(client, 'galley-1')])
    expect(went().slice(2)).toEqual(['POST /wp/v2/posts', 'POST /wp/v2/posts'])
    await Promise.all([fill(client, 1, { slug: '' }), fill(client, 2, { slug: '' })])
    expect(went().at(-1)).toBe('batch of 2')
  })

  it('never holds requests of two users', async () => {
    const { client, as, went } = await batchingSite()
    await Promise.all([fill(client, 1), fill(as('editor'), 2), fill(client, 3), fill(as('editor'), 4)])
    expect(went()).toEqual(['batch of 2', 'batch of 2'])
  })

  it('is kept below what web servers take', async () => {
    const { client, heard } = await batchingSite({ concurrency: 1 })
    const long = 'x'.repeat(400_000)
    expect(ends(await fillMany(client, 5, { title: long }))).toEqual(upTo(5))
    expect(heard.map(({ body }) => body.requests?.length ?? 1)).toEqual([2, 2, 1])
  })

  it('keeps each member apart from what is cached by address, and sends none of the editor’s parameters', async () => {
    const { client, heard } = await batchingSite()
    await fillMany(client, 3)
    const paths = heard[0]?.body.requests?.map(({ path }) => path) ?? []
    expect(new Set(paths.map((path) => path.split('galley_request=')[1])).size).toBe(3)
    expect(paths.join()).not.toContain('_locale')
  })

  it('leaves without those that may not leave any more', async () => {
    const { client, as, traffic, went } = await batchingSite()
    const stalled = as('author', {
      traffic,
      beforeSend: () => {
        throw new TypeError('slept too long')
      },
    })
    const settled = await Promise.allSettled([fill(client, 1), fill(stalled, 2), fill(client, 3)])
    expect(settled).toMatchObject([
      { status: 'fulfilled' },
      { reason: expect.objectContaining({ message: expect.stringContaining('slept too long') }) },
      { status: 'fulfilled' },
    ])
    expect(went()).toEqual(['batch of 2'])
  })

  it('that none of its members may send does not leave', async () => {
    const { as, traffic, heard } = await batchingSite()
    const stalled = as('author', {
      traffic,
      beforeSend: () => {
        throw new TypeError('slept too long')
      },
    })
    await Promise.allSettled([fill(stalled, 1), fill(stalled, 2)])
    expect(heard).toEqual([])
  })
})

describe('the answers to a batch', () => {
  it('are judged one by one, as those of single requests', async () => {
    const { client, trouble, went } = await batchingSite()
    const refusals = [
      { status: 404, headers: {}, body: { code: 'rest_post_invalid_id', message: 'No.' } },
      {
        status: 200,
        headers: [],
        body: { code: 'rest_cannot_publish', message: 'No.', data: { status: 403 } },
      },
    ]
    trouble(ofBatches((members) => answered([filled(members[0] as Member), ...refusals])))
    const settled = await fillMany(client, 3)
    expect(ends(settled)).toEqual([1, 'post_gone', 'cannot_publish'])
    expect(reasonOf(settled[1])).toMatchObject({
      fault: 'delivery',
      message: expect.stringContaining('while filling the post'),
    })
    expect(went()).toEqual(['batch of 3'])
  })

  it('have one that failed in the server tried again by itself, where it may be', async () => {
    const { client, trouble, went } = await batchingSite()
    const failed = { status: 500, headers: [], body: { code: 'db_update_error', message: 'No.' } }
    trouble(ofBatches((members) => answered(members.map((one, at) => (at === 1 ? failed : filled(one))))))
    expect(ends(await fillMany(client, 3))).toEqual([1, 2, 3])
    expect(went()).toEqual(['batch of 3', 'POST /wp/v2/posts/2'])
  })

  const mismatches: [string, (members: Member[]) => ReturnType<Trouble>][] = [
    ['too few', (members) => answered(members.slice(1).map(filled))],
    ['too many', (members) => answered([...members, members[0] as Member].map(filled))],
    ['in another order', (members) => answered(members.map(filled).reverse())],
    ['with another status', (members) => answered(members.map(filled), 200)],
    [
      'that refuse all because of one',
      (members) => {
        const mismatch = {
          status: 400,
          headers: [],
          body: { code: 'rest_invalid_param', message: 'No: slug' },
        }
        const responses = members.map((_, at) => (at === 1 ? mismatch : null))
        return { status: 207, body: { failed: 'validation', responses } }
      },
    ],
    ['of another shape', () => ({ status: 207, body: { answers: [] } })],
  ]
  for (const [how, mismatch] of mismatches) {
    it(`${how}: none is believed, what may be repeated goes by itself, and batches rest`, async () => {
      const { client, trouble, went, traffic } = await batchingSite()
      trouble(ofBatches(mismatch))
      const both = await Promise.allSettled([
        ...upTo(2).map((id) => fill(client, id)),
        ...upTo(2).map((id) => fill(client, 10 + id, { repeatable: false })),
      ])
      expect(ends(both)).toEqual([1, 2, 'answer_unexpected', 'answer_unexpected'])
      const error = reasonOf(both[2])
      expect(error).toMatchObject({
        action: 'ambiguous',
        message: expect.stringContaining('no answer to this request'),
      })
      expect(await traffic.again(error, 1)).toBe(true)
      trouble(() => undefined)
      await fillMany(client, 2)
      expect(went()).toEqual([
        'batch of 4',
        'POST /wp/v2/posts/1',
        'POST /wp/v2/posts/2',
        'POST /wp/v2/posts/1',
        'POST /wp/v2/posts/2',
      ])
      expect(traffic.persists()).toBe(false)
    })
  }

  it('of which one has no shape leave that one without', async () => {
    const { client, trouble } = await batchingSite()
    trouble(ofBatches((members) => answered(members.map((one, at) => (at === 1 ? null : filled(one))))))
    expect(ends(await fillMany(client, 3, { repeatable: false }))).toEqual([1, 'answer_unexpected', 3])
  })

  it('name one post for two that were to be made: none is believed', async () => {
    const { client, trouble } = await batchingSite()
    trouble(
      ofBatches((members) => answered(members.map(() => ({ status: 201, headers: [], body: { id: 5 } })))),
    )
    const settled = await Promise.allSettled([reserve(client, 'galley-1'), reserve(client, 'galley-2')])
    expect(ends(settled)).toEqual(['answer_unexpected', 'answer_unexpected'])
  })

  for (const trouble of ['cut', 'reset'] as const) {
    it(`that are lost (${trouble}) are ambiguous for each, and asked for again where that changes nothing`, async () => {
      const site = await batchingSite()
      let left = 1
      site.trouble(ofBatches(() => (left-- > 0 ? trouble : undefined)))
      const settled = await Promise.allSettled([
        ...upTo(3).map((id) => fill(site.client, id)),
        reserve(site.client, 'galley-1'),
      ])
      expect(ends(settled)).toEqual([1, 2, 3, 'connection_lost'])
      expect(reasonOf(settled[3])).toMatchObject({ action: 'ambiguous', fault: 'site' })
      expect(site.went()).toEqual(['batch of 4', 'batch of 2', 'POST /wp/v2/posts/3'])
    })
  }
})

describe('those whose batch was lost', () => {
  it('come back together: what it left is looked for in one request, and the rest is made in two', async () => {
    const { client, traffic, went, trouble } = await batchingSite({ concurrency: 1 })
    const slugs = upTo(10).map((at) => `galley-${at}`)
    await fillMany(client, 20)
    let lost = false
    trouble(
      ofBatches(() => {
        if (lost) return undefined
        lost = true
        return 'reset'
      }),
    )
    const before = went().length
    // As a delivery does it.
    const make = async (slug: string) => {
      try {
        return await reserve(client, slug)
      } catch (error) {
        expect(await traffic.again(error, 1)).toBe(true)
        await traffic.gather('posts', slug, async (all) => {
          await look(client)
          return all
        })
        return reserve(client, slug)
      }
    }
    await Promise.all(slugs.map(make))
    expect(went().slice(before)).toEqual(['batch of 10', 'GET /wp/v2/posts/1', 'batch of 5', 'batch of 5'])
  })
})

describe('one that breaks every batch it is in', () => {
  const poisonous: Trouble = ({ body: { requests, title } }) =>
    title === 'Poison' || requests?.some(({ body }) => body?.title === 'Poison')
      ? { status: 500, body: 'Fatal error: out of memory' }
      : undefined

  it('is told apart from the others, and fails alone', async () => {
    const { client, trouble, traffic } = await batchingSite()
    trouble(poisonous)
    const settled = await Promise.allSettled(
      upTo(5).map((id) => fill(client, id, { title: id === 4 ? 'Poison' : 'Fine' })),
    )
    expect(ends(settled)).toEqual([1, 2, 3, 'php_fatal_error', 5])
    expect(traffic.persists()).toBe(false)
  })

  it('goes alone also where each is asked for anew, after it was looked for', async () => {
    const { client, trouble, traffic, went } = await batchingSite()
    trouble(poisonous)
    const ofOne: boolean[] = []
    const round = async () => {
      const settled = await Promise.allSettled(
        upTo(5).map((id) => fill(client, id, { title: id === 4 ? 'Poison' : 'Fine', repeatable: false })),
      )
      ofOne.push(traffic.isOfOne(reasonOf(settled[3])))
      return ends(settled)
    }
    await round()
    await round()
    expect(await round()).toEqual([1, 2, 3, 'php_fatal_error', 5])
    expect(went()[0]).toBe('batch of 5')
    expect(went()).toContain('POST /wp/v2/posts/4')
    // Who was in a batch may have suffered for another.
    expect(ofOne).toEqual([false, false, true])
  })
})

describe('a site that takes no batches', () => {
  const refusals: [string, Said][] = [
    ['a firewall’s page', { status: 403, body: 'This response was generated by Wordfence.' }],
    ['a plugin’s refusal', { status: 403, body: { code: 'rest_forbidden', message: 'No.' } }],
    ['no such route', { status: 404, body: { code: 'rest_no_route', message: 'No.' } }],
    ['a method that is not allowed', { status: 405, body: 'Not allowed' }],
    [
      'a parameter that is not allowed',
      { status: 400, body: { code: 'rest_invalid_param', message: 'No.' } },
    ],
  ]
  for (const [how, refusal] of refusals) {
    it(`(${how}) gets single requests at once, and no batch for an hour`, async () => {
      const clock = { ms: 1_000_000 }
      const { client, trouble, went, traffic } = await batchingSite({ now: () => clock.ms })
      trouble(ofBatches(() => refusal))
      expect(ends(await fillMany(client, 3))).toEqual([1, 2, 3])
      expect(ends(await fillMany(client, 3))).toEqual([1, 2, 3])
      expect(went().filter((one) => one.startsWith('batch'))).toEqual(['batch of 3'])
      expect(went()).toHaveLength(1 + 3 + 3)
      expect(traffic.persists()).toBe(false)
      clock.ms += 61 * 60_000
      trouble(() => undefined)
      await fillMany(client, 3)
      expect(went().at(-1)).toBe('batch of 3')
    })
  }

  it('says so when it is asked how many, and is not sent one', async () => {
    const { client, trouble, went } = await fakeSite()
    trouble(({ method }) =>
      method === 'OPTIONS' ? { status: 404, body: { code: 'rest_no_route', message: 'No.' } } : undefined,
    )
    expect(ends(await fillMany(client, 3))).toEqual([1, 2, 3])
    expect(went().sort()).toEqual(upTo(3).map((id) => `POST /wp/v2/posts/${id}`))
  })

  it('whose firewall refuses everything is asked once more, not by each of them', async () => {
    const { client, trouble, went, traffic } = await batchingSite()
    trouble(() => ({ status: 403, body: 'This response was generated by Wordfence.' }))
    expect(ends(await fillMany(client, 5))).toEqual(Array(5).fill('firewall_wordfence'))
    expect(went()).toEqual(['batch of 5', 'POST /wp/v2/posts/1'])
    expect(traffic.persists()).toBe(true)
  })

  it('of this size gets smaller ones', async () => {
    const { client, trouble, went } = await batchingSite({ concurrency: 1 })
    trouble(ofBatches((members) => (members.length > 3 ? { status: 413, body: 'Too large' } : undefined)))
    expect(ends(await fillMany(client, 5))).toEqual(upTo(5))
    expect(went()).toEqual(['batch of 5', 'batch of 2', 'batch of 2', 'POST /wp/v2/posts/5'])
  })

  it('of a type whose routes take none gets those by themselves', async () => {
    const { client, trouble, went } = await batchingSite()
    const refused = { status: 400, headers: [], body: { code: 'rest_batch_not_allowed', message: 'No.' } }
    trouble(
      ofBatches((members) =>
        answered(members.map((one) => (one.path.includes('/books') ? refused : filled(one)))),
      ),
    )
    const book = (id: number) =>
      client.request({
        method: 'POST',
        path: `/wp/v2/books/${id}`,
        data: {},
        doing: 'filling',
        subject: 'post',
      })
    expect(ends(await Promise.allSettled([fill(client, 1), book(2), fill(client, 3)]))).toEqual([1, 2, 3])
    expect(ends(await Promise.allSettled([fill(client, 1), book(2), fill(client, 3)]))).toEqual([1, 2, 3])
    expect(went()).toEqual(['batch of 3', 'POST /wp/v2/books/2', 'batch of 2', 'POST /wp/v2/books/2'])
  })

  it('asks for fewer requests (429): each is told so, and nothing more is sent', async () => {
    const { client, trouble, went, traffic } = await batchingSite()
    trouble(() => ({ status: 429, body: 'Too many', headers: { 'retry-after': '30' } }))
    const settled = await fillMany(client, 8)
    expect(ends(settled)).toEqual(Array(8).fill('rate_limited'))
    expect(reasonOf(settled[7])).toMatchObject({ retryAfterMs: 30_000, action: 'retry' })
    expect(went().length).toBeLessThanOrEqual(2)
    expect(traffic.persists()).toBe(true)
  })
})

describe('what goes by itself beside batches', () => {
  it('are reads, files, and what is about neither posts nor terms', async () => {
    const { client, went } = await batchingSite()
    const user = () =>
      client.request({ method: 'POST', path: '/wp/v2/users/1', data: {}, doing: 'writing', subject: 'user' })
    await Promise.all([look(client), user(), user(), fill(client, 1), fill(client, 2)])
    expect(went().sort()).toEqual([
      'GET /wp/v2/posts/1',
      'POST /wp/v2/users/1',
      'POST /wp/v2/users/1',
      'batch of 2',
    ])
  })
})
