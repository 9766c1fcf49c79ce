import { TextDecoder } from '@exodus/bytes/encoding.js'
import sniffEncoding from 'html-encoding-sniffer'
import robotsModule from 'robots-parser'
import type { Outbound, OutboundResponse } from '../../../outbound/outbound.ts'

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
    if (!(await robots(url))) throw new UnreadablePageError(`robots.txt of ${url.host} does not allow it`)
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

/** Its types call `default` what is the module itself. */
const parseRobots = robotsModule as unknown as (typeof robotsModule)['default']

const ROBOTS_AGENT = 'Galley'

/** Bytes; what a crawler must read at least (RFC 9309, 2.5) is 500 KiB. A longer file may say anything beyond its cut. */
const MAX_ROBOTS_BYTES = 512 * 1024
const ROBOTS_TIMEOUT_MS = 10_000

/** Rules times agents: the parser stores each rule once for each agent of its group. */
const MAX_STORED_RULES = 1_000_000

/** Rules, and characters of those with `*`, times the characters of an address: what it takes to compare them. */
const MAX_MATCH_COST = 30_000_000

/** Whether a page may be fetched, as the `robots.txt` of its site says; each is asked for once. @throws where it cannot be had */
export type Robots = (url: URL) => Promise<boolean>

type RobotsRules = (url: URL) => boolean

/** RFC 9309: no such file allows all, one that cannot be had forbids all. Of one run: a site may change its mind. */
export function createRobots(outbound: Outbound, signal: AbortSignal): Robots {
  const known = new Map<string, Promise<RobotsRules>>()
  const rulesOf = (origin: string) => {
    const rules = known.get(origin) ?? fetchRules(outbound, origin, signal)
    known.set(origin, rules)
    return rules
  }
  return async (url) => (await rulesOf(url.origin))(url)
}

async function fetchRules(outbound: Outbound, origin: string, signal: AbortSignal): Promise<RobotsRules> {
  const address = `${origin}/robots.txt`
  const request = {
    redirects: 'follow',
    maxBytes: MAX_ROBOTS_BYTES,
    timeoutMs: ROBOTS_TIMEOUT_MS,
    signal,
  } as const
  const answer = await outbound.request(address, request)
  // 429 says nothing of the file, only that nobody may ask now.
  if (answer.status >= 500 || answer.status === 429)
    throw new UnreadablePageError(`its site answered HTTP ${answer.status} to the request for its robots.txt`)
  if (answer.status < 200 || answer.status > 299) return () => true
  // Only a rule ends a group (RFC 9309, 2.2.4); for the parser other lines do too.
  const lines = answer.body
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => /^[ \t]*(?:user-agent|allow|disallow)[ \t]*:/i.test(line))
  const rules = lines.filter((line) => !/^[ \t]*user-agent/i.test(line))
  if ((lines.length - rules.length) * rules.length > MAX_STORED_RULES)
    throw new UnreadablePageError('its robots.txt has more rules than Galley reads')
  const work = rules.reduce((sum, rule) => sum + (rule.includes('*') ? rule.length : 1), 0)
  const robots = parseRobots(address, lines.join('\n'))
  return (url) =>
    work * url.href.length <= MAX_MATCH_COST && robots.isAllowed(url.href, ROBOTS_AGENT) !== false
}
