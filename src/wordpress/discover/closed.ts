import { readJson } from '../client/index.ts'
import { classify, type RawAnswer, restErrorIn } from '../failures/index.ts'

/** What WordPress reports of itself in the words of its REST API, when it is down for everybody. */
const DOWN: ReadonlySet<string> = new Set(['wp_die', 'internal_server_error', 'db_connect_fail'])

const ASKING = { site: '', method: 'GET', doing: 'reading its index', subject: 'site' } as const

/**
 * Whether a REST API answers as plugins do that close it to visitors: in its own way of reporting errors. Most answer 401
 * or 403, those for maintenance 503, and All In One Security 500. Whoever signs in may well be let in.
 */
export function isClosedToVisitors(answer: RawAnswer): boolean {
  const { status } = answer
  if (![401, 403, 500, 503].includes(status)) return false
  const json = readJson(answer.body)
  const error = json.found ? restErrorIn(json.value) : undefined
  if (error === undefined) return false
  if (status < 500 || !DOWN.has(error.code)) return true
  return classify(answer, error, ASKING).code === 'visitors_refused'
}
