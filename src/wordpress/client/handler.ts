import type { APIFetchOptions, FetchHandler } from '@wordpress/api-fetch'
import { contextOf } from './context.ts'
import { readJson } from './json.ts'
import type { Multipart } from './multipart.ts'
import type { Unjudged } from './types.ts'
import { UNCACHED_HEADERS, uncached } from './uncached.ts'

/**
 * Makes the request through the outbound guard, and answers what came: what it means is judged by `judge`. Redirects are
 * never followed: they would go without the credentials.
 */
export const outboundHandler: FetchHandler = async (options): Promise<Unjudged> => {
  const { outbound, timeoutMs, maxBytes, form, beforeSend } = contextOf(options)
  const { headers, body } = encode(options, form)
  const response = await outbound.request(uncached(options.url ?? ''), {
    method: options.method ?? 'GET',
    headers: { Accept: 'application/json, */*;q=0.1', ...UNCACHED_HEADERS, ...options.headers, ...headers },
    body,
    timeoutMs,
    maxBytes,
    redirects: 'none',
    beforeSend,
  })
  return { ...response, json: readJson(response.body) }
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
