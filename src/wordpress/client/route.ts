import type { Query } from './types.ts'

/**
 * The address of a route under a REST root of either kind: `…/wp-json/` takes a path, `…/?rest_route=/`
 * has its question mark already, so the query goes on with `&`.
 */
export function routeUrl(restRoot: string, path: string, query: Query = {}): string {
  const [route = '', ownQuery] = path.replace(/^\//, '').split('?', 2)
  const parameters = new URLSearchParams(ownQuery)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) parameters.set(name, String(value))
  }
  const url = restRoot + route
  if (parameters.size === 0) return url
  return `${url}${restRoot.includes('?') ? '&' : '?'}${parameters}`
}
