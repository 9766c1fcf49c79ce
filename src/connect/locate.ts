import type { ConnectLink } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import type { Outbound } from '../outbound/index.ts'
import { locateSite, type VerifiedSite } from '../sites/register.ts'
import { NO_CACHE_HEADERS } from '../wordpress/client/index.ts'
import { discover, isSameHost } from '../wordpress/discover/index.ts'
import { parseErrorPage, recognisePage } from '../wordpress/failures/index.ts'

export interface OwnerCredentials {
  username: string
  applicationPassword: string
  /** WordPress has just created them; false where a person entered them. */
  justMade: boolean
}

/**
 * Locates a link's site with its owner's credentials; `locateSite` documents when it sends them.
 *
 * @throws GalleyError 422 for what was found instead; `ADDRESS_LEADS_ELSEWHERE` where the site has moved
 */
export const locateLinkedSite = (
  outbound: Outbound,
  row: Pick<ConnectLink, 'url' | 'restRoot'>,
  { username, applicationPassword }: OwnerCredentials,
): Promise<Pick<VerifiedSite, 'url' | 'title' | 'connection'>> =>
  locateSite(outbound, { url: row.url, username, application_password: applicationPassword }, row.restRoot)

/** How the owner can connect a site at present. */
export type ConnectOptions =
  | {
      way: 'authorize'
      /** WordPress's authorization page with its parameters. */
      address: string
      /** Galley's own address is not https, so only a `local` WordPress redirects back to it. */
      insecureReturn: boolean
      /** The page's host where it is not the site's; the site itself names the page. */
      elsewhere: string | null
      /** A plugin hides the login page from visitors. */
      hidden: boolean
    }
  | { way: 'form'; why: 'not_https' | 'switched_off' }

/** Constant for all sites, which list and revoke application passwords by it. */
const APP_ID = '6d0a1c55-8c0c-4b7e-9d3c-2f8f5a0e71b4'

interface ReturnAddresses {
  approved: string
  rejected: string
}

/**
 * Discovers how a site can be connected: by its authorization page where application passwords are on, else by the form
 * only (docs/wordpress.md).
 *
 * @throws GalleyError where no WordPress was found
 */
export async function connectOptionsFor(
  outbound: Outbound,
  { url, askedBy }: { url: string; askedBy: string | null },
  { approved, rejected }: ReturnAddresses,
): Promise<ConnectOptions> {
  const { home, restRoot, closed, ...found } = await discover(outbound, url)
  // With a closed index, WordPress's page tells the owner whether application passwords are on.
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

/** Whether WordPress redirects there: https or loopback (`wp_is_authorize_application_redirect_url_valid`). */
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
 * Whether a visitor to an administration page is asked to log in. Plugins that hide the login page (WPS Hide Login)
 * redirect to a missing page or the front page. Another host and a failed request count as a login.
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
