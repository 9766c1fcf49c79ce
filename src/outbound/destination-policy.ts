import ipaddr from 'ipaddr.js'
import { excerpt } from '../lib/text.ts'
import { redactSecrets } from '../log/redact.ts'
import { transportFailure } from './failures.ts'

interface Destination {
  /** As written in the URL: a name, or an IP literal without brackets. */
  host: string
  port: number
  /** The IP address about to be, or just, connected to. */
  address: string
}

/** Why a destination is refused, as part of a sentence; `null` where it may be reached. */
export type DestinationPolicy = (destination: Destination) => string | null

/** Any other port is likely a database or a mail server. */
const WEB_PORTS = new Set([80, 443, 8080, 8443])

/** Allows public unicast addresses on web ports and what the operator named; embedded ones (NAT64, 6to4) are not `unicast`. */
export function createDestinationPolicy(allowPrivate: string[] | 'all'): DestinationPolicy {
  if (allowPrivate === 'all') return () => null
  const rules = allowPrivate.map(parseAllowedDestination)
  return (destination) => {
    if (rules.some((rule) => rule(destination))) return null
    const range = rangeOf(destination.address)
    if (range !== 'unicast') return `${destination.address} is not a public address (${range})`
    if (!WEB_PORTS.has(destination.port)) return `port ${destination.port} is not one of a web server`
    return null
  }
}

/** All public IPv6. ipaddr.js calls some addresses outside `unicast` that embed IPv4, as `::7f00:1` does. */
const GLOBAL_UNICAST = ipaddr.parseCIDR('2000::/3')

function rangeOf(address: string): string {
  if (!ipaddr.isValid(address)) return 'not an address'
  const parsed = ipaddr.parse(address)
  const range = parsed.range()
  return range === 'unicast' && parsed.kind() === 'ipv6' && !parsed.match(GLOBAL_UNICAST)
    ? 'unassigned'
    : range
}

type DestinationRule = (destination: Destination) => boolean

/** @throws Error naming the entry, where it is neither a CIDR, an address, a host nor a host:port. */
export function parseAllowedDestination(entry: string): DestinationRule {
  const text = entry.trim().toLowerCase()
  if (ipaddr.isValidCIDR(text)) {
    const network = ipaddr.parseCIDR(text)
    return ({ address }) => inside(address, network)
  }
  if (ipaddr.isValid(text)) return ({ address }) => same(address, text)

  const parts = /^(?:\[(?<literal>[^\]]+)\]|(?<host>[a-z0-9._-]+))(?::(?<port>\d{1,5}))?$/.exec(text)?.groups
  const host = parts?.literal ?? parts?.host
  if (!host) throw new Error(`“${entry}” is not a CIDR, an address, a host or a host:port`)
  const port = parts?.port === undefined ? undefined : Number(parts.port)
  return (destination) =>
    (port === undefined || port === destination.port) &&
    (ipaddr.isValid(host) ? same(destination.address, host) : destination.host.toLowerCase() === host)
}

function inside(address: string, network: ReturnType<typeof ipaddr.parseCIDR>): boolean {
  if (!ipaddr.isValid(address)) return false
  const parsed = ipaddr.parse(address)
  return parsed.kind() === network[0].kind() && parsed.match(network)
}

const same = (a: string, b: string): boolean =>
  ipaddr.isValid(a) && ipaddr.parse(a).toNormalizedString() === ipaddr.parse(b).toNormalizedString()

/** An http(s) URL without credentials; WHATWG parsing dots every spelling of an IPv4 address. @throws `address_invalid` */
export function parseTargetUrl(typed: string | URL, method: string): URL {
  const text = String(typed)
  const parsed = URL.canParse(text) ? new URL(text) : null
  const url = parsed !== null && parsed.hostname.length <= MAX_HOST_LENGTH ? parsed : null
  const refuse = (why: string) =>
    transportFailure('address_invalid', why, { url: url ?? new URL('about:blank'), method, sent: false })
  if (!url) throw refuse(`“${displayAddress(text)}” is not a web address`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`An address that begins with ${url.protocol} is not a web address`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(`The address of ${url.host} carries a user name or a password`)
  }
  return url
}

/** Characters of a DNS name (RFC 1035, 2.3.4), with its trailing dot. */
const MAX_HOST_LENGTH = 254

/** Characters of an address that are searched for secrets, and that a message shows. */
const DISPLAY_LIMITS = { searched: 2_000, shown: 200 }

/** A user's input for a message: shortened, with passwords redacted. */
export const displayAddress = (text: string, shown = DISPLAY_LIMITS.shown): string =>
  excerpt(redactSecrets(excerpt(text, DISPLAY_LIMITS.searched)), shown)
