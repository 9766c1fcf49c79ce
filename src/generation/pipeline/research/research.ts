import type { JobRun } from '../../jobs/run.ts'
import type { Research, StepNeeds } from '../types.ts'
import { queriesFor } from './queries.ts'
import { readPages } from './read-pages.ts'
import { searchAll } from './search.ts'
import { withoutSources } from './without-sources.ts'

/**
 * Finds what a document may rest on, and reads it: questions, searches, pages. Where nobody can be asked, or nothing can be
 * read, the document has no sources, which is said.
 *
 * @throws GenerationError; `SOURCES_UNAVAILABLE` for news of which nothing can be read
 */
export async function research(run: JobRun<'document'>, needs: StepNeeds): Promise<Research> {
  await run.enter('researching')
  const engines = needs.providers.search()
  if (engines.length === 0) return withoutSources(run, 'no_search_provider')
  const queries = await queriesFor(run, needs)
  const asked = queries.length + (needs.providers.research(run.request.research.model).length > 0 ? 1 : 0)
  await run.expect('researching', asked)
  const hits = await searchAll(run, engines, queries)
  if (hits.length === 0) return withoutSources(run, 'nothing_found')
  const sources = await readPages(run, needs, hits, asked)
  return sources.length > 0 ? { sources } : withoutSources(run, 'nothing_readable')
}
