import { transportFailure } from './failure.ts'

/**
 * An address we may think about connecting to. WHATWG parsing has already turned every spelling of an IPv4
 * address (`0x7f.1`, `2130706433`, full-width digits) into its dotted form; the connector judges that.
 */
export function parseTarget(typed: string | URL, method: string): URL {
  const attempt = { method, sent: false }
  const url = URL.canParse(String(typed)) ? new URL(String(typed)) : null
  if (!url) {
    const nowhere = { ...attempt, url: new URL('invalid:') }
    throw transportFailure('address_invalid', String(typed), nowhere)
  }
  const refuse = (why: string) => transportFailure('address_not_allowed', why, { ...attempt, url })
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`its address begins with ${url.protocol} and not with https: or http:`)
  }
  if (url.username !== '' || url.password !== '') throw refuse('its address carries a name or a password')
  return url
}
