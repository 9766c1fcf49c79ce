import type { GalleyError } from '../../../errors.ts'
import type { OutboundResponse } from '../../../outbound/index.ts'
import { readJson, type WordPressClient } from '../../client/index.ts'
import { isClosedToVisitors, type RestIndex, readIndex } from '../../discover/index.ts'
import { classify, type FailureCode } from '../../failures/index.ts'
import { fromFailure, ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

/** Whether the REST API is where it was, and whether its JSON comes clean. */
export function checkRestApi(
  { site }: WordPressClient,
  answer: OutboundResponse,
): { finding: Finding; index: RestIndex | null; usable: boolean; refusal?: GalleyError } {
  const index = answer.status === 200 ? readIndex(answer.body) : null
  if (index) return { finding: cleanliness(site.restRoot, answer.body), index, usable: true }

  if (isClosedToVisitors(answer)) return { finding: forUsersAlone(site.name), index: null, usable: true }
  const json = readJson(answer.body)
  const said = json.found ? json.value : undefined
  const context = { site: site.name, method: 'GET', doing: 'reading its index', subject: 'site' } as const
  const refusal = classify(answer, said, context)
  const finding = fromFailure('rest_api', refusal, 'Nothing can be delivered.')
  return { finding, index: null, usable: false, refusal }
}

const FOR_VISITORS: ReadonlySet<string> = new Set<FailureCode>([
  'maintenance_page',
  'login_wall',
  'rest_api_disabled',
])

/** Whether a visitor was answered as by plugins that let users in. */
export const mayBeForUsersAlone = (
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  refusal: GalleyError | undefined,
): boolean =>
  status >= 300 && status < 400
    ? (headers.location ?? '').includes('/wp-login.php')
    : refusal !== undefined && FOR_VISITORS.has(refusal.code)

export const forUsersAlone = (name: string): Finding =>
  ok(
    'rest_api',
    `The REST API of ${name} answers logged-in users alone.`,
    'That is fine: Galley always logs in.',
  )

function cleanliness(restRoot: string, body: Buffer): Finding {
  const text = body.toString('utf8')
  const links = restRoot.includes('?') ? 'plain' : 'pretty'
  if (text.startsWith('{') && text.trimEnd().endsWith('}')) {
    return ok('rest_api', `The REST API answers at ${restRoot}.`, `Permalinks are ${links}; both kinds work.`)
  }
  const around = text.startsWith('{') ? text.slice(-80) : text.slice(0, 80)
  return warning(
    'rest_api',
    `Something is printed around the answers of the REST API: “${around.trim().replace(/\s+/g, ' ')}”.`,
    'Galley reads past it, but an answer may be lost, and other programs fail.',
    'Find the plugin or file that prints it: often PHP notices are shown (WP_DEBUG_DISPLAY), or a file begins with a byte order mark.',
  )
}
