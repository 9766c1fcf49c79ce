import { TextDecoder } from '@exodus/bytes/encoding.js'
import sniffEncoding from 'html-encoding-sniffer'
import type { Outbound, OutboundResponse } from '../../../outbound/types.ts'
import type { Robots } from './robots.ts'

/** Bytes; a longer page is cut. Of a page of 2 MB most is programs, which come after what is read. */
const MAX_PAGE_BYTES = 1024 * 1024
const PAGE_TIMEOUT_MS = 15_000
const MAX_REDIRECTS = 5

const readableTypes = new Set(['text/html', 'application/xhtml+xml', 'text/plain'])

export interface FetchedPage {
  url: string
  text: string
  isHtml: boolean
}

export class UnreadablePageError extends Error {}

/** Fetches a page where robots.txt allows it, at every redirect. @throws UnreadablePageError, GalleyError */
export async function fetchPage(
  address: string,
  { outbound, robots, signal }: { outbound: Outbound; robots: Robots; signal: AbortSignal },
): Promise<FetchedPage> {
  let url = new URL(address)
  for (let redirects = 0; redirects <= MAX_REDIRECTS; redirects += 1) {
    if (!(await robots.allows(url)))
      throw new UnreadablePageError(`robots.txt of ${url.host} does not allow it`)
    const response = await outbound.request(url, {
      headers: { Accept: 'text/html,application/xhtml+xml,text/plain;q=0.8' },
      maxBytes: MAX_PAGE_BYTES,
      overflow: 'cut',
      timeoutMs: PAGE_TIMEOUT_MS,
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
  throw new UnreadablePageError('it redirects too often')
}

const locationOf = ({ status, headers, url }: OutboundResponse): string | undefined =>
  [301, 302, 303, 307, 308].includes(status) && URL.canParse(headers.location ?? '', url)
    ? headers.location
    : undefined

function pageOf({ status, headers, body, url }: OutboundResponse): FetchedPage {
  if (status !== 200) throw new UnreadablePageError(`its site answered HTTP ${status}`)
  const contentType = headers['content-type'] ?? 'text/html'
  const type = contentType.split(';', 1)[0]?.trim().toLowerCase() ?? ''
  if (!readableTypes.has(type)) throw new UnreadablePageError(`it is ${type}, and not a page`)
  return { url, text: decodePage(body, contentType), isHtml: type !== 'text/plain' }
}

/** Decodes a page as browsers do; without a sign of its encoding as UTF-8, or else windows-1252. */
export function decodePage(bytes: Buffer, contentType = ''): string {
  const label = /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(contentType)?.[1] ?? ''
  const encoding = sniffEncoding(bytes, { transportLayerEncodingLabel: label, defaultEncoding: 'UTF-8' })
  if (encoding !== 'UTF-8') return new TextDecoder(encoding).decode(bytes)
  try {
    // A page that was cut may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return new TextDecoder('windows-1252').decode(bytes)
  }
}
