import { withoutSecrets } from '../redact.ts'
import { excerpt } from '../text.ts'
import { transportFailure } from './failure.ts'

/**
 * An address we may think about connecting to. WHATWG parsing has already turned every spelling of an IPv4
 * address (`0x7f.1`, `2130706433`, full-width digits) into its dotted form; the connector judges that.
 */
export function parseTarget(typed: string | URL, method: string): URL {
  const text = String(typed)
  const parsed = URL.canParse(text) ? new URL(text) : null
  const url = parsed !== null && parsed.hostname.length <= LONGEST_HOST ? parsed : null
  const refuse = (why: string) =>
    transportFailure('address_invalid', why, { url: url ?? new URL('about:blank'), method, sent: false })
  if (!url) throw refuse(`“${addressAsNamed(text)}” is not a web address`)
  if (url.protocol !== 'https:' && url.protocol !== 'http:') {
    throw refuse(`An address that begins with ${url.protocol} is not a web address`)
  }
  if (url.username !== '' || url.password !== '') {
    throw refuse(`The address of ${url.host} carries a user name or a password`)
  }
  return url
}

/** Characters of a name in DNS (RFC 1035, 2.3.4), with its last dot. */
const LONGEST_HOST = 254

/** Characters of an address that are looked through for secrets, and of those that a sentence shows. */
const ADDRESS = { lookedAt: 2_000, shown: 200 }

/** What somebody named as an address, for a sentence: it may be of any length, and have a password in it. */
export const addressAsNamed = (text: string, shown = ADDRESS.shown): string =>
  excerpt(withoutSecrets(excerpt(text, ADDRESS.lookedAt)), shown)
