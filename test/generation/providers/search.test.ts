import type { ServerResponse } from 'node:http'
import { describe, expect, it } from 'vitest'
import type { GenerationError } from '../../../src/generation/failure.ts'
import { pageList } from '../../../src/generation/providers/search.ts'
import type { SearchHit } from '../../../src/generation/providers/types.ts'
import { searchAt } from './search-at.ts'
import { context as contextOf, failure as failureOf, KEY, provider as serverOf } from './stage.ts'

const context = contextOf()
const query = { query: 'trees in cities', limit: 5, news: false }

/** A search provider of this kind, and what its server was asked. */
async function provider(kind: string, answer: (response: ServerResponse) => void) {
  const { url, asked } = await serverOf(answer)
  return { made: searchAt(kind, url), asked }
}

const json = (value: unknown) => (response: ServerResponse) =>
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(value))

async function found(kind: string, value: unknown, asking = query): Promise<SearchHit[]> {
  const { made } = await provider(kind, json(value))
  return made.read(await made.search(asking, context))
}

async function failure(kind: string, answer: (response: ServerResponse) => void): Promise<GenerationError> {
  const { made } = await provider(kind, answer)
  return failureOf(made.search(query, context))
}

describe('a search', () => {
  it('is asked of SearXNG as JSON, of its news for news', async () => {
    const { made, asked } = await provider('searxng', json({ results: [] }))
    await made.search(query, context)
    await made.search({ ...query, news: true }, context)
    expect(asked.map(({ path }) => path)).toEqual([
      '/search?q=trees+in+cities&format=json&categories=general',
      '/search?q=trees+in+cities&format=json&categories=news',
    ])
    expect(asked[0]?.headers['idempotency-key']).toBe(context.idempotencyKey)
  })

  it('is asked of Tavily with its key as a bearer', async () => {
    const { made, asked } = await provider('tavily', json({ results: [] }))
    await made.search({ ...query, news: true }, context)
    expect([asked[0]?.path, asked[0]?.headers.authorization]).toEqual(['/search', `Bearer ${KEY}`])
    expect(asked[0]?.body).toEqual({
      query: 'trees in cities',
      max_results: 5,
      topic: 'news',
      search_depth: 'basic',
    })
  })

  it('is asked of Brave with its key in its own header, and fifty words at most', async () => {
    const { made, asked } = await provider('brave', json({}))
    await made.search({ ...query, query: 'word '.repeat(60).trim() }, context)
    await made.search({ ...query, news: true }, context)
    const [web, news] = asked.map(({ path }) => new URL(path, 'http://brave'))
    expect([web?.pathname, news?.pathname]).toEqual(['/res/v1/web/search', '/res/v1/news/search'])
    expect(web?.searchParams.get('q')?.split(' ')).toHaveLength(50)
    expect(asked[0]?.headers['x-subscription-token']).toBe(KEY)
  })
})

describe('the results', () => {
  const page = { url: 'https://trees.example/a', title: 'Trees', published: '2026-05-01T00:00:00.000Z' }

  it('of SearXNG are read', async () => {
    const results = [{ ...page, title: '<b>Trees</b>', publishedDate: '2026-05-01' }]
    expect(await found('searxng', { results })).toEqual([page])
  })

  it('of Tavily are read', async () => {
    const published_date = 'Fri, 01 May 2026 00:00:00 GMT'
    expect(await found('tavily', { results: [{ ...page, published_date }] })).toEqual([page])
  })

  it('of Brave are read, of its web and of its news', async () => {
    const results = [{ ...page, title: '<strong>Trees</strong>', page_age: '2026-05-01T00:00:00Z' }]
    expect(await found('brave', { web: { results } })).toEqual([page])
    expect(await found('brave', { results })).toEqual([page])
    expect(await found('brave', { query: {} })).toEqual([])
  })

  it('that are none are passed over, and the others stay', async () => {
    const results = [
      null,
      7,
      { title: 'without an address' },
      { url: 'javascript:alert(1)' },
      { url: 'not an address' },
      { url: 'https://trees.example/b', title: 7, content: ['x'], publishedDate: 'yesterday' },
    ]
    expect(await found('searxng', { results })).toEqual([{ url: 'https://trees.example/b', title: '' }])
  })
})

describe('a failure', () => {
  const status =
    (code: number, headers: Record<string, string> = {}) =>
    (response: ServerResponse) =>
      response.writeHead(code, headers).end(`{"detail":"so it is, ${KEY}"}`)

  it.each([
    [429, 'PROVIDER_UNAVAILABLE', 'provider'],
    [500, 'PROVIDER_UNAVAILABLE', 'provider'],
    [401, 'PROVIDER_UNAVAILABLE', 'provider'],
    [432, 'PROVIDER_UNAVAILABLE', 'provider'],
    [404, 'PROVIDER_UNAVAILABLE', 'provider'],
    [400, 'PROVIDER_REJECTED', 'job'],
    [422, 'PROVIDER_REJECTED', 'job'],
  ])('of HTTP %i is %s, of the %s', async (code, reason, of) => {
    const error = await failure('tavily', status(code, { 'retry-after': '7' }))
    expect([error.reason, error.of, error.made]).toEqual([reason, of, false])
    expect(error.message).toContain('so it is')
    expect(error.message).not.toContain(KEY)
    expect(error.retryAfterMs).toBe(of === 'provider' ? 7_000 : undefined)
  })

  it('of SearXNG without JSON says which setting it lacks', async () => {
    expect((await failure('searxng', status(403))).message).toContain('search.formats')
    expect((await failure('tavily', status(403))).message).not.toContain('search.formats')
  })

  it('of a connection that breaks off is the provider’s', async () => {
    const error = await failure('searxng', (response) => response.socket?.destroy())
    expect([error.reason, error.of, error.made]).toEqual(['PROVIDER_UNAVAILABLE', 'provider', false])
  })

  it('of a search by POST that breaks off may have been charged', async () => {
    const error = await failure('tavily', (response) => response.socket?.destroy())
    expect([error.reason, error.of, error.made]).toEqual(['PROVIDER_UNAVAILABLE', 'provider', true])
  })

  it.each([
    ['a page', '<html>'],
    ['half of an answer', '{"results": [{'],
    ['another shape', '{"results": {"0": {}}}'],
    ['a list', '[]'],
  ])('of an answer that is %s is one that cannot be read', async (_what, body) => {
    const error = await failure('searxng', (response) => response.writeHead(200).end(body))
    expect([error.reason, error.of]).toEqual(['PROVIDER_UNAVAILABLE', 'provider'])
  })
})

describe('a list of pages', () => {
  const pages = [
    'https://a.example/history-of-ships',
    'https://a.example/trees-and-shade',
    'https://a.example/b%E0%A4%A',
    'https://a.example/trees',
  ]

  it('gives those first that have most words of the question in their addresses', async () => {
    const list = pageList({ name: 'list', model: '', concurrency: undefined, pages })
    const hits = list.read(
      await list.search({ query: 'The trees, their shade', limit: 2, news: false }, context),
    )
    expect(hits.map(({ url }) => url)).toEqual([
      'https://a.example/trees-and-shade',
      'https://a.example/trees',
    ])
  })
})
