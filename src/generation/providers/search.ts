import { decodeHTML } from 'entities'
import { decodedSlug } from '../../lib/slug.ts'
import { excerpt, parseJson, scalarText, stripTags } from '../../lib/text.ts'
import { GenerationError } from '../failure.ts'
import { type Named, type ProviderAccess, providerIdentity } from './access.ts'
import { asObject } from './provider-errors.ts'
import { failureOfAnswer, type ProviderRequest, requestProvider } from './provider-request.ts'
import type { SearchHit, SearchProvider } from './types.ts'

type Query = Parameters<SearchProvider['search']>[0]
type Members = Record<string, unknown>

/** A service that searches the web: how it is asked, and how its results call what Galley reads. */
interface SearchEngine {
  ask(query: Query, access: ProviderAccess): Pick<ProviderRequest, 'path' | 'method' | 'body' | 'headers'>
  /** The list in an answer; `results` of most. */
  listOf?(answer: Members): unknown
  published: string
  explain?(access: ProviderAccess, error: GenerationError): GenerationError
}

/** Brave refuses a question of more words. */
const MAX_BRAVE_WORDS = 50

const engines = {
  /** docs.tavily.com, `POST /search`. Its plainest search: pages are fetched and read here. */
  tavily: {
    ask: ({ query, limit, news }) => ({
      path: '/search',
      body: { query, max_results: limit, topic: news ? 'news' : 'general', search_depth: 'basic' },
    }),
    published: 'published_date',
  },
  /** api-dashboard.search.brave.com, `web/search` and `news/search`. */
  brave: {
    ask: ({ query, limit, news }, { key }) => ({
      method: 'GET',
      path: `/res/v1/${news ? 'news' : 'web'}/search?${new URLSearchParams({
        q: query.split(' ').slice(0, MAX_BRAVE_WORDS).join(' '),
        count: String(limit),
        text_decorations: 'false',
        ...(news ? {} : { result_filter: 'web' }),
      })}`,
      headers: { accept: 'application/json', 'x-subscription-token': `${key?.()}` },
    }),
    // A search that found nothing has no list.
    listOf: ({ web, results }) => asObject(web).results ?? results ?? [],
    published: 'page_age',
  },
  /** A SearXNG of one's own: docs.searxng.org, "Search API". */
  searxng: {
    ask: ({ query, news }) => ({
      method: 'GET',
      path: `/search?${new URLSearchParams({
        q: query,
        format: 'json',
        categories: news ? 'news' : 'general',
      })}`,
    }),
    published: 'publishedDate',
    // Fresh installations answer so to whoever asks for JSON.
    explain: ({ name }, error) =>
      asObject(error.details).status === 403
        ? new GenerationError({
            reason: error.reason,
            of: error.of,
            action: 'owner',
            message: `${name} answered 403 to a search, as a SearXNG does unless “json” is among its search.formats. Galley’s operator can add it in settings.yml.`,
            cause: error,
          })
        : error,
  },
} satisfies Record<string, SearchEngine>

const TIMEOUT_MS = 20_000

/** Bytes; ten results have some tens of kilobytes. */
const MAX_BYTES = 1024 * 1024

/** The search provider of an engine. What is no answer is a failure of the call. */
export const searchProvider =
  (kind: keyof typeof engines) =>
  (access: ProviderAccess): SearchProvider => {
    const { name, model } = access
    const engine: SearchEngine = engines[kind]
    const read: SearchProvider['read'] = ({ body }) => parseSearchHits(access, body.toString(), engine)
    return {
      ...providerIdentity(access),
      read,
      async search(query, context) {
        const asked = { ...engine.ask(query, access), maxBytes: MAX_BYTES, timeoutMs: TIMEOUT_MS }
        const { body } = await requestProvider(access, asked, context).catch((error: unknown) => {
          throw error instanceof GenerationError && engine.explain ? engine.explain(access, error) : error
        })
        const answer = { provider: name, model, body: body.toString('utf8') }
        read(answer)
        return answer
      },
    }
  }

/** Results that are looked at, of whatever shape; eight are asked for. */
const MAX_RESULTS = 100

function parseSearchHits(access: ProviderAccess, body: string, engine: SearchEngine): SearchHit[] {
  const { listOf = ({ results }) => results, published } = engine
  const answer = parseJson(body)
  if (answer === undefined) throw failureOfAnswer(access, body, 'it is not JSON')
  const list = listOf(asObject(answer))
  if (!Array.isArray(list)) throw failureOfAnswer(access, body, 'it has no list of results')
  return list.slice(0, MAX_RESULTS).flatMap((found) => {
    const result = asObject(found)
    const url = scalarText(result.url)
    if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return []
    return { url, title: plainTitle(result.title), published: isoDate(scalarText(result[published])) }
  })
}

/** A date in ISO 8601; undefined of what is none. */
export function isoDate(written: string): string | undefined {
  const time = Date.parse(written)
  return Number.isNaN(time) ? undefined : new Date(time).toISOString()
}

/** Characters of a title: it goes into questions. */
const MAX_TITLE_LENGTH = 300

/** Text alone: some mark the words that were looked for. */
function plainTitle(title: unknown): string {
  if (typeof title !== 'string') return ''
  const text = decodeHTML(stripTags(title))
  return excerpt(text.replace(/\s/g, ' ').trim(), MAX_TITLE_LENGTH)
}

const MIN_WORD_LENGTH = 4

/** A list of pages instead of a search: those first whose address has most words of the query. */
export function pageList(access: Named & Pick<ProviderAccess, 'pages'>): SearchProvider {
  const { name, model, pages } = access
  return {
    ...providerIdentity(access),
    async search({ query, limit }) {
      const words = wordsOf(query)
      const ranked = pages
        .map((url) => ({
          url,
          rank: wordsOf(decodedSlug(url)).filter((word) => words.includes(word)).length,
        }))
        .sort((a, b) => b.rank - a.rank)
      const results = ranked.slice(0, limit).map(({ url }) => ({ url }))
      return { provider: name, model, body: JSON.stringify({ results }) }
    },
    read: ({ body }) => {
      const { results } = JSON.parse(body.toString()) as { results: { url: string }[] }
      return results.map(({ url }) => ({ url, title: '' }))
    },
  }
}

const wordsOf = (text: string): string[] => [
  ...new Set(
    text
      .toLowerCase()
      .split(/[^\p{L}\p{N}]/u)
      .filter((word) => word.length >= MIN_WORD_LENGTH),
  ),
]
