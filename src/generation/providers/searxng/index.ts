import { z } from 'zod'
import type { Outbound } from '../../../outbound/index.ts'
import { askSearch } from '../search/ask.ts'
import { maybeText, readHits } from '../search/read-hits.ts'
import type { SearchSettings } from '../search/settings.ts'
import type { SearchProvider } from '../types.ts'

const result = z.object({ url: z.string(), title: maybeText, content: maybeText, publishedDate: maybeText })

/** Fresh installations answer so to whoever asks for JSON. */
const FORBIDDEN = 'A SearXNG answers so unless "json" is among its search.formats (settings.yml).'

/** A SearXNG of one's own (docs.searxng.org, "Search API"). */
export function createSearxng(settings: SearchSettings, outbound: Outbound): SearchProvider {
  const { name, url } = settings
  return {
    name,
    model: '',
    search({ query, language, news }, context) {
      const address = new URL(`${url}/search`)
      address.search = new URLSearchParams({
        q: query,
        format: 'json',
        categories: news ? 'news' : 'general',
        ...(language === undefined ? {} : { language }),
      }).toString()
      return askSearch(outbound, settings, { url: address, forbidden: FORBIDDEN }, context)
    },
    read: (answer) =>
      readHits(
        answer,
        result,
        (found) => z.object({ results: z.unknown() }).safeParse(found).data?.results,
        ({ content, publishedDate, ...page }) => ({ ...page, snippet: content, published: publishedDate }),
      ),
  }
}
