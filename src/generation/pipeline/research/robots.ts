import robotsModule from 'robots-parser'
import type { Outbound } from '../../../outbound/index.ts'

/** Its types call `default` what is the module itself. */
const parseRobots = robotsModule as unknown as (typeof robotsModule)['default']

/** As `robots.txt` names us: the beginning of our `User-Agent`. */
const ROBOTS_AGENT = 'Galley'

/** Bytes; what a crawler must read at least (RFC 9309, 2.5) is 500 KiB. A longer file may say anything beyond its cut. */
const MAX_ROBOTS_BYTES = 512 * 1024
const ROBOTS_TIMEOUT_MS = 10_000

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
  const rules = rulesForAgent(answer.body.toString('utf8').replace(/^\ufeff/, ''))
  const work = rules.reduce((sum, rule) => sum + (rule.includes('*') ? rule.length : 1), 0)
  const robots = parseRobots(address, ['User-agent: *', ...rules].join('\n'))
  return (url) =>
    work * url.href.length <= MAX_MATCH_COST && robots.isAllowed(url.href, ROBOTS_AGENT) !== false
}

/**
 * The rules of the groups that name us, or else of those for everybody. The parser stores each rule
 * once per agent of its group, hundreds of millions for a hostile half megabyte.
 */
function rulesForAgent(text: string): string[] {
  const ours: string[] = []
  const everybodys: string[] = []
  let group = new Set<string[]>()
  let naming = false
  let named = false
  for (const line of text.split(/\r\n|\r|\n/)) {
    const [said = ''] = line.split('#', 1)
    const colon = said.indexOf(':')
    const member = said.slice(0, Math.max(0, colon)).trim().toLowerCase()
    if (member === '') continue
    if (member === 'user-agent') {
      if (!naming) group = new Set()
      const [agent] = said
        .slice(colon + 1)
        .split('/', 1)
        .map((name) => name.trim().toLowerCase())
      if (agent === ROBOTS_AGENT.toLowerCase()) group.add(ours)
      if (agent === '*') group.add(everybodys)
      naming = true
    } else if (member === 'allow' || member === 'disallow') {
      named ||= group.has(ours)
      for (const rules of group) rules.push(said)
      naming = false
    }
  }
  return named ? ours : everybodys
}
