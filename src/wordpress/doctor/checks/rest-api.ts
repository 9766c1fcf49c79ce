import type { OutboundResponse } from '../../../outbound/index.ts'
import { readJson, type WordPressClient } from '../../client/index.ts'
import { type RestIndex, readIndex } from '../../discover/index.ts'
import { classify, restErrorIn } from '../../failures/index.ts'
import { fromFailure, ok, warning } from '../finding.ts'
import type { Finding } from '../types.ts'

/** Whether the REST API is where it was, and whether its JSON comes clean. */
export function checkRestApi(
  { site }: WordPressClient,
  answer: OutboundResponse,
): { finding: Finding; index: RestIndex | null; usable: boolean } {
  const index = answer.status === 200 ? readIndex(answer.body) : null
  if (index) return { finding: cleanliness(site.restRoot, answer.body), index, usable: true }

  const json = readJson(answer.body)
  const said = json.found ? json.value : undefined
  if ((answer.status === 401 || answer.status === 403) && restErrorIn(said) !== undefined) {
    const finding = ok(
      'rest_api',
      `The REST API of ${site.name} answers logged-in users alone.`,
      'That is fine: Galley always logs in.',
    )
    return { finding, index: null, usable: true }
  }
  const context = { site: site.name, method: 'GET', doing: 'reading its index', subject: 'site' } as const
  const finding = fromFailure('rest_api', classify(answer, said, context), 'Nothing can be delivered.')
  return { finding, index: null, usable: false }
}

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
