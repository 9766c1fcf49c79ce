import pMap from 'p-map'
import { GalleyError } from '../../../errors.ts'
import { createWorkerThread } from '../../../lib/worker-threads.ts'
import { GenerationError, jobFailure } from '../../failure.ts'
import type { JobRun } from '../../jobs/job-run.ts'
import { isoDate } from '../../providers/search.ts'
import type { SearchHit } from '../../providers/types.ts'
import type { Source, StepNeeds } from '../types.ts'
import type { Article, PageText } from './extract.ts'
import { createRobots, fetchPage, type Robots, UnreadablePageError } from './fetch-page.ts'
import { canonicalPageKey, MAX_QUERIES, planQueries, searchAll } from './search.ts'

/** Finds and reads sources. @throws GenerationError; for news without one `SOURCES_UNAVAILABLE`, or why the searches failed */
export async function research(run: JobRun<'document'>, needs: StepNeeds): Promise<Source[]> {
  await run.enter('researching')
  const engines = needs.providers.search()
  if (engines.length === 0) return skipResearch(run, 'no_search_provider')
  const planned = needs.providers.research(run.request.research.model).length > 0 ? 1 : 0
  // The pages too: until they are known, this tells what a job that is cancelled gets back.
  await run.expect('researching', planned + MAX_QUERIES + WANTED_PAGES)
  const queries = await planQueries(run, needs)
  const asked = planned + queries.length
  await run.expect('researching', asked + WANTED_PAGES)
  const hits = await searchAll(run, engines, queries)
  await run.expect('researching', asked)
  if (hits instanceof GenerationError) return skipResearch(run, 'search_failed', hits)
  if (hits.length === 0) return skipResearch(run, 'nothing_found')
  const sources = await readPages(run, needs, hits, asked)
  return sources.length > 0 ? sources : skipResearch(run, 'nothing_readable')
}

/** Milliseconds; the largest page that is handed on takes one or two seconds, besides the start of the thread. */
const EXTRACT_TIMEOUT_MS = 15_000

/** Megabytes: the tree of the largest page has some tens. */
const EXTRACT_HEAP_MB = 192

/** One for all documents of a process: pages are read one after another, each with all the memory there is. */
export const extractThread = createWorkerThread<PageText, Article>('read-page', {
  timeoutMs: EXTRACT_TIMEOUT_MS,
  heapMb: EXTRACT_HEAP_MB,
})

const skipReasons = {
  no_search_provider:
    'No search provider is configured, so nothing was researched: the document rests on what the language model knows, and cites nothing. The operator of Galley can name a search provider in its settings.',
  search_failed:
    'Every search failed: the document rests on what the language model knows, and cites nothing. The other warnings say why.',
  nothing_found:
    'The search found nothing: the document rests on what the language model knows, and cites nothing. Other words in the prompt or in the keywords may help.',
  nothing_readable:
    'None of the pages that the search found could be read: the document rests on what the language model knows, and cites nothing. The other warnings say why.',
} as const

/** Warns that there are no sources. @throws GenerationError for news, which would be made up */
function skipResearch(
  run: JobRun<'document'>,
  reason: keyof typeof skipReasons,
  failure?: GenerationError,
): Source[] {
  const isNews = run.request.content_type === 'news'
  if (isNews && failure !== undefined) {
    const message = `Every search failed, and news without a source is not written. ${failure.message}`
    throw jobFailure(failure.reason, message, { cause: failure })
  }
  if (isNews && reason !== 'no_search_provider')
    throw jobFailure(
      'SOURCES_UNAVAILABLE',
      reason === 'nothing_found'
        ? 'The search found nothing to report on, and news without a source is not written. Name what happened, where and when in the prompt.'
        : 'None of the pages that the search found could be read, and news without a source is not written. Try again later, or name what happened more closely in the prompt.',
    )
  run.warn({ code: reason, message: skipReasons[reason] })
  return []
}

const WANTED_PAGES = 5
const MAX_PAGES_TRIED = 10
const MAX_CONCURRENT_PAGES = 3

/** Characters; less is a notice, a login or an empty shell. */
const MIN_TEXT_LENGTH = 200

type KeptPage = Omit<Source, 'id'> | { unread: string }

/** Reads pages until there are enough. Stored parts alone decide which, so that every attempt numbers them alike. */
async function readPages(
  run: JobRun<'document'>,
  { outbound }: Pick<StepNeeds, 'outbound'>,
  hits: readonly SearchHit[],
  partsBefore: number,
): Promise<Source[]> {
  const robots = createRobots(outbound, run.signal)
  const sources: Omit<Source, 'id'>[] = []
  const tried = hits.slice(0, MAX_PAGES_TRIED)
  for (let from = 0; sources.length < WANTED_PAGES && from < tried.length; ) {
    const next = tried.slice(from, from + WANTED_PAGES - sources.length)
    await run.expect('researching', partsBefore + from + next.length)
    const pages = await pMap(next, (hit, index) => readPage(run, outbound, robots, hit, from + index), {
      concurrency: MAX_CONCURRENT_PAGES,
    })
    for (const [index, page] of pages.entries()) {
      const { url = '', title = '', published } = next[index] ?? {}
      if ('unread' in page)
        run.warn({ code: 'page_not_read', message: `${url} was not read: ${page.unread}.` })
      else if (!sources.some((other) => canonicalPageKey(other.url) === canonicalPageKey(page.url)))
        sources.push({
          url: page.url,
          title: page.title || title,
          text: page.text,
          published: isoDate(page.published ?? published ?? ''),
        })
    }
    from += next.length
  }
  return sources.map((source, index) => ({ id: `s${index + 1}`, ...source }))
}

async function readPage(
  run: JobRun<'document'>,
  outbound: StepNeeds['outbound'],
  robots: Robots,
  { url }: SearchHit,
  index: number,
): Promise<KeptPage> {
  return run.keep({ step: 'researching', name: `page-${index + 1}` }, () =>
    fetchAndExtract(url, { outbound, robots, signal: run.signal }).catch((error): KeptPage => {
      run.signal.throwIfAborted()
      if (error instanceof UnreadablePageError) return { unread: error.message }
      if (error instanceof GalleyError && error.fault !== 'galley') return { unread: failureReason(error) }
      throw error
    }),
  )
}

async function fetchAndExtract(address: string, how: Parameters<typeof fetchPage>[1]): Promise<KeptPage> {
  const page = await fetchPage(address, how)
  const { title, text, published } = await extractThread.run(page, how.signal).catch((cause) => {
    how.signal.throwIfAborted()
    throw new UnreadablePageError('it is made in a way that takes too long or too much memory to read', {
      cause,
    })
  })
  if (text.length < MIN_TEXT_LENGTH) throw new UnreadablePageError('there is no text to read in it')
  return { url: page.url, title, text, published }
}

const failureReason = ({ details, message }: GalleyError): string =>
  ((details as { happened?: string } | undefined)?.happened ?? message).replace(/\.$/, '')
