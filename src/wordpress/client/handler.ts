import type { APIFetchOptions, FetchHandler } from '@wordpress/api-fetch'
import { classify } from '../failures/index.ts'
import { contextOf } from './context.ts'
import { withoutCredentials } from './echo.ts'
import { readJson } from './json.ts'
import { LARGEST_ANSWER } from './limits.ts'
import type { Multipart } from './multipart.ts'
import type { Answer } from './types.ts'
import { UNCACHED_HEADERS, uncached } from './uncached.ts'

/**
 * Makes the request through the outbound guard. A 2xx answer with JSON in it becomes an `Answer`; everything
 * else is thrown as the failure it is. Redirects are never followed: they would go without the credentials.
 */
export const outboundHandler: FetchHandler = async (options): Promise<Answer> => {
  const { outbound, timeoutMs, failure: context, form, beforeSend } = contextOf(options)
  const { headers, body } = encode(options, form)
  const answered = await outbound.request(uncached(options.url ?? ''), {
    method: options.method ?? 'GET',
    headers: { Accept: 'application/json, */*;q=0.1', ...UNCACHED_HEADERS, ...options.headers, ...headers },
    body,
    timeoutMs,
    maxBytes: LARGEST_ANSWER[context.subject],
    redirects: 'none',
    beforeSend,
  })
  const response = withoutCredentials(answered, options.headers?.Authorization)
  const json = readJson(response.body)
  if (response.status < 200 || response.status > 299) {
    throw classify(response, json.found ? json.value : undefined, context)
  }
  if (!json.found) throw classify(response, undefined, context)
  if (isErrorInDisguise(json.value)) throw classify(response, json.value, context)
  return { status: response.status, headers: response.headers, data: json.value }
}

interface Encoded {
  headers: Record<string, string>
  body: Iterable<Buffer> | string | null
}

function encode({ data }: APIFetchOptions, form: Multipart | undefined): Encoded {
  if (form !== undefined) {
    const headers = { 'Content-Type': form.contentType, 'Content-Length': String(form.length) }
    return { headers, body: form }
  }
  if (data === undefined) return { headers: {}, body: null }
  return { headers: { 'Content-Type': 'application/json' }, body: JSON.stringify(data) }
}

/** Some caches and proxies turn WordPress's error into a 200; `data.status` still tells. */
function isErrorInDisguise(json: unknown): boolean {
  if (typeof json !== 'object' || json === null || !('code' in json) || !('data' in json)) return false
  const { code, data } = json
  if (typeof code !== 'string' || typeof data !== 'object' || data === null || !('status' in data))
    return false
  return typeof data.status === 'number' && data.status >= 400
}
