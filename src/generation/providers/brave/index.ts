import { z } from 'zod'
import type { Outbound } from '../../../outbound/index.ts'
import { askSearch } from '../search/ask.ts'
import { maybeText, readHits } from '../search/read-hits.ts'
import type { SearchSettings } from '../search/settings.ts'
import type { SearchProvider } from '../types.ts'

const result = z.object({ url: z.string(), title: maybeText, description: maybeText, page_age: maybeText })

/** Where the results are: of the web, or of the news. */
const answerSchema = z.object({
  results: z.unknown().optional(),
  web: z.object({ results: z.unknown() }).optional().catch(undefined),
})

/** It refuses a question of more words. */
const MOST_WORDS = 50

/** Brave Search (api-dashboard.search.brave.com, `web/search` and `news/search`). */
export function createBrave(settings: SearchSettings, outbound: Outbound): SearchProvider {
  const { name, url, key } = settings
  return {
    name,
    model: '',
    search({ query, limit, language, news }, context) {
      const address = new URL(`${url}/res/v1/${news ? 'news' : 'web'}/search`)
      address.search = new URLSearchParams({
        q: query.split(' ').slice(0, MOST_WORDS).join(' '),
        count: String(limit),
        text_decorations: 'false',
        ...(news ? {} : { result_filter: 'web' }),
        ...(language === undefined ? {} : { search_lang: language }),
      }).toString()
      const headers: Record<string, string> = key === undefined ? {} : { 'X-Subscription-Token': key() }
      return askSearch(outbound, settings, { url: address, headers }, context)
    },
    read: (answer) =>
      readHits(
        answer,
        result,
        (found) => {
          const { data } = answerSchema.safeParse(found)
          // A search that found nothing has no `web` at all.
          return data && (data.web?.results ?? data.results ?? [])
        },
        ({ description, page_age, ...page }) => ({ ...page, snippet: description, published: page_age }),
      ),
  }
}
