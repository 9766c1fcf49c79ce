import { z } from 'zod'
import type { ProviderAccess } from './access.ts'
import { createSearchProvider, optionalText, resultsOf } from './search.ts'
import type { SearchProvider } from './types.ts'

const result = z
  .object({ url: z.string(), title: optionalText, content: optionalText, published_date: optionalText })
  .transform(({ content, published_date, ...page }) => ({
    ...page,
    snippet: content,
    published: published_date,
  }))

/** Tavily (docs.tavily.com, `POST /search`). Its plainest search: pages are fetched and read here. */
export const tavilySearch = (access: ProviderAccess): SearchProvider =>
  createSearchProvider(
    access,
    ({ query, limit, news }) => ({
      path: '/search',
      headers: { authorization: `Bearer ${access.key?.()}` },
      body: JSON.stringify({
        query,
        max_results: limit,
        topic: news ? 'news' : 'general',
        search_depth: 'basic',
      }),
    }),
    { listOf: resultsOf, result },
  )
