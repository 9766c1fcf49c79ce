import { decodeHTML } from 'entities'
import { z } from 'zod'
import { excerpt, stripTags } from '../../../text.ts'
import type { RawAnswer } from '../answer.ts'
import type { SearchHit } from '../types.ts'
import { failed } from './ask.ts'

/** Characters of a title and of a snippet: they go into questions. */
const LONGEST_TITLE = 300
const LONGEST_SNIPPET = 1_000

/** A text that may be missing; of another type, it is passed over. */
export const maybeText = z.string().nullish().catch(undefined)

/** One result, as an adapter has taken it out of its provider's answer. */
export interface FoundPage {
  url: string
  title?: string | null | undefined
  snippet?: string | null | undefined
  published?: string | null | undefined
}

/**
 * The results in an answer. One that is not what the schema says is passed over; an answer that is nothing of the kind fails.
 *
 * @param schema of one result
 * @param listOf takes the list out of the answer
 * @throws GenerationError `INVALID_OUTPUT`
 */
export function readHits<Result extends z.ZodType>(
  { provider, body }: RawAnswer,
  schema: Result,
  listOf: (answer: unknown) => unknown,
  pageOf: (result: z.output<Result>) => FoundPage,
): SearchHit[] {
  const list = listOf(parsed(provider, body))
  if (!Array.isArray(list))
    throw failed(provider, 'INVALID_OUTPUT', 'job', 'Its answer has no list of results.')
  return list.flatMap((result) => {
    const read = schema.safeParse(result)
    return read.success ? hitOf(pageOf(read.data)) : []
  })
}

function parsed(provider: string, body: string | Buffer): unknown {
  try {
    return JSON.parse(body.toString())
  } catch (cause) {
    throw failed(provider, 'INVALID_OUTPUT', 'job', 'Its answer is not JSON.', { cause })
  }
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
const plain = (text: string | null | undefined, length: number): string =>
  excerpt(
    decodeHTML(stripTags(text ?? ''))
      .replace(/\s/g, ' ')
      .trim(),
    length,
  )
