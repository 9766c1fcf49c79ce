import { GalleyError } from '../../../errors.ts'
import type { OutboundResponse } from '../../../outbound/index.ts'
import {
  LARGEST_INDEX,
  UNCACHED_HEADERS,
  uncached,
  type WordPressClient,
  withoutUncached,
} from '../../client/index.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

const TIMEOUT_MS = 15_000

/** DNS, TCP and TLS, and what a visitor is answered. */
export async function checkConnection({
  site,
  outbound,
}: WordPressClient): Promise<{ finding: Finding; answer: OutboundResponse | null }> {
  try {
    const answer = await outbound.request(uncached(site.restRoot), {
      headers: { Accept: 'application/json', ...UNCACHED_HEADERS },
      redirects: 'none',
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGEST_INDEX,
    })
    const means = 'Its name, its server and its certificate are in order.'
    return { finding: ok('connection', `${site.name} answers.`, means), answer }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const finding = fromFailure(
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
  const target = location === undefined ? 'another address' : withoutUncached(location)
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
