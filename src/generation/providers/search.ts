import { decodeHTML } from 'entities'
import { z } from 'zod'
import { excerpt, stripTags, truncate } from '../../lib/text.ts'
import { type ProviderAccess, redactProviderKey } from './access.ts'
import { type ProviderRequest, requestProvider, unreadableAnswer } from './provider-request.ts'
import type { CallContext, RawAnswer, SearchHit, SearchProvider } from './types.ts'

/** Results that are looked at, of whatever shape; eight are asked for. */
const MAX_RESULTS = 100

/** Characters that are looked through for those of a title or a snippet. */
const MAX_SCANNED_CHARACTERS = 20_000

/** Characters of a title and of a snippet: they go into questions. */
const MAX_TITLE_LENGTH = 300
const MAX_SNIPPET_LENGTH = 1_000

interface RawSearchHit {
  url: string
  title?: string | undefined
  snippet?: string | undefined
  published?: string | undefined
}

/** How the answers of a provider are read. */
interface ResultsFormat {
  /** Takes the list out of the answer. */
  listOf: (answer: unknown) => unknown
  /** One result; it is passed over where it has another shape. */
  result: z.ZodType<RawSearchHit>
}

/** A text that may be missing; of another type, it is passed over. */
export const optionalText = z.string().optional().catch(undefined)

/** The list that most have. */
export const resultsOf = (answer: unknown): unknown =>
  z.object({ results: z.unknown() }).safeParse(answer).data?.results

/** The results in an answer. @throws GenerationError where it is nothing of the kind */
export function parseSearchHits(
  access: Pick<ProviderAccess, 'name' | 'model'>,
  { body }: RawAnswer,
  { listOf, result }: ResultsFormat,
): SearchHit[] {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString())
  } catch {
    throw unreadableAnswer(access, 'it is not JSON')
  }
  const list = listOf(answer)
  if (!Array.isArray(list)) throw unreadableAnswer(access, 'it has no list of results')
  return list.slice(0, MAX_RESULTS).flatMap((found) => {
    const read = result.safeParse(found)
    return read.success ? toSearchHit(read.data) : []
  })
}

function toSearchHit({ url, title, snippet, published }: RawSearchHit): SearchHit[] {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return []
  const time = Date.parse(published ?? '')
  return [
    {
      url,
      title: plain(title, MAX_TITLE_LENGTH),
      snippet: plain(snippet, MAX_SNIPPET_LENGTH),
      ...(Number.isNaN(time) ? {} : { published: new Date(time).toISOString() }),
    },
  ]
}

/** Some mark the words that were looked for. */
const plain = (text = '', length: number): string =>
  excerpt(
    decodeHTML(stripTags(truncate(text, MAX_SCANNED_CHARACTERS)))
      .replace(/\s/g, ' ')
      .trim(),
    length,
  )

const TIMEOUT_MS = 20_000

/** Bytes; ten results with their snippets have some tens of kilobytes. */
const MAX_BYTES = 1024 * 1024

/** Sends one search, and gives back what came. @throws GenerationError */
async function sendSearch(
  access: ProviderAccess,
  { headers, ...question }: Pick<ProviderRequest, 'path' | 'method' | 'body' | 'headers'>,
  context: CallContext,
): Promise<RawAnswer> {
  const asked = {
    ...question,
    headers: { accept: 'application/json', ...headers },
    maxBytes: MAX_BYTES,
    timeoutMs: TIMEOUT_MS,
  }
  const { contentType, body } = await requestProvider(access, asked, context)
  const text = redactProviderKey(body.toString('utf8'), access)
  return { provider: access.name, model: access.model, body: text, contentType }
}

type BuildSearchRequest = (
  query: Parameters<SearchProvider['search']>[0],
) => Pick<ProviderRequest, 'path' | 'method' | 'body' | 'headers'>

/** A search provider of a question and of what its answer means. What is no answer is a failure of the call. */
export function createSearchProvider(
  access: ProviderAccess,
  ask: BuildSearchRequest,
  results: ResultsFormat,
): SearchProvider {
  const { name, model, concurrency } = access
  const read: SearchProvider['read'] = (answer) => parseSearchHits(access, answer, results)
  return {
    name,
    model,
    concurrency,
    read,
    async search(query, context: CallContext) {
      const answer = await sendSearch(access, ask(query), context)
      read(answer)
      return answer
    },
  }
}
