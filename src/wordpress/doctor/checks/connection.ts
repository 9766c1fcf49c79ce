import { GalleyError } from '../../../errors.ts'
import type { OutboundResponse } from '../../../outbound/index.ts'
import { LARGEST_INDEX, type WordPressClient } from '../../client/index.ts'
import { fromFailure, ok, problem, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

const TIMEOUT_MS = 15_000

/** DNS, TCP and TLS, redirects, and whether the connection is encrypted at all. */
export async function checkConnection({
  site,
  outbound,
}: WordPressClient): Promise<{ findings: Finding[]; answer: OutboundResponse | null }> {
  try {
    const answer = await outbound.request(site.restRoot, {
      headers: { Accept: 'application/json' },
      redirects: 'none',
      timeoutMs: TIMEOUT_MS,
      maxBytes: LARGEST_INDEX,
    })
    const findings = [
      ok('connection', `${site.name} answers.`, 'Its name, its server and its certificate are in order.'),
      redirects(site.restRoot, answer),
      encryption(site.restRoot),
    ]
    return { findings, answer: isRedirect(answer) ? null : answer }
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    const finding = fromFailure(
      'connection',
      error,
      'Nothing can be delivered until the site is reached again.',
    )
    return { findings: [finding], answer: null }
  }
}

const isRedirect = ({ status }: OutboundResponse) => status >= 300 && status < 400

function redirects(restRoot: string, answer: OutboundResponse): Finding {
  if (!isRedirect(answer))
    return ok('redirects', `${restRoot} answers itself.`, 'Credentials arrive where they are sent.')
  return problem(
    'redirects',
    `${restRoot} redirects to ${answer.headers.location ?? 'another address'}.`,
    'Nothing can be delivered: credentials are never sent after a redirect.',
    'Connect the site again by the address that it redirects to.',
  )
}

function encryption(restRoot: string): Finding {
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
