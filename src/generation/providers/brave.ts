import { z } from 'zod'
import type { ProviderAccess } from './access.ts'
import { createSearchProvider, optionalText } from './search.ts'
import type { SearchProvider } from './types.ts'

const result = z
  .object({ url: z.string(), title: optionalText, description: optionalText, page_age: optionalText })
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
const MAX_QUERY_WORDS = 50

/** Brave Search (api-dashboard.search.brave.com, `web/search` and `news/search`). */
export const braveSearch = (access: ProviderAccess): SearchProvider =>
  createSearchProvider(
    access,
    ({ query, limit, language, news }) => ({
      method: 'GET',
      path: `/res/v1/${news ? 'news' : 'web'}/search?${new URLSearchParams({
        q: query.split(' ').slice(0, MAX_QUERY_WORDS).join(' '),
        count: String(limit),
        text_decorations: 'false',
        ...(news ? {} : { result_filter: 'web' }),
        ...(language === undefined ? {} : { search_lang: language }),
      })}`,
      headers: { 'x-subscription-token': `${access.key?.()}` },
    }),
    { listOf, result },
  )
