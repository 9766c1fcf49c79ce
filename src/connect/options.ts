import type { Outbound } from '../outbound/index.ts'
import { discover, sameHost } from '../wordpress/discover/index.ts'
import { leadsToLogin } from './leads-to-login.ts'

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

export interface ReturnAddresses {
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
  const authorizationUrl = found.authorizationUrl ?? (closed ? usualPage(home) : undefined)
  if (authorizationUrl === undefined)
    return { way: 'form', why: new URL(home).protocol === 'https:' ? 'switched_off' : 'not_https' }
  const address = new URL(authorizationUrl)
  address.searchParams.set('app_name', askedBy === null ? 'Galley' : `Galley for ${askedBy}`)
  address.searchParams.set('app_id', APP_ID)
  address.searchParams.set('success_url', approved)
  address.searchParams.set('reject_url', rejected)
  const elsewhere = sameHost(address.href, restRoot) ? null : address.host
  const hidden = !(await leadsToLogin(outbound, authorizationUrl))
  return { way: 'authorize', address: address.href, insecureReturn: !isTrusted(approved), elsewhere, hidden }
}

const usualPage = (home: string): string =>
  new URL('wp-admin/authorize-application.php', home.endsWith('/') ? home : `${home}/`).href

/** Where WordPress sends people back to: https, or the machine itself (`wp_is_authorize_application_redirect_url_valid`). */
function isTrusted(address: string): boolean {
  const { protocol, hostname } = new URL(address)
  return protocol === 'https:' || hostname === '127.0.0.1' || hostname === '[::1]'
}
