import { GenerationError } from '../../failure.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { Research } from '../types.ts'

const reasons = {
  no_search_provider:
    'No search provider is configured, so nothing was researched: the document rests on what the language model knows, and cites nothing. The operator of Galley can name a search provider in its settings.',
  nothing_found:
    'The search found nothing: the document rests on what the language model knows, and cites nothing. Other words in the prompt or in the keywords may help.',
  nothing_readable:
    'None of the pages that the search found could be read: the document rests on what the language model knows, and cites nothing. The other warnings say why.',
} as const

/**
 * Says why a document has no sources. News that a search was to support is not written without any: it would be made up.
 *
 * @throws GenerationError `SOURCES_UNAVAILABLE`
 */
export function withoutSources(run: JobRun<'document'>, reason: keyof typeof reasons): Research {
  if (run.request.content_type === 'news' && reason !== 'no_search_provider')
    throw new GenerationError({
      reason: 'SOURCES_UNAVAILABLE',
      of: 'job',
      message:
        reason === 'nothing_found'
          ? 'The search found nothing to report on, and news without a source is not written. Name what happened, where and when in the prompt.'
          : 'None of the pages that the search found could be read, and news without a source is not written. Try again later, or name what happened more closely in the prompt.',
    })
  run.warn({ code: reason, message: reasons[reason] })
  return { sources: [] }
}
