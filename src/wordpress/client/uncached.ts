import { randomUUID } from 'node:crypto'

/** What a cache on the way is told: WP Super Cache, Varnish and CDNs go by it. */
export const UNCACHED_HEADERS = { 'Cache-Control': 'no-cache, no-store' }

const OWN = /([?&])galley_request=[^&#]*(?:&|(?=#|$))/

/**
 * The address as it is sent. A parameter that never repeats keeps apart what a plugin caches by address, answers to
 * POST among it (seen: WP REST API Cache 1.2.0). `_locale=user`, which api-fetch adds, is taken off again: it belongs to
 * the block editor, and plugins that require something of remote posts let requests with it pass.
 */
export function uncached(url: string): string {
  const [address = '', query] = splitOnce(url)
  const own = query === undefined ? [] : query.split('&').filter((part) => part !== '_locale=user')
  return `${address}?${[...own, `galley_request=${randomUUID()}`].join('&')}`
}

/** The address without what {@link uncached} has added, as redirects repeat it. */
export const withoutUncached = (url: string): string => url.replace(OWN, '$1').replace(/[?&](?=#|$)/, '')

function splitOnce(url: string): [string, string | undefined] {
  const mark = url.indexOf('?')
  return mark === -1 ? [url, undefined] : [url.slice(0, mark), url.slice(mark + 1)]
}
