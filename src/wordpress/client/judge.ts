import { classify, type FailureContext } from '../failures/index.ts'
import type { Answer, Unjudged } from './types.ts'

/** A 2xx answer with JSON in it is an `Answer`; everything else is thrown as the failure it is. */
export function judge(answered: Unjudged, context: FailureContext): Answer {
  const { status, headers, json } = answered
  if (status < 200 || status > 299) throw classify(answered, json.found ? json.value : undefined, context)
  if (!json.found) throw classify(answered, undefined, context)
  if (isErrorInDisguise(json.value)) throw classify(answered, json.value, context)
  return { status, headers, data: json.value }
}

/** Some caches and proxies turn WordPress's error into a 200; `data.status` still tells. */
function isErrorInDisguise(json: unknown): boolean {
  if (typeof json !== 'object' || json === null || !('code' in json) || !('data' in json)) return false
  const { code, data } = json
  if (typeof code !== 'string' || typeof data !== 'object' || data === null || !('status' in data))
    return false
  return typeof data.status === 'number' && data.status >= 400
}
