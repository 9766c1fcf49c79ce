import { decodeHTML } from 'entities'
import { z } from 'zod'
import { beginning, excerpt, stripTags } from '../../../text.ts'
import type { Access } from '../access.ts'
import type { RawAnswer } from '../answer.ts'
import { unreadable } from '../exchange.ts'
import type { SearchHit } from '../types.ts'

/** Results that are looked at, of whatever shape; eight are asked for. */
const MOST_RESULTS = 100

/** Characters that are looked through for those of a title or a snippet. */
const LOOKED_THROUGH = 20_000

/** Characters of a title and of a snippet: they go into questions. */
const LONGEST_TITLE = 300
const LONGEST_SNIPPET = 1_000

/** One result, as an adapter has taken it out of its provider's answer. */
interface FoundPage {
  url: string
  title?: string | undefined
  snippet?: string | undefined
  published?: string | undefined
}

/** How the answers of a provider are read. */
export interface ReadResults {
  /** Takes the list out of the answer. */
  listOf: (answer: unknown) => unknown
  /** One result; it is passed over where it has another shape. */
  result: z.ZodType<FoundPage>
}

/** A text that may be missing; of another type, it is passed over. */
export const maybeText = z.string().optional().catch(undefined)

/** The list that most have. */
export const resultsOf = (answer: unknown): unknown =>
  z.object({ results: z.unknown() }).safeParse(answer).data?.results

/** The results in an answer. @throws GenerationError where it is nothing of the kind */
export function readHits(
  access: Pick<Access, 'name' | 'model'>,
  { body }: RawAnswer,
  { listOf, result }: ReadResults,
): SearchHit[] {
  let answer: unknown
  try {
    answer = JSON.parse(body.toString())
  } catch {
    throw unreadable(access, 'it is not JSON')
  }
  const list = listOf(answer)
  if (!Array.isArray(list)) throw unreadable(access, 'it has no list of results')
  return list.slice(0, MOST_RESULTS).flatMap((found) => {
    const read = result.safeParse(found)
    return read.success ? hitOf(read.data) : []
  })
}

function hitOf({ url, title, snippet, published }: FoundPage): SearchHit[] {
  if (!URL.canParse(url) || !/^https?:$/.test(new URL(url).protocol)) return []
  const time = Date.parse(published ?? '')
  return [
    {
      url,
      title: plain(title, LONGEST_TITLE),
      snippet: plain(snippet, LONGEST_SNIPPET),
      ...(Number.isNaN(time) ? {} : { published: new Date(time).toISOString() }),
    },
  ]
}

/** Some mark the words that were looked for. */
const plain = (text = '', length: number): string =>
  excerpt(
    decodeHTML(stripTags(beginning(text, LOOKED_THROUGH)))
      .replace(/\s/g, ' ')
      .trim(),
    length,
  )
