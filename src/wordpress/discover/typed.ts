import { isIPv6 } from 'node:net'
import { GalleyError } from '../../errors.ts'
import { addressAsNamed } from '../../outbound/index.ts'

/** Parts of WordPress that people copy out of their browser; the site is above them. */
const BELOW_SITE: ReadonlySet<string> = new Set([
  'wp-admin',
  'wp-login.php',
  'wp-json',
  'wp-content',
  'wp-includes',
  'xmlrpc.php',
])

/** Beyond it, an address is none that a browser showed. */
const LONGEST = 2_048

/**
 * The addresses to try for what a person typed, the likeliest first. Without a scheme https comes before
 * http; a port other than 443 says which server is meant, but not which of the two it speaks.
 */
export function candidatesFor(typed: string): URL[] {
  const trimmed = typed.length > LONGEST ? '' : typed.trim()
  const text = isIPv6(trimmed) ? `[${trimmed}]` : trimmed
  const schemes = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? [''] : ['https://', 'http://']
  const candidates = schemes.flatMap((scheme) =>
    URL.canParse(scheme + text) ? [new URL(scheme + text)] : [],
  )
  if (text === '' || candidates.length === 0) {
    throw new GalleyError({
      code: 'address_invalid',
      message: `“${addressAsNamed(typed, 100)}” is not a web address. Type the site's address as a browser shows it, as in example.com/blog.`,
      fault: 'owner',
      action: 'owner',
      httpStatus: 400,
    })
  }
  for (const url of candidates) {
    url.pathname = aboveParts(url.pathname)
    url.hash = ''
  }
  return candidates
}

/** A path up to the first part that is WordPress's own. */
function aboveParts(pathname: string): string {
  const parts = pathname.split('/')
  const own = parts.findIndex((part) => BELOW_SITE.has(part))
  return own === -1 ? pathname : `${parts.slice(0, own).join('/')}/`
}
