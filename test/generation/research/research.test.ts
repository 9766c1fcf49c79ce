import { pino } from 'pino'
import { afterAll, describe, expect, it } from 'vitest'
import { createByteBudget } from '../../../src/bytes/budget.ts'
import type { DocumentRequest } from '../../../src/contract/generation/requests.ts'
import { jobFailure } from '../../../src/generation/failure.ts'
import { research } from '../../../src/generation/pipeline/research/research.ts'
import type { StepNeeds } from '../../../src/generation/pipeline/types.ts'
import { pageList } from '../../../src/generation/providers/search.ts'
import type { SearchProvider, TextProvider, TextRequest } from '../../../src/generation/providers/types.ts'
import { createOutbound } from '../../../src/outbound/outbound.ts'
import { serve } from '../../outbound/server.ts'
import { attempt, documentRequest, type Kept } from '../attempt.ts'
import { searchAt } from '../providers/search-at.ts'
import { noProviders } from '../providers.ts'
import { article, html, site } from './site.ts'

const outbound = createOutbound({ allowPrivate: ['127.0.0.1'], userAgent: 'Galley/0.0.0' })
afterAll(() => outbound.close())

/** What research comes to with these providers of search. */
async function researched(
  search: SearchProvider[],
  {
    request = {},
    kept,
    planner,
  }: { request?: Partial<DocumentRequest>; kept?: Kept; planner?: TextProvider } = {},
) {
  const run = attempt('document', { ...documentRequest, ...request }, kept)
  const needs = {
    providers: { ...noProviders, search: () => search, research: () => (planner ? [planner] : []) },
    outbound,
    budget: createByteBudget(),
    log: pino({ level: 'silent' }),
  } as unknown as StepNeeds
  const sources = await research(run, needs)
  return { sources, warnings: run.warnings, kept: run.kept }
}

const list = (...pages: string[]) => [pageList({ name: 'list', model: '', concurrency: undefined, pages })]

/** A model that plans the queries, by what it is asked. */
function planner(answer: (request: TextRequest) => string) {
  const requests: TextRequest[] = []
  const model: TextProvider = {
    name: 'planner',
    model: 'some',
    write: async (request) => {
      requests.push(request)
      return { provider: 'planner', model: 'some', body: answer(request) }
    },
    read: ({ body }) => ({ text: body.toString(), finish: 'stop' }),
  }
  return { model, requests }
}

const searched = () => {
  const queries: string[] = []
  const search: SearchProvider = {
    ...pageList({ name: 'list', model: '', concurrency: undefined, pages: [] }),
    search: async ({ query }) => {
      queries.push(query)
      return { provider: 'list', model: '', body: '{"results":[]}' }
    },
  }
  return { queries, search }
}

describe('the queries of a document', () => {
  it('are planned with the day on which it was asked for, and without a limit on the answer', async () => {
    const { model, requests } = planner(() => '<think>Hm</think>{"queries": ["tree shade 2026"]}')
    const { queries, search } = searched()
    await researched([search], { planner: model })
    expect(queries).toEqual(['tree shade 2026'])
    expect(requests).toHaveLength(1)
    expect(requests[0]?.system).toContain('Today is 2026-11-27.')
    expect(requests[0]).not.toHaveProperty('maxOutputTokens')
  })

  it('are asked for once more where an answer holds none', async () => {
    const answers = ['I would search for shade.', '{"searches": ["shade of trees"]}']
    const { model, requests } = planner(() => answers.shift() ?? '')
    const { queries, search } = searched()
    await researched([search], { planner: model })
    expect(queries).toEqual(['shade of trees'])
    expect(requests).toHaveLength(2)
  })

  it('are the words of the prompt where no answer holds any, which a warning says', async () => {
    const { queries, search } = searched()
    const { warnings } = await researched([search], { planner: planner(() => 'No.').model })
    expect(queries).toEqual([documentRequest.prompt, 'shade trees'])
    expect(warnings[0]).toMatchObject({ code: 'queries_not_planned' })
  })
})

describe('research', () => {
  it('reads the pages: their titles, what they say, when they were published, nothing that is hidden', async () => {
    const { origin } = await site({ '/a': html(article('Shade')) })
    const { sources, warnings } = await researched(list(`${origin}/a`))
    expect(sources).toHaveLength(1)
    expect(sources[0]).toMatchObject({
      id: 's1',
      url: `${origin}/a`,
      title: 'Shade',
      published: '2026-05-01T08:00:00.000Z',
    })
    expect(sources[0]?.text).toContain('Trees cool a street by several degrees')
    expect(sources[0]?.text).not.toMatch(/mayor|About|Copyright|</)
    expect(warnings).toEqual([])
  })

  it('numbers five sources at most, and goes on to others for those that it could not read', async () => {
    const paths = ['/1', '/2', '/3', '/4', '/5', '/6', '/7', '/8']
    const { origin, asked } = await site(
      Object.fromEntries(paths.filter((path) => path !== '/2').map((path) => [path, html(article(path))])),
    )
    const { sources, warnings } = await researched(list(...paths.map((path) => `${origin}${path}`)))
    expect(sources.map(({ id, title }) => [id, title])).toEqual([
      ['s1', '/1'],
      ['s2', '/3'],
      ['s3', '/4'],
      ['s4', '/5'],
      ['s5', '/6'],
    ])
    expect(warnings).toEqual([
      { code: 'page_not_read', message: `${origin}/2 was not read: its site answered HTTP 404.` },
    ])
    expect(asked).not.toContain('/7')
  })

  it('fetches nothing again in the next attempt, also of what could not be read', async () => {
    const { origin, asked } = await site({ '/a': html(article('A')) })
    const first = await researched(list(`${origin}/a`, `${origin}/gone`))
    const before = asked.length
    const second = await researched(list(`${origin}/a`, `${origin}/gone`), { kept: first.kept })
    expect(second).toEqual(first)
    expect(asked).toHaveLength(before)
  })

  it('fetches nothing that robots.txt forbids, be it behind a redirect', async () => {
    const robots = (text: string) => html(text, { 'content-type': 'text/plain' })
    const secret = await site({
      '/robots.txt': robots('User-agent: *\nDisallow: /'),
      '/s': html(article('S')),
    })
    const open = await site({
      '/robots.txt': robots('User-agent: galley\nDisallow: /no'),
      '/no': html(article('No')),
      '/moved': (response) => response.writeHead(302, { location: `${secret.origin}/s` }).end(),
      '/yes': html(article('Yes')),
    })
    const pages = ['/no', '/moved', '/yes'].map((path) => `${open.origin}${path}`)
    const { sources, warnings } = await researched(list(...pages))
    expect(sources.map(({ title }) => title)).toEqual(['Yes'])
    expect(secret.asked).toEqual(['/robots.txt'])
    expect(open.asked).not.toContain('/no')
    expect(warnings.map(({ message }) => message).sort()).toEqual(
      [
        expect.stringContaining(`robots.txt of ${new URL(secret.origin).host} does not allow it`),
        expect.stringContaining(`robots.txt of ${new URL(open.origin).host} does not allow it`),
      ].sort(),
    )
  })

  it('says why a site that cannot be reached, or asked for its robots.txt, was not read', async () => {
    const { origin } = await site({ '/robots.txt': (response) => response.writeHead(503).end() })
    const pages = ['http://10.1.2.3/a', 'http://127.0.0.1:1/a', `${origin}/a`]
    const { warnings } = await researched(list(...pages))
    expect(warnings.slice(0, 3).map(({ message }) => message)).toEqual([
      expect.stringContaining('Galley does not connect to 10.1.2.3'),
      expect.stringContaining('127.0.0.1:1 does not accept connections'),
      `${origin}/a was not read: its site answered HTTP 503 to the request for its robots.txt.`,
    ])
  })

  it('takes a page that two addresses lead to once', async () => {
    const { origin } = await site({
      '/old': (response) => response.writeHead(301, { location: '/new' }).end(),
      '/new': html(article('New')),
    })
    expect((await researched(list(`${origin}/old`, `${origin}/new`))).sources).toHaveLength(1)
  })

  it('names the address that answered as the source', async () => {
    const { origin } = await site({
      '/old': (response) => response.writeHead(301, { location: '/new' }).end(),
      '/new': html(article('New')),
    })
    expect((await researched(list(`${origin}/old`))).sources[0]?.url).toBe(`${origin}/new`)
  })

  it('passes over what is no page, says nothing, or redirects without an end', async () => {
    const { origin } = await site({
      '/pdf': html('%PDF-1.7', { 'content-type': 'application/pdf' }),
      '/empty': html('<p>Please sign in.</p>'),
      '/round': (response) => response.writeHead(302, { location: '/round' }).end(),
      '/gone': (response) => response.socket?.destroy(),
      '/plain': html('A plain text about trees. '.repeat(20), { 'content-type': 'text/plain' }),
    })
    const pages = ['/pdf', '/empty', '/round', '/gone', '/plain'].map((path) => `${origin}${path}`)
    const { sources, warnings } = await researched(list(...pages))
    expect(sources.map(({ url }) => url)).toEqual([`${origin}/plain`])
    expect(warnings.map(({ message }) => message.slice(message.indexOf(': ') + 2))).toEqual([
      'it is application/pdf, and not a page.',
      'there is no text to read in it.',
      'it redirects too often.',
      expect.stringContaining('the connection was closed'),
    ])
  })

  it('reads what is made to overflow or to hold up whoever reads it, and holds up nobody', async () => {
    const words = 'Trees cool a street by several degrees, say those who measured it. '
    const { origin } = await site({
      '/deep': html(`${'<div>'.repeat(50_000)}<p>${words.repeat(20)}</p>`),
      '/wide': html(`<html><body>${`<p>${words}</p>`.repeat(60_000)}`),
    })
    const { sources } = await researched(list(`${origin}/deep`, `${origin}/wide`))
    expect(sources).toHaveLength(2)
    for (const { text } of sources) expect(text.length).toBeLessThanOrEqual(9_000)
  })

  it('asks a search for the prompt and the keywords, and takes each page once', async () => {
    const pages = await site({ '/a?utm_source=x': html(article('A')), '/b/': html(article('B')) })
    const results = ['/a?utm_source=x', '/b/', '/a#part', '/b'].map((path) => ({ url: pages.origin + path }))
    const queries: (string | null)[] = []
    const engine = await serve((request, response) => {
      queries.push(new URL(request.url ?? '', pages.origin).searchParams.get('q'))
      response.end(JSON.stringify({ results }))
    })
    const { sources } = await researched([searchAt('searxng', engine)])
    expect(queries.sort()).toEqual(['How cities plant trees, and what the shade does', 'shade trees'])
    expect(sources.map(({ title }) => title)).toEqual(['A', 'B'])
    expect(pages.asked.sort()).toEqual(['/a?utm_source=x', '/b/', '/robots.txt'])
  })
})

describe('without a source', () => {
  it('a document says that nobody was asked', async () => {
    const { sources, warnings } = await researched([])
    expect(sources).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['no_search_provider'])
  })

  it('an article says that nothing could be read', async () => {
    const { origin } = await site({})
    const { sources, warnings } = await researched(list(`${origin}/a`))
    expect(sources).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['page_not_read', 'nothing_readable'])
  })

  const broke: SearchProvider = {
    ...searched().search,
    search: () => Promise.reject(jobFailure('PROVIDER_UNAVAILABLE', 'The account is out of credit.')),
  }

  it('an article says that the search failed, and not that it found nothing', async () => {
    const { sources, warnings } = await researched([broke])
    expect(sources).toEqual([])
    expect(warnings.map(({ code }) => code)).toEqual(['search_failed', 'search_failed', 'search_failed'])
    expect(warnings.map(({ message }) => message).join()).not.toContain('found nothing')
  })

  it('news fail with the failure of the search', async () => {
    const news = researched([broke], { request: { content_type: 'news' } })
    await expect(news).rejects.toMatchObject({
      reason: 'PROVIDER_UNAVAILABLE',
      of: 'job',
      message: expect.stringContaining('The account is out of credit.'),
    })
  })

  it('news are not written', async () => {
    const { origin } = await site({})
    await expect(
      researched(list(`${origin}/a`), { request: { content_type: 'news' } }),
    ).rejects.toMatchObject({ reason: 'SOURCES_UNAVAILABLE', of: 'job' })
  })

  it('news are written where nobody can be asked, and say so', async () => {
    const { warnings } = await researched([], { request: { content_type: 'news' } })
    expect(warnings.map(({ code }) => code)).toEqual(['no_search_provider'])
  })
})
