import robotsModule from 'robots-parser'
import type { Outbound } from '../../../outbound/types.ts'

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

/** Whether pages may be fetched, as the `robots.txt` of their sites says; each is asked once. */
export interface Robots {
  allows(url: URL): Promise<boolean>
}

type RobotsRules = (url: URL) => boolean

const allowAll: RobotsRules = () => true
const disallowAll: RobotsRules = () => false

/** RFC 9309: no such file allows all, one that cannot be had forbids all. Of one run: a site may change its mind. */
export function createRobots(outbound: Outbound, signal: AbortSignal): Robots {
  const known = new Map<string, Promise<RobotsRules>>()
  const rulesOf = (origin: string) => {
    const rules = known.get(origin) ?? fetchRules(outbound, origin, signal)
    known.set(origin, rules)
    return rules
  }
  return { allows: async (url) => (await rulesOf(url.origin))(url) }
}

async function fetchRules(outbound: Outbound, origin: string, signal: AbortSignal): Promise<RobotsRules> {
  const address = `${origin}/robots.txt`
  const request = {
    redirects: 'follow',
    maxBytes: MAX_ROBOTS_BYTES,
    timeoutMs: ROBOTS_TIMEOUT_MS,
    signal,
  } as const
  const answer = await outbound.request(address, request).catch(() => {
    signal.throwIfAborted()
    return undefined
  })
  // 429 says nothing of the file, only that nobody may ask now.
  if (answer === undefined || answer.status >= 500 || answer.status === 429) return disallowAll
  if (answer.status < 200 || answer.status > 299) return allowAll
  // Only a rule ends a group (RFC 9309, 2.2.4); for the parser other lines do too.
  const lines = answer.body
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .split(/\r\n|\r|\n/)
    .filter((line) => /^[ \t]*(?:user-agent|allow|disallow)[ \t]*:/i.test(line))
  const rules = lines.filter((line) => !/^[ \t]*user-agent/i.test(line))
  if ((lines.length - rules.length) * rules.length > MAX_STORED_RULES) return disallowAll
  const work = rules.reduce((sum, rule) => sum + (rule.includes('*') ? rule.length : 1), 0)
  const robots = parseRobots(address, lines.join('\n'))
  return (url) =>
    work * url.href.length <= MAX_MATCH_COST && robots.isAllowed(url.href, ROBOTS_AGENT) !== false
}
