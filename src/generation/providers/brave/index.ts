import { z } from 'zod'
import type { Access } from '../access.ts'
import { maybeText } from '../search/read-hits.ts'
import { searchProvider } from '../search/search-provider.ts'
import type { SearchProvider } from '../types.ts'

const result = z
  .object({ url: z.string(), title: maybeText, description: maybeText, page_age: maybeText })
  .transform(({ description, page_age, ...page }) => ({
    ...page,
    snippet: description,
    published: page_age,
  }))

/** Where the results are: of the web, or of the news. A search that found nothing has neither. */
const answerSchema = z.object({
  results: z.unknown().optional(),
  web: z.object({ results: z.unknown() }).optional().catch(undefined),
})

function listOf(answer: unknown): unknown {
  const { data } = answerSchema.safeParse(answer)
  return data && (data.web?.results ?? data.results ?? [])
}

/** It refuses a question of more words. */
const MOST_WORDS = 50

/** Brave Search (api-dashboard.search.brave.com, `web/search` and `news/search`). */
export const braveSearch = (access: Access): SearchProvider =>
  searchProvider(
    access,
    ({ query, limit, language, news }) => ({
      method: 'GET',
      path: `/res/v1/${news ? 'news' : 'web'}/search?${new URLSearchParams({
        q: query.split(' ').slice(0, MOST_WORDS).join(' '),
        count: String(limit),
        text_decorations: 'false',
        ...(news ? {} : { result_filter: 'web' }),
        ...(language === undefined ? {} : { search_lang: language }),
      })}`,
      headers: { 'x-subscription-token': `${access.key?.()}` },
    }),
    { listOf, result },
  )
