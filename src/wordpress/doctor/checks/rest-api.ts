import { z } from 'zod'
import { GalleyError } from '../../../errors.ts'
import type { OutboundResponse } from '../../../outbound/index.ts'
import { extractJson, requestParsed, type WordPressClient } from '../../client/index.ts'
import { isClosedToVisitors, parseRestIndex, type RestIndex } from '../../discover/index.ts'
import { classifyFailure, type FailureCode, failureTextOf } from '../../failures/index.ts'
import { boundedArray } from '../../fields.ts'
import { type Finding, findingFromFailure, ok, warning } from '../report.ts'

/** Whether the REST API is where it was, and whether its JSON comes clean. */
export function checkRestApi(
  { site }: WordPressClient,
  answer: OutboundResponse,
): { finding: Finding; index: RestIndex | null; usable: boolean; refusal?: GalleyError } {
  const index = answer.status === 200 ? parseRestIndex(answer.body) : null
  if (index) return { finding: checkCleanJson(site.restRoot, answer.body), index, usable: true }

  if (isClosedToVisitors(answer))
    return { finding: loginRequiredFinding(site.name), index: null, usable: true }
  const json = extractJson(answer.body)
  const said = json.found ? json.value : undefined
  const context = { site: site.name, method: 'GET', doing: 'reading its index', subject: 'site' } as const
  const refusal = classifyFailure(answer, said, context)
  const finding = findingFromFailure('rest_api', refusal, 'Nothing can be delivered.')
  return { finding, index: null, usable: false, refusal }
}

const VISITOR_REFUSALS: ReadonlySet<string> = new Set<FailureCode>([
  'maintenance_page',
  'login_wall',
  'rest_api_disabled',
])

/** Whether a visitor was answered as by plugins that let users in. */
export const mayRequireLogin = (
  { status, headers }: Pick<OutboundResponse, 'status' | 'headers'>,
  refusal: GalleyError | undefined,
): boolean =>
  status >= 300 && status < 400
    ? (headers.location ?? '').includes('/wp-login.php')
    : refusal !== undefined && VISITOR_REFUSALS.has(refusal.code)

export const loginRequiredFinding = (name: string): Finding =>
  ok(
    'rest_api',
    `The REST API of ${name} answers logged-in users alone.`,
    'That is fine: Galley always logs in.',
  )

function checkCleanJson(restRoot: string, body: Buffer): Finding {
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

/** What WordPress answers of a post that cannot be: the batch went through, and nothing was done. */
const EXPECTED_REFUSAL = 'rest_post_invalid_id'

const answeredSchema = z.object({
  responses: boundedArray(z.object({ body: z.object({ code: z.string().max(200) }) }), 1),
})

/**
 * Whether WordPress's own `/batch/v1` answers this user. It is no trouble of the site where it does not: documents come
 * one by one then.
 */
export async function checkBatch(client: WordPressClient, postType: string): Promise<Finding> {
  try {
    const { value } = await requestParsed(client, answeredSchema, {
      method: 'POST',
      path: '/batch/v1',
      data: { requests: [{ method: 'DELETE', path: `/wp/v2/${postType}/0` }] },
      doing: 'sending several requests at once',
      subject: 'site',
    })
    const code = value.responses[0]?.body.code
    if (code === EXPECTED_REFUSAL)
      return ok(
        'batch',
        'The site accepts several requests in one (/batch/v1).',
        'Where many documents wait they come several at a time, which is less work for the site.',
      )
    return noBatchFinding(
      `WordPress does not take several posts of this type at once: ${code ?? 'no answer'}.`,
    )
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    return noBatchFinding(
      `The site does not accept several requests in one (/batch/v1). ${failureTextOf(error).happened}`,
    )
  }
}

const noBatchFinding = (seen: string): Finding =>
  ok(
    'batch',
    seen,
    'Nothing is lost: documents are delivered one by one, which takes longer when many are waiting.',
  )
