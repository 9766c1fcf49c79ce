import { classify, type FailureContext, restErrorIn, sentErrorIn } from '../failures/index.ts'
import type { Answer, Unjudged } from './types.ts'

/** A 2xx answer with JSON in it is an `Answer`; everything else is thrown as the failure it is. */
export function judge(answered: Unjudged, context: FailureContext): Answer {
  const { status, headers, json } = answered
  if (status < 200 || status > 299) throw classify(answered, json.found ? json.value : undefined, context)
  if (!json.found) throw classify(answered, undefined, context)
  if (isErrorInDisguise(json.value)) throw classify(answered, json.value, context)
  return { status, headers, data: json.value }
}

/**
 * Some caches and proxies turn WordPress's error into a 200, and some plugins report theirs so. Nothing that Galley asks for
 * has a code and a message in the place of what it is.
 */
const isErrorInDisguise = (json: unknown): boolean =>
  sentErrorIn(json) !== undefined || (restErrorIn(json) !== undefined && !isThing(json))

const isThing = (json: unknown): boolean => typeof json === 'object' && json !== null && 'id' in json
