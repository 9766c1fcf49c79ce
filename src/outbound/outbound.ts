import { lookup as dnsLookup, type LookupAddress } from 'node:dns'
import { isIP, type LookupFunction } from 'node:net'
import { Agent, buildConnector, Pool } from 'undici'
import { type ByteBudget, createByteBudget } from '../bytes/budget.ts'
import { createDestinationPolicy, type DestinationPolicy, parseTargetUrl } from './destination-policy.ts'
import { exchange, followRedirects } from './exchange.ts'
import { transportFailure } from './failures.ts'

interface OutboundOptions {
  /** Besides the public internet: CIDRs, addresses, hosts or `host:port`. Without a port, every port. `all`: no guard. */
  allowPrivate: string[] | 'all'
  /** Sent with every request: `Galley/1.2.3 (+https://…)`. */
  userAgent: string
  /** Name resolution, whose answers are checked. Default `dns.lookup`. */
  lookup?: LookupFunction
  /** The process's byte budget. Default: a new one. */
  budget?: ByteBudget
}

export interface OutboundRequest {
  /** Default `GET`. */
  method?: string
  headers?: Record<string, string>
  /** An iterable is streamed; `headers` must have its `Content-Length`. */
  body?: string | Buffer | Iterable<Buffer> | null
  /** Milliseconds from asking for a connection to the last byte, but for the wait for the byte budget. Default 30,000. */
  timeoutMs?: number
  /** Bytes of decoded body; a longer one is `answer_too_big`. Default 1 MiB, but 64 KiB of an answer that is not a 2xx. */
  maxBytes?: number
  /** `cut` keeps the first `maxBytes` of a longer body instead of failing. */
  overflow?: 'fail' | 'cut'
  /** The body is a file: it counts against the budget until `release` is called. Only that of a 200 is kept. */
  hold?: boolean
  /** Receives the body of a 200 as it arrives; `body` is then empty. */
  onBody?: (chunk: Buffer) => void
  /** Ignores the body: `body` is empty, and an incomplete, undecodable or slow body is no error. */
  headOnly?: boolean
  /** `follow` applies to GET and HEAD only; a write goes only to the address it names. */
  redirects?: 'none' | 'follow'
  signal?: AbortSignal
  /** Called when the connection is open and nothing has been sent; an exception ends the request. */
  beforeSend?: () => void
}

export interface OutboundResponse {
  status: number
  /** Lower-case names; a header sent several times is joined with `, `. */
  headers: Record<string, string>
  body: Buffer
  /** The address that answered, after redirects. */
  url: string
  /** Releases the lease of an answer with `hold`. Further calls do nothing. */
  release?: () => void
}

/** The only client for addresses that come from outside. Errors are `GalleyError`s of `outbound/failures.ts`. */
export interface Outbound {
  /** Bytes of the largest file that fits in the budget. */
  readonly largestFile: number
  request(url: string | URL, request?: OutboundRequest): Promise<OutboundResponse>
  /** Why nothing would ever be sent to a valid address that is used later, as part of a sentence; null where it may be. */
  refusalOf(address: string): string | null
  /** A client that may also reach the operator's `targets`, in the form of `allowPrivate`; it shares the budget alone. */
  also(targets: string[]): Outbound
  /** Closes every connection; pending requests fail. */
  close(): Promise<void>
}

/** Milliseconds until the socket is connected, TLS included. */
const CONNECT_TIMEOUT_MS = 10_000
/** An idle connection is dropped before the server does it: Apache waits 5 s, nginx 75 s. */
const KEEP_ALIVE_MS = 4_000

/** Creates the guarded client for every address from outside. Connections are per origin and share nothing between them. */
export function createOutbound(options: OutboundOptions): Outbound {
  const { userAgent, lookup = dnsLookup, budget = createByteBudget() } = options
  const permission = createDestinationPolicy(options.allowPrivate)
  const agent = new Agent({
    keepAliveTimeout: KEEP_ALIVE_MS,
    factory: (origin, poolOptions) => {
      const connect = guardedConnector(new URL(origin), permission, lookup)
      return new Pool(origin, { ...poolOptions, connect })
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

/** An IP literal never reaches `lookup`, and any address of a name may be used: all are checked, and the open socket again. */
function guardedConnector(
  origin: URL,
  permission: DestinationPolicy,
  lookup: LookupFunction,
): buildConnector.connector {
  const { host, port } = destinationOf(origin)
  const refusal = (address: string | undefined) => {
    const why = address === undefined ? 'it has no address' : permission({ host, port, address })
    const attempt = { url: origin, method: 'GET', sent: false }
    if (why === null) return null
    // The resolved private address goes to the operator's log alone: users could map the network with it.
    const told = isIP(host) ? why : 'the name leads to what is not a public address of a web server'
    return transportFailure('address_not_allowed', told, attempt, new Error(why))
  }
  const connect = buildConnector({ timeout: CONNECT_TIMEOUT_MS, lookup: guardedLookup(lookup, refusal) })

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
      const refused = addresses.map(({ address }) => refusal(address)).find((found) => found !== null)
      if (refused) return callback(refused, '')
      const [first] = addresses
      if (!first) return callback(Object.assign(new Error('no address'), { code: 'ENODATA' }), '')
      if (options.all) callback(null, addresses)
      else callback(null, first.address, first.family)
    })
  }
}
