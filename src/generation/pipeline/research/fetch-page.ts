import type { Outbound, OutboundResponse } from '../../../outbound/index.ts'
import type { Robots } from './robots.ts'

/** Bytes; a longer page is cut. Of a page of 2 MB most is programs, which come after what is read. */
const MAX_PAGE_BYTES = 1024 * 1024
const PAGE_TIMEOUT_MS = 15_000
const MAX_REDIRECTS = 5

const readableTypes = new Set(['text/html', 'application/xhtml+xml', 'text/plain'])

export interface FetchedPage {
  /** The address that answered. */
  url: string
  text: string
  isHtml: boolean
}

/** Why a page was not read, as part of a sentence. */
export class UnreadablePageError extends Error {}

/**
 * Fetches a page where robots.txt allows it, checked again at every redirect.
 *
 * @throws UnreadablePageError
 * @throws GalleyError of the outbound guard
 */
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

/** Bytes in which a page says its character set (HTML, "Determining the character encoding"). */
const PRESCAN_BYTES = 1024

const byteOrderMarks: [string, number[]][] = [
  ['utf-8', [0xef, 0xbb, 0xbf]],
  ['utf-16be', [0xfe, 0xff]],
  ['utf-16le', [0xff, 0xfe]],
]

/**
 * Decodes a page by its byte order mark, `Content-Type` or `<meta>`, in this order; else UTF-8, or
 * windows-1252 where it is not that.
 */
export function decodePage(bytes: Buffer, contentType = ''): string {
  const marked = byteOrderMarks.find(([, mark]) => mark.every((byte, at) => bytes[at] === byte))?.[0]
  const named = marked ?? charsetIn(contentType) ?? charsetOfMeta(bytes)
  const decoder = named === undefined ? undefined : decoderOf(named)
  if (decoder?.encoding === 'windows-1252') return western(bytes)
  if (decoder !== undefined) return decoder.decode(bytes)
  try {
    // A page that was cut may end within a character.
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true })
  } catch {
    return western(bytes)
  }
}

/** Bytes 80 to 9f of windows-1252 (encoding.spec.whatwg.org). Node 20 reads them as ISO 8859-1 has them, which is nothing. */
const quotes = '€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'

const western = (bytes: Buffer): string =>
  bytes.toString('latin1').replace(/[\x80-\x9f]/g, (byte) => quotes.charAt(byte.charCodeAt(0) - 0x80))

const charsetIn = (text: string): string | undefined =>
  /charset\s{0,9}=\s{0,9}["']?([\w.:-]{1,40})/i.exec(text)?.[1]?.toLowerCase()

/** The beginning from its first `<meta`, as it reads in ASCII. */
function metaOf(bytes: Buffer): string {
  const head = bytes.subarray(0, PRESCAN_BYTES).toString('latin1')
  const at = head.search(/<meta\s/i)
  return at === -1 ? '' : head.slice(at)
}

/** A page that can be read as ASCII thus far is not UTF-16, whatever it says: as browsers do, it is read as UTF-8. */
function charsetOfMeta(bytes: Buffer): string | undefined {
  const charset = charsetIn(metaOf(bytes))
  return charset?.startsWith('utf-16') ? 'utf-8' : charset
}

function decoderOf(charset: string) {
  try {
    return new TextDecoder(charset)
  } catch {
    // A name that nobody knows
    return undefined
  }
}
