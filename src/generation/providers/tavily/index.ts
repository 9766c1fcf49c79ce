import { z } from 'zod'
import type { Outbound } from '../../../outbound/index.ts'
import { askSearch } from '../search/ask.ts'
import { maybeText, readHits } from '../search/read-hits.ts'
import type { SearchSettings } from '../search/settings.ts'
import type { SearchProvider } from '../types.ts'

const result = z.object({ url: z.string(), title: maybeText, content: maybeText, published_date: maybeText })

/** Tavily (docs.tavily.com, `POST /search`). Its plainest search: pages are fetched and read here. */
export function createTavily(settings: SearchSettings, outbound: Outbound): SearchProvider {
  const { name, url, key } = settings
  return {
    name,
    model: '',
    search: ({ query, limit, news }, context) =>
      askSearch(
        outbound,
        settings,
        {
          url: new URL(`${url}/search`),
          headers: key === undefined ? {} : { Authorization: `Bearer ${key()}` },
          body: { query, max_results: limit, topic: news ? 'news' : 'general', search_depth: 'basic' },
        },
        context,
      ),
    read: (answer) =>
      readHits(
        answer,
        result,
        (found) => z.object({ results: z.unknown() }).safeParse(found).data?.results,
        ({ content, published_date, ...page }) => ({ ...page, snippet: content, published: published_date }),
      ),
  }
}
