import { z } from 'zod'
import type { Access } from '../access.ts'
import { maybeText, resultsOf } from '../search/read-hits.ts'
import { searchProvider } from '../search/search-provider.ts'
import type { SearchProvider } from '../types.ts'

const result = z
  .object({ url: z.string(), title: maybeText, content: maybeText, published_date: maybeText })
  .transform(({ content, published_date, ...page }) => ({
    ...page,
    snippet: content,
    published: published_date,
  }))

/** Tavily (docs.tavily.com, `POST /search`). Its plainest search: pages are fetched and read here. */
export const tavilySearch = (access: Access): SearchProvider =>
  searchProvider(
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
