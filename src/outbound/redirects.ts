import { transportFailure } from './failure.ts'
import type { OutboundRequest, OutboundResponse } from './types.ts'
import { addressAsNamed, parseTarget } from './url.ts'

const MAX_HOPS = 10
const REDIRECTS = new Set([301, 302, 303, 307, 308])

type Hop = OutboundRequest & { method: string; headers: Record<string, string> }

/** Whether an answer only says where to ask next. */
export const isFollowed = (
  { method = 'GET', redirects }: OutboundRequest,
  status: number,
  headers: Record<string, string>,
): boolean =>
  redirects === 'follow' &&
  (method === 'GET' || method === 'HEAD') &&
  REDIRECTS.has(status) &&
  headers.location !== undefined

/**
 * Sends, and follows redirects where that was asked for and the method is one that reads. Every hop is
 * parsed, and connected to, under the same guard as the first; credentials stay at the origin they were for.
 */
export async function follow(
  start: URL,
  request: Hop,
  send: (url: URL, request: Hop) => Promise<OutboundResponse>,
): Promise<OutboundResponse> {
  let url = start
  let hop = request
  for (let hops = 0; ; hops++) {
    const response = await send(url, hop)
    const location = response.headers.location
    if (location === undefined || !isFollowed(request, response.status, response.headers)) return response
    if (hops === MAX_HOPS) {
      const attempt = { url: start, method: request.method, sent: true }
      throw transportFailure(
        'too_many_redirects',
        `${MAX_HOPS} redirects, the last to ${addressAsNamed(location)}`,
        attempt,
      )
    }
    const next = parseTarget(URL.canParse(location, url.href) ? new URL(location, url) : location, hop.method)
    if (next.origin !== url.origin) hop = { ...hop, headers: withoutCredentials(hop.headers) }
    url = next
  }
}

function withoutCredentials(headers: Record<string, string>): Record<string, string> {
  const { authorization: _, cookie: __, ...kept } = headers
  return kept
}
