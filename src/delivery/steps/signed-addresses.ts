import { decodeHTMLStrict } from 'entities'
import { truncate } from '../../lib/text.ts'
import type { Warning } from '../../warnings.ts'

const MAX_NAMED = 10

/** Signed addresses in the texts of a post, as object stores and CDNs give them out: they stop working. */
export function warnOfSignedAddresses(texts: readonly string[], now: Date): Warning[] {
  const named = new Map<string, Warning>()
  for (const text of texts)
    for (const [run] of text.matchAll(/http[^\s"'<>]*/g)) {
      if (!run.includes('?')) continue
      const address = decodeHTMLStrict(run.replaceAll('\\u0026', '&'))
      const expiry = expiryOfAddress(address)
      const name = truncate(address.split('?', 1)[0] ?? '', 120)
      if (expiry !== undefined && named.size < MAX_NAMED) named.set(name, expiryWarning(name, expiry, now))
    }
  return [...named.values()]
}

function expiryWarning(name: string, expiry: Date | 'unknown', now: Date): Warning {
  if (expiry === 'unknown')
    return {
      code: 'address_expires',
      message: `The post has the signed address ${name}?…, which may stop working, and does not say when. Send the document with an address that lasts.`,
    }
  const time = expiry.toISOString().slice(0, 16).replace('T', ' ')
  const over = expiry < now
  return {
    code: 'address_expires',
    message: over
      ? `The post has the signed address ${name}?…, which stopped working at ${time} UTC. Send the document with an address that lasts.`
      : `The post has the signed address ${name}?…, which stops working at ${time} UTC. Send the document with an address that lasts.`,
  }
}

/** Members of a query that say until when: of Azure `se`, of Discord `ex`, of Facebook `oe`, of Tencent `q-sign-time`. */
const TIME = /^(x-)?(e|ex|exp|expires?|expiry|expiration|expires_?at|se|oe|valid_?(to|until)|q-sign-time)$/i
/** Members that are signatures, or go with one. */
const SIGNATURE = /sig|token|hmac|hash|secret|^(s|hm|oh|md5|st|key|auth|policy)$/i
const SURE_SIGNATURE = /^((x|q)-(\w+-)?)?(sig|signature)$/i

/** When a signed address stops working; undefined for one that is not known to be signed. */
export function expiryOfAddress(address: string): Date | 'unknown' | undefined {
  const query = address.slice(address.indexOf('?') + 1).split('#', 1)[0] ?? ''
  // Akamai has members in a member: `hdnts=exp=1700000000~acl=/*~hmac=…`
  const flat = query.replaceAll('~', '&').replace(/(^|&)\w+=(?=(st|exp)=)/gi, '$1')
  const members = [...new URLSearchParams(flat)].map(([name, value]) => [name.toLowerCase(), value] as const)
  const names = members.map(([name]) => name)
  if (!names.some((name) => SIGNATURE.test(name))) return undefined
  const all = new Map(members)
  const times = members.flatMap(([name, value]) => [
    TIME.test(name) ? timeOf(value) : undefined,
    lifetime(all, name, value),
    timeInside(value),
  ])
  const time = times.find((found) => found !== undefined)
  if (time !== undefined) return time
  return names.some((name) => SURE_SIGNATURE.test(name)) ? 'unknown' : undefined
}

/** Amazon, Google and Alibaba: a moment, `20261128T093000Z`, and seconds from then. */
function lifetime(members: ReadonlyMap<string, string>, name: string, value: string): Date | undefined {
  const [, store] = /^x-(\w+)-expires$/.exec(name) ?? []
  const [, ...parts] =
    /^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/.exec(members.get(`x-${store}-date`) ?? '') ?? []
  const [year, month, day, hour, minute, second] = parts.map(Number)
  if (year === undefined) return undefined
  return plausible(Date.UTC(year, (month ?? 0) - 1, day, hour, minute, second) + Number(value) * 1000)
}

/** Seconds or milliseconds since 1970, in hexadecimal where it has eight digits; or ISO 8601. Of a range, its end. */
function timeOf(value: string): Date | undefined {
  const last = value.split(';').at(-1) ?? ''
  if (/^\d{10}$/.test(last)) return plausible(Number(last) * 1000)
  if (/^\d{13}$/.test(last)) return plausible(Number(last))
  if (/^[\da-f]{8}$/i.test(last)) return plausible(Number.parseInt(last, 16) * 1000)
  return /^\d{4}-\d\d-\d\d/.test(last) ? plausible(Date.parse(last)) : undefined
}

/** A token (RFC 7519), or CloudFront's policy: JSON in base64. */
function timeInside(value: string): Date | undefined {
  const [, encoded] = /^eyJ[\w-]+\.([\w-]+)\./.exec(value) ?? /^(eyJ[\w-]+)$/.exec(value) ?? []
  const json = Buffer.from(encoded ?? '', 'base64url').toString()
  const [, seconds] = /"(?:exp|AWS:EpochTime)"\s*:\s*(\d{10})\b/.exec(json) ?? []
  return seconds === undefined ? undefined : plausible(Number(seconds) * 1000)
}

/** Whether it can be a time that somebody signed until: of the years 2001 to 2099. */
const plausible = (time: number): Date | undefined =>
  time > 1e12 && time < 4.1e12 ? new Date(time) : undefined
