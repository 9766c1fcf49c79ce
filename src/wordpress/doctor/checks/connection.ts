import { GalleyError } from '../../../errors.ts'
import { pluralize } from '../../../lib/text.ts'
import type { OutboundResponse } from '../../../outbound/index.ts'
import {
  addCacheBuster,
  MAX_INDEX_BYTES,
  NO_CACHE_HEADERS,
  removeCacheBuster,
  type WordPressClient,
} from '../../client/index.ts'
import { isSameHost } from '../../discover/address.ts'
import { fetchCurrentUser } from '../../discover/index.ts'
import type { CurrentUser } from '../../types.ts'
import { type Finding, findingFromFailure, ok, problem, warning } from '../report.ts'

const TIMEOUT_MS = 15_000

/** DNS, TCP and TLS, and what a visitor is answered. */
export async function checkConnection({
  site,
  outbound,
}: WordPressClient): Promise<{ finding: Finding; answer: OutboundResponse | null }> {
  try {
    const answer = await outbound.request(addCacheBuster(site.restRoot), {
      headers: { Accept: 'application/json', ...NO_CACHE_HEADERS },
      redirects: 'none',
      timeoutMs: TIMEOUT_MS,
      maxBytes: MAX_INDEX_BYTES,
    })
    const means = 'Its name, its server and its certificate are in order.'
    return { finding: ok('connection', `${site.name} answers.`, means), answer }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const finding = findingFromFailure(
      'connection',
      error,
      'Nothing can be delivered until the site is reached again.',
    )
    return { finding, answer: null }
  }
}

export const isRedirect = ({ status }: OutboundResponse) => status >= 300 && status < 400

/** @param letsUsersIn the redirect is for visitors: whoever signs in is answered */
export function checkRedirects(restRoot: string, answer: OutboundResponse, letsUsersIn: boolean): Finding {
  if (!isRedirect(answer) || letsUsersIn)
    return ok('redirects', `${restRoot} answers itself.`, 'Credentials reach WordPress.')
  const { location } = answer.headers
  const target = location === undefined ? 'another address' : removeCacheBuster(location)
  return problem(
    'redirects',
    `${restRoot} redirects to ${target}.`,
    'Nothing can be delivered: credentials are never sent after a redirect.',
    'Connect the site again at the address that it redirects to.',
  )
}

/** Whether the connection is encrypted at all. */
export function checkEncryption(restRoot: string): Finding {
  if (restRoot.startsWith('https:')) {
    return ok('encryption', 'The address begins with https.', 'The application password travels encrypted.')
  }
  return warning(
    'encryption',
    'The address begins with http, without encryption.',
    'The application password can be read on the way, and WordPress takes it only on sites marked as local.',
    'Get a certificate (most hosts give one for free) and connect the site by its https address.',
  )
}

/** Whether the credentials arrive and are right; a public route would prove nothing. */
export async function checkCredentials(
  client: WordPressClient,
): Promise<{ finding: Finding; user: CurrentUser | null }> {
  try {
    const user = await fetchCurrentUser(client)
    if (user.isHidden)
      return {
        finding: ok(
          'credentials',
          `The application password of ${user.name} works. A plugin keeps users from the REST API (as WP Cerber does), so the role cannot be told.`,
          'Posts can be delivered. What this user may do is told further below, where it was tried; the setting “author” cannot be used.',
        ),
        user,
      }
    const roles = user.roles.length > 0 ? user.roles.join(', ') : 'no role'
    return {
      finding: ok('credentials', `Galley is ${user.name} (${roles}).`, 'The application password works.'),
      user,
    }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return { finding: findingFromFailure('credentials', error, 'Nothing can be delivered.'), user: null }
  }
}

/** Whether the site calls itself by the address that it is reached at; `null` where it does not say. */
export function checkAddress(restRoot: string, home: string): Finding | null {
  if (home === '') return null
  if (isSameHost(home, restRoot))
    return ok('address', `The site calls itself ${home}.`, 'Links to its posts lead to where it is reached.')
  return warning(
    'address',
    `The site calls itself ${home}, but is reached at ${new URL(restRoot).origin}.`,
    `Galley keeps using the address at which it reaches the site; links to its posts lead to ${new URL(home).host}.`,
    'If both are yours, all is well. If not, somebody else may answer at this address: check it, and Settings → General in WordPress.',
  )
}

const TOLERATED_MS = 2 * 60 * 1000

/** The server's clock against ours, from the `Date` of an answer; `null` where it sent none. */
export function checkClock(date: string | undefined, now: number): Finding | null {
  const theirs = Date.parse(date ?? '')
  if (Number.isNaN(theirs)) return null
  const skew = theirs - now
  if (Math.abs(skew) <= TOLERATED_MS) {
    return ok('clock', 'The clocks of the site and of Galley agree.', 'Posts get the right time.')
  }
  const minutes = Math.round(Math.abs(skew) / 60_000)
  return warning(
    'clock',
    `The clock of the site is ${pluralize(minutes, 'minute')} ${skew > 0 ? 'ahead' : 'behind'}.`,
    'Posts get a wrong time; one published on a clock that is ahead shows as scheduled elsewhere.',
    'Ask the host to set the server’s clock, usually by switching time synchronisation on.',
  )
}
