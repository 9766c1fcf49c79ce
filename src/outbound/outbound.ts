import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Pool } from 'undici'
import { createByteBudget } from '../bytes/budget.ts'
import { createDestinationPolicy, type DestinationPolicy, parseTargetUrl } from './destination-policy.ts'
import { exchange, followRedirects } from './exchange.ts'
import { transportFailure } from './failures.ts'
import type { Outbound, OutboundOptions } from './types.ts'

const CONNECT_TIMEOUT_MS = 10_000
/** An idle connection is dropped before the server does it: Apache waits 5 s, nginx 75 s. */
const KEEP_ALIVE_MS = 4_000

/** Creates the guarded client for every address from outside. Connections are per origin and share nothing between them. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { userAgent, connectTimeoutMs = CONNECT_TIMEOUT_MS, lookup, budget = createByteBudget() } = options
  const permission = createDestinationPolicy(options.allowPrivate)
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    factory: (origin, poolOptions) => {
      const guard = { origin: new URL(origin), permission, timeoutMs: connectTimeoutMs, lookup }
      return new Pool(origin, { ...poolOptions, connect: guardedConnector(guard) })
    },
  })

  const children: Outbound[] = []

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
      return followRedirects(parseTargetUrl(typed, method), first, (url, hop) =>
        exchange(agent, budget, url, hop),
      )
    },
    refusalOf: (address) => refusalOf(new URL(address), permission, options.allowPrivate.length === 0),
    also(targets) {
      const allowPrivate = options.allowPrivate === 'all' ? 'all' : [...options.allowPrivate, ...targets]
      const child = createOutbound({ ...options, allowPrivate, budget })
      children.push(child)
      return child
    },
    close: async () => {
      await Promise.all([agent.destroy(), ...children.map((child) => child.close())])
    },
  }
}

const lowered = (headers: Record<string, string> = {}): Record<string, string> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]))

/** Host without brackets, and port, as the policy judges them. */
const destinationOf = ({ hostname, protocol, port }: URL) => ({
  host: hostname.replace(/^\[|\]$/g, ''),
  port: port === '' ? (protocol === 'https:' ? 443 : 80) : Number(port),
})

/** RFC 6761: these names are loopback, whatever a DNS server says. */
const LOOPBACK_NAME = /(^|\.)localhost\.?$/i

/** Any public address stands for that of a name, which may change. */
const SOME_PUBLIC_ADDRESS = '1.1.1.1'

function refusalOf(url: URL, permission: DestinationPolicy, publicOnly: boolean): string | null {
  if (url.protocol === 'mailto:') return null
  const destination = destinationOf(url)
  const { host } = destination
  if (isIP(host)) return permission({ ...destination, address: host })
  if (LOOPBACK_NAME.test(host)) {
    const refused = permission({ ...destination, address: '127.0.0.1' })
    return refused && permission({ ...destination, address: '::1' }) && refused
  }
  // Where some private address is allowed, the name may lead to it, on any port.
  return publicOnly ? permission({ ...destination, address: SOME_PUBLIC_ADDRESS }) : null
}

interface ConnectorOptions {
  origin: URL
  permission: DestinationPolicy
  timeoutMs: number
  lookup: LookupFunction | undefined
}

/**
 * Opens sockets to one origin, if the policy allows. Three checks cover what the others cannot see: an IP literal never
 * reaches `lookup`; every address of a name must pass, since any may be connected to; and the remote address of the
 * open socket is checked again.
 */
function guardedConnector({
  origin,
  permission,
  timeoutMs,
  lookup,
}: ConnectorOptions): buildConnector.connector {
  const { host, port } = destinationOf(origin)
  const refusal = (address: string | undefined) => {
    const why = address === undefined ? 'it has no address' : permission({ host, port, address })
    const attempt = { url: origin, method: 'GET', sent: false }
    if (why === null) return null
    // The resolved private address goes to the operator's log alone: users could map the network with it.
    const told = isIP(host) ? why : 'the name leads to what is not a public address of a web server'
    return transportFailure('address_not_allowed', told, attempt, new Error(why))
  }
  const connect = buildConnector({
    timeout: timeoutMs,
    lookup: guardedLookup(lookup ?? dnsLookup, (address) => refusal(address)),
  })

  return (options, callback) => {
    const refused = isIP(host) ? refusal(host) : null
    if (refused) return callback(refused, null)
    connect(options, (error, socket) => {
      if (error) return callback(error, null)
      const reached = refusal(socket.remoteAddress)
      if (!reached) return callback(null, socket)
      socket.destroy()
      callback(reached, null)
    })
  }
}

function guardedLookup(lookup: LookupFunction, refusal: (address: string) => Error | null): LookupFunction {
  return (hostname, options, callback) => {
    lookup(hostname, { ...options, all: true }, (error, answer) => {
      if (error) return callback(error, '')
      const addresses = answer as LookupAddress[]
      for (const { address } of addresses) {
        const refused = refusal(address)
        if (refused) return callback(refused, '')
      }
      const [first] = addresses
      if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENODATA' }), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
