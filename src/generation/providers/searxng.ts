import { z } from 'zod'
import { GenerationError } from '../failure.ts'
import type { ProviderAccess } from './access.ts'
import { createSearchProvider, optionalText, resultsOf } from './search.ts'
import type { SearchProvider } from './types.ts'

const result = z
  .object({ url: z.string(), title: optionalText, content: optionalText, publishedDate: optionalText })
  .transform(({ content, publishedDate, ...page }) => ({
    ...page,
    snippet: content,
    published: publishedDate,
  }))

/** A SearXNG of one's own (docs.searxng.org, "Search API"). */
export function searxngSearch(access: ProviderAccess): SearchProvider {
  const provider = createSearchProvider(
    access,
    ({ query, language, news }) => ({
      method: 'GET',
      path: `/search?${new URLSearchParams({
        q: query,
        format: 'json',
        categories: news ? 'news' : 'general',
        ...(language === undefined ? {} : { language }),
      })}`,
    }),
    { listOf: resultsOf, result },
  )
  return {
    ...provider,
    search: (query, context) =>
      provider.search(query, context).catch((error: unknown) => {
        throw forbidsJson(error) ? withJsonFormatHint(access, error) : error
      }),
  }
}

const forbidsJson = (error: unknown): error is GenerationError =>
  error instanceof GenerationError && z.object({ status: z.literal(403) }).safeParse(error.details).success

/** Fresh installations answer so to whoever asks for JSON. */
const withJsonFormatHint = ({ name }: ProviderAccess, cause: GenerationError): GenerationError =>
  new GenerationError({
    reason: cause.reason,
    of: cause.of,
    action: 'owner',
    message: `${name} answered 403 to a search, as a SearXNG does unless “json” is among its search.formats. Galley’s operator can add it in settings.yml.`,
    cause,
  })
