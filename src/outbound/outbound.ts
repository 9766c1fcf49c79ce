import { Agent, Pool } from 'undici'
import { createByteBudget } from '../bytes/index.ts'
import { guardedConnector } from './connector.ts'
import { exchange } from './exchange.ts'
import { createPermission } from './permission.ts'
import { follow } from './redirects.ts'
import type { Outbound, OutboundOptions } from './types.ts'
import { parseTarget } from './url.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** An idle connection is dropped before the server does it: Apache waits 5 s, nginx 75 s. */
const KEEP_ALIVE_MS = 4_000

/**
 * Makes the guard that every request to an address from outside passes: sites, pictures, webhooks.
 * Connections are kept alive per origin and share nothing between origins.
 */
export function createOutbound(options: OutboundOptions): Outbound {
  const { userAgent, connectTimeoutMs = CONNECT_TIMEOUT_MS, lookup, budget = createByteBudget() } = options
  const permission = createPermission(options.allowPrivate)
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    factory: (origin, poolOptions) => {
      const guard = { origin: new URL(origin), permission, timeoutMs: connectTimeoutMs, lookup }
      return new Pool(origin, { ...poolOptions, connect: guardedConnector(guard) })
    },
  })

  const others: Outbound[] = []

  return {
    largestFile: budget.files.size,
    async request(typed, request = {}) {
      const method = (request.method ?? 'GET').toUpperCase()
      const headers = {
        'user-agent': userAgent,
        accept: '*/*',
        'accept-encoding': 'identity',
        ...lowered(request.headers),
      }
      const first = { ...request, method, headers }
      return follow(parseTarget(typed, method), first, (url, hop) => exchange(agent, budget, url, hop))
    },
    also(targets) {
      const allowPrivate = options.allowPrivate === 'all' ? 'all' : [...options.allowPrivate, ...targets]
      const other = createOutbound({ ...options, allowPrivate, budget })
      others.push(other)
      return other
    },
    close: async () => {
      await Promise.all([agent.destroy(), ...others.map((other) => other.close())])
    },
  }
}

const lowered = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))
