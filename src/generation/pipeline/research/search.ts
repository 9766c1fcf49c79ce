import pMap from 'p-map'
import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { SearchHit, SearchProvider } from '../../providers/types.ts'
import { providerOfAnswer } from '../provider-of-answer.ts'
import { pageKey } from './page-key.ts'

/** Results that are asked for with each query. */
const HITS_OF_QUERY = 8

/**
 * Asks every query, and gives what was found in turn: the first of each, then the second of each. Each page comes once.
 *
 * @throws GenerationError where a provider is in trouble; a query that it refuses is passed over with a warning
 */
export async function searchAll(
  run: JobRun<'document'>,
  engines: readonly SearchProvider[],
  queries: readonly string[],
): Promise<SearchHit[]> {
  const found = await pMap(queries, (query, index) => search(run, engines, query, index), { concurrency: 2 })
  const pages = new Map<string, SearchHit>()
  for (let rank = 0; rank < HITS_OF_QUERY; rank += 1)
    for (const hits of found) {
      const hit = hits[rank]
      const key = hit && pageKey(hit.url)
      if (hit !== undefined && key !== undefined && !pages.has(key)) pages.set(key, hit)
    }
  return [...pages.values()]
}

async function search(
  run: JobRun<'document'>,
  engines: readonly SearchProvider[],
  query: string,
  index: number,
): Promise<SearchHit[]> {
  const asked = { query, limit: HITS_OF_QUERY, news: run.request.content_type === 'news' }
  try {
    const part = { step: 'researching', name: `search-${index + 1}` } as const
    const answer = await run.answer(part, engines, (engine, context) => engine.search(asked, context))
    return providerOfAnswer(engines, answer).read(answer)
  } catch (error) {
    if (!(error instanceof GenerationError) || error.of !== 'job') throw error
    run.warn({
      code: 'search_failed',
      message: `The search for “${query}” found nothing. ${error.message}`,
    })
    return []
  }
}
