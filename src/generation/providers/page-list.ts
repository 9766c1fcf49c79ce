import { z } from 'zod'
import type { ProviderAccess } from './access.ts'
import { parseSearchHits, resultsOf } from './search.ts'
import type { SearchProvider } from './types.ts'

/** Words of fewer letters (`the`, `und`) are in every address. */
const MIN_WORD_LENGTH = 4

type PageList = Pick<ProviderAccess, 'name' | 'model' | 'pages' | 'concurrency'>

/**
 * A list of pages that the operator gives, instead of a search: those first whose address has most words of the query. It
 * asks nobody; the pages are fetched like any others.
 */
export function pageList({ name, model, pages, concurrency }: PageList): SearchProvider {
  return {
    name,
    model,
    concurrency,
    async search({ query, limit }) {
      const words = wordsOf(query)
      const ranked = pages
        .map((url) => ({ url, rank: wordsOf(decoded(url)).filter((word) => words.includes(word)).length }))
        .sort((a, b) => b.rank - a.rank)
      const results = ranked.slice(0, limit).map(({ url }) => ({ url }))
      return { provider: name, model, body: JSON.stringify({ results }), contentType: 'application/json' }
    },
    read: (answer) =>
      parseSearchHits({ name, model }, answer, { listOf: resultsOf, result: z.object({ url: z.string() }) }),
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

function decoded(url: string): string {
  try {
    return decodeURIComponent(url)
  } catch {
    // An address with a percent sign of its own
    return url
  }
}
