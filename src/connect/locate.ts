import type { ConnectLink } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { locateSite, type VerifiedSite } from '../sites/register.ts'
import { NO_CACHE_HEADERS } from '../wordpress/client/index.ts'
import { discover, isSameHost } from '../wordpress/discover/index.ts'
import { parseErrorPage, recognisePage } from '../wordpress/failures/index.ts'

/** What the owner of a site gave for it. */
export interface OwnerCredentials {
  username: string
  applicationPassword: string
  /** WordPress itself has just made them, so that they are right; not entered by hand. */
  justMade: boolean
}

/**
 * The site of a link as it is found now, with the credentials that its owner gave for it; `locateSite` says when they are
 * sent to find it.
 *
 * @throws GalleyError 422 with what was found instead, or `ADDRESS_LEADS_ELSEWHERE` where it has moved since
 */
export const locateLinkedSite = (
  outbound: Outbound,
  row: Pick<ConnectLink, 'url' | 'restRoot'>,
  { username, applicationPassword }: OwnerCredentials,
): Promise<Pick<VerifiedSite, 'url' | 'title' | 'connection'>> =>
  locateSite(outbound, { url: row.url, username, application_password: applicationPassword }, row.restRoot)

/** How the owner of a site can connect it, as the site stands now. */
export type ConnectOptions =
  | {
      way: 'authorize'
      /** WordPress's own page, with everything it needs to come back. */
      address: string
      /** Galley itself is not reached over https, so a WordPress that is not `local` refuses to send anybody back. */
      insecureReturn: boolean
      /** The host of that page where it is not the site's own; the site says where the page is. */
      elsewhere: string | null
      /** A visitor who goes there is shown no login: a plugin hides it. */
      hidden: boolean
    }
  | { way: 'form'; why: 'not_https' | 'switched_off' }

/** What Galley calls itself to every WordPress: sites list and revoke application passwords by it. */
const APP_ID = '6d0a1c55-8c0c-4b7e-9d3c-2f8f5a0e71b4'

interface ReturnAddresses {
  approved: string
  rejected: string
}

/**
 * Asks the site how it can be connected: by its own authorization page where application passwords are on, else by
 * the form alone (docs/wordpress.md).
 *
 * @throws GalleyError what was found instead of a WordPress, or why nothing was
 */
export async function connectOptionsFor(
  outbound: Outbound,
  { url, askedBy }: { url: string; askedBy: string | null },
  { approved, rejected }: ReturnAddresses,
): Promise<ConnectOptions> {
  const { home, restRoot, closed, ...found } = await discover(outbound, url)
  // Where the index is closed to visitors, WordPress itself tells the owner whether it has application passwords.
  const authorizationUrl = found.authorizationUrl ?? (closed ? defaultAuthorizePage(home) : undefined)
  if (authorizationUrl === undefined)
    return { way: 'form', why: new URL(home).protocol === 'https:' ? 'switched_off' : 'not_https' }
  const address = new URL(authorizationUrl)
  address.searchParams.set('app_name', askedBy === null ? 'Galley' : `Galley for ${askedBy}`)
  address.searchParams.set('app_id', APP_ID)
  address.searchParams.set('success_url', approved)
  address.searchParams.set('reject_url', rejected)
  const elsewhere = isSameHost(address.href, restRoot) ? null : address.host
  const hidden = !(await leadsToLogin(outbound, authorizationUrl))
  return { way: 'authorize', address: address.href, insecureReturn: !isTrusted(approved), elsewhere, hidden }
}

const defaultAuthorizePage = (home: string): string =>
  new URL('wp-admin/authorize-application.php', home.endsWith('/') ? home : `${home}/`).href

/** Where WordPress sends people back to: https, or the machine itself (`wp_is_authorize_application_redirect_url_valid`). */
function isTrusted(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === '[::1]'
}

const LOGIN_TIMEOUT_MS = 10_000
const LOGIN_PAGE = {
  headers: NO_CACHE_HEADERS,
  redirects: 'follow',
  maxBytes: 256 * 1024,
  overflow: 'cut',
} as const

/**
 * Whether a visitor who opens a page of WordPress's administration is asked to log in, as WordPress does. Plugins that
 * hide the login page (WPS Hide Login) lead to one that does not exist, or to the front page. Another host may have a
 * login of any kind, and one that does not answer says nothing.
 */
async function leadsToLogin(outbound: Outbound, address: string): Promise<boolean> {
  try {
    const page = await outbound.request(address, { ...LOGIN_PAGE, timeoutMs: LOGIN_TIMEOUT_MS })
    return (
      !isSameHost(page.url, address) || page.status >= 500 || recognisePage(parseErrorPage(page)) !== null
    )
  } catch (error) {
    if (error instanceof GalleyError) return true
    throw error
  }
}
