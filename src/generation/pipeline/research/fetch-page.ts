import type { Outbound, OutboundResponse } from '../../../outbound/index.ts'
import { decodePage } from './charset.ts'
import type { Robots } from './robots.ts'

/** Bytes; a longer page is cut. Of a page of 2 MB most is programs, which come after what is read. */
const LONGEST = 1024 * 1024
const TIMEOUT_MS = 15_000
const MOST_REDIRECTS = 5

const readable = new Set(['text/html', 'application/xhtml+xml', 'text/plain'])

/** A page as it came. */
export interface FetchedPage {
  /** The address that answered. */
  url: string
  text: string
  isHtml: boolean
}

/** Why a page was not read, as part of a sentence. */
export class PageUnreadable extends Error {}

/**
 * Fetches a page where its site allows it, asking again at every redirect.
 *
 * @throws PageUnreadable
 * @throws GalleyError of the outbound guard
 */
export async function fetchPage(
  address: string,
  { outbound, robots, signal }: { outbound: Outbound; robots: Robots; signal: AbortSignal },
): Promise<FetchedPage> {
  let url = new URL(address)
  for (let redirects = 0; redirects <= MOST_REDIRECTS; redirects += 1) {
    if (!(await robots.allows(url))) throw new PageUnreadable(`robots.txt of ${url.host} does not allow it`)
    const response = await outbound.request(url, {
      headers: { Accept: 'text/html,application/xhtml+xml,text/plain;q=0.8' },
      maxBytes: LONGEST,
      overflow: 'cut',
      timeoutMs: TIMEOUT_MS,
      signal,
      hold: true,
    })
    try {
      const next = locationOf(response)
      if (next === undefined) return pageOf(response)
      url = new URL(next, url)
    } finally {
      response.release?.()
    }
  }
  throw new PageUnreadable('it redirects too often')
}

const locationOf = ({ status, headers, url }: OutboundResponse): string | undefined =>
  [301, 302, 303, 307, 308].includes(status) && URL.canParse(headers.location ?? '', url)
    ? headers.location
    : undefined

function pageOf({ status, headers, body, url }: OutboundResponse): FetchedPage {
  if (status !== 200) throw new PageUnreadable(`its site answered HTTP ${status}`)
  const contentType = headers['content-type'] ?? 'text/html'
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!readable.has(type)) throw new PageUnreadable(`it is ${type}, and not a page`)
  return { url, text: decodePage(body, contentType), isHtml: type !== 'text/plain' }
}
