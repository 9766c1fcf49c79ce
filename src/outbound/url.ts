import { transportFailure } from './failure.ts'

/**
 * An address we may think about connecting to. WHATWG parsing has already turned every spelling of an IPv4
 * address (`0x7f.1`, `2130706433`, full-width digits) into its dotted form; the connector judges that.
 */
export function parseTarget(typed: string | URL, method: string): URL {
  const text = String(typed)
  const url = URL.canParse(text) ? new URL(text) : null
  const refuse = (why: string) =>
    transportFailure('address_invalid', why, { url: url ?? new URL('about:blank'), method, sent: false })
  if (!url) throw refuse(`“${text}” is not a web address`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`An address that begins with ${url.protocol} is not a web address`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(`The address of ${url.host} carries a user name or a password`)
  }
  return url
}
