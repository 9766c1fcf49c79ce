import pMap from 'p-map'
import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import type { JobRun } from '../../jobs/run.ts'
import type { SearchHit } from '../../providers/types.ts'
import type { Source, StepNeeds } from '../types.ts'
import type { Extract } from './extract.ts'
import { extractInThread } from './extract-in-thread.ts'
import { type FetchedPage, fetchPage, PageUnreadable } from './fetch-page.ts'
import { pageKey } from './page-key.ts'
import { createRobots, type Robots } from './robots.ts'

/** Pages that a document rests on. */
const ENOUGH = 5
/** Pages that are tried to get there. */
const MOST_PAGES = 10
const AT_ONCE = 3

/** Characters; less is a notice, a login or an empty shell. */
const SHORTEST_TEXT = 200

/** A page as it is kept: what it says, or why it was not read. */
const pageSchema = z.union([
  z.object({ url: z.string(), title: z.string(), text: z.string(), published: z.string().optional() }),
  z.object({ unread: z.string() }),
])
type KeptPage = z.infer<typeof pageSchema>

/**
 * Reads the first pages that can be read, each once for the job. What cannot be read makes room for the next, with a warning.
 * Which ones they are is decided by what is kept alone, so that every attempt numbers them alike.
 *
 * @param partsBefore of this step, for its progress
 */
export async function readPages(
  run: JobRun<'document'>,
  { outbound }: Pick<StepNeeds, 'outbound'>,
  hits: readonly SearchHit[],
  partsBefore: number,
): Promise<Source[]> {
  const robots = createRobots(outbound, run.signal)
  const sources: Omit<Source, 'id'>[] = []
  const tried = hits.slice(0, MOST_PAGES)
  for (let from = 0; sources.length < ENOUGH && from < tried.length; ) {
    const next = tried.slice(from, from + ENOUGH - sources.length)
    await run.expect('researching', partsBefore + from + next.length)
    const pages = await pMap(next, (hit, index) => readPage(run, outbound, robots, hit, from + index), {
      concurrency: AT_ONCE,
    })
    for (const [index, page] of pages.entries()) {
      const { url = '', title = '', published } = next[index] ?? {}
      if ('unread' in page)
        run.warn({ code: 'page_not_read', message: `${url} was not read: ${page.unread}.` })
      else if (!sources.some((other) => pageKey(other.url) === pageKey(page.url)))
        sources.push({
          url: page.url,
          title: page.title || title,
          text: page.text,
          ...dateOf(page.published ?? published),
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
  const kept = await run.keep({ step: 'researching', name: `page-${index + 1}` }, async () => {
    const page = await read(url, { outbound, robots, signal: run.signal }).catch((error): KeptPage => {
      run.signal.throwIfAborted()
      if (error instanceof PageUnreadable) return { unread: error.message }
      if (error instanceof GalleyError && error.fault !== 'galley') return { unread: happened(error) }
      throw error
    })
    return JSON.stringify(page)
  })
  return pageSchema.parse(JSON.parse(kept.toString()))
}

async function read(address: string, how: Parameters<typeof fetchPage>[1]): Promise<KeptPage> {
  const page = await fetchPage(address, how)
  const { title, text, published } = await articleOf(page, how.signal)
  if (text.length < SHORTEST_TEXT) throw new PageUnreadable('there is no text to read in it')
  return { url: page.url, title, text, ...(published === undefined ? {} : { published }) }
}

async function articleOf(page: FetchedPage, signal: AbortSignal): Promise<Extract> {
  try {
    return await extractInThread(page, signal)
  } catch (cause) {
    signal.throwIfAborted()
    throw new PageUnreadable('it is made in a way that takes too long or too much memory to read', { cause })
  }
}

/** What the guard says of a failure, as part of a sentence. */
const happened = ({ details, message }: GalleyError): string => {
  const told = z.object({ happened: z.string() }).safeParse(details)
  return (told.success ? told.data.happened : message).replace(/\.$/, '')
}

/** A date that can be read as one, as ISO 8601. */
function dateOf(published: string | undefined): { published?: string } {
  const time = Date.parse(published ?? '')
  return Number.isNaN(time) ? {} : { published: new Date(time).toISOString() }
}
