import { isIPv6 } from 'node:net'
import { refusal } from '../../errors.ts'
import { displayAddress } from '../../outbound/destination-policy.ts'

/** Parts of WordPress that people copy out of their browser; the site is above them. */
const WORDPRESS_PATHS: ReadonlySet<string> = new Set([
  'wp-admin',
  'wp-login.php',
  'wp-json',
  'wp-content',
  'wp-includes',
  'xmlrpc.php',
])

/** Beyond it, an address is none that a browser showed. */
const MAX_ADDRESS_LENGTH = 2_048

/** The likeliest first: https before http. A port other than 443 says which server, not which of the two. */
export function addressCandidates(typed: string): URL[] {
  const trimmed = typed.length > MAX_ADDRESS_LENGTH ? '' : typed.trim()
  const text = isIPv6(trimmed) ? `[${trimmed}]` : trimmed
  const schemes = /^[a-z][a-z0-9+.-]*:\/\//i.test(text) ? [''] : ['https://', 'http://']
  const candidates = schemes.flatMap((scheme) =>
    URL.canParse(scheme + text) ? [new URL(scheme + text)] : [],
  )
  if (text === '' || candidates.length === 0) {
    throw refusal(
      'address_invalid',
      `“${displayAddress(typed, 100)}” is not a web address. Type the site's address as a browser shows it, as in example.com/blog.`,
      400,
    )
  }
  for (const url of candidates) {
    url.pathname = stripWordPressPath(url.pathname)
    url.hash = ''
  }
  return candidates
}

function stripWordPressPath(pathname: string): string {
  const parts = pathname.split('/')
  const own = parts.findIndex((part) => WORDPRESS_PATHS.has(part))
  return own === -1 ? pathname : `${parts.slice(0, own).join('/')}/`
}

/** The address above a REST root: `https://example.com/blog/` for `https://example.com/blog/wp-json/`. */
export function siteUrlAboveRoot(restRoot: string): string {
  const url = new URL(restRoot)
  url.search = ''
  url.hash = ''
  url.pathname = url.pathname.replace(/(?:index\.php\/)?wp-json\/$|index\.php\/?$/, '')
  return url.href
}

/** Whether two addresses are of one host. `www.` is no other host, and neither is https beside http. */
export function isSameHost(a: string, b: string): boolean {
  const hostOf = (address: string) => new URL(address).host.replace(/^www\./, '')
  return hostOf(a) === hostOf(b)
}

/** As it calls itself where that is the host it was reached at, else the address above its REST root. */
export function resolveSiteHome(restRoot: string, claimed: string): string {
  const reached = siteUrlAboveRoot(restRoot)
  if (claimed === '' || !isSameHost(claimed, restRoot)) return reached
  const home = new URL(claimed)
  // Behind a proxy that ends TLS, WordPress often believes that it is reached by http.
  if (new URL(restRoot).protocol === 'https:') home.protocol = 'https:'
  return home.href
}

/** Whether a REST root is on the host that somebody typed, with or without `www.`, and encrypted unless `http://` was typed. */
export const mayReceiveCredentials = (typed: string, restRoot: string): boolean =>
  isOnHostOf(typed, restRoot) && (addressCandidates(typed)[0]?.protocol === 'http:' || !isPlain(restRoot))

export const isOnHostOf = (typed: string, restRoot: string): boolean =>
  addressCandidates(typed).some(({ href }) => isSameHost(href, restRoot))

/** Whether a WordPress that is reached over https takes itself to be reached over http, as behind a proxy that ends TLS. */
export const believesPlain = (restRoot: string, claimed: string): boolean =>
  claimed !== '' && isPlain(claimed) && !isPlain(restRoot)

export const isPlain = (address: string): boolean => new URL(address).protocol === 'http:'
