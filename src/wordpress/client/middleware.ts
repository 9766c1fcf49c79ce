import type { APIFetchMiddleware } from '@wordpress/api-fetch'
import { contextOf } from './context.ts'
import { routeUrl } from './route.ts'

/**
 * Methods that servers refuse, or answer themselves, as they are sent instead: WordPress takes the one that is meant from
 * the query. In a header, as api-fetch has it (`X-HTTP-Method-Override`), the core rules of ModSecurity refuse it.
 */
const SENT_AS: Readonly<Record<string, string>> = { DELETE: 'POST', OPTIONS: 'GET' }

/** Adds the site's REST root and credentials. Stateless: api-fetch's middlewares are global. */
export const siteMiddleware: APIFetchMiddleware = (options, next) => {
  const { site } = contextOf(options)
  const { path, method: meant = 'GET', ...rest } = options
  const method = SENT_AS[meant] ?? meant
  const query = method === meant ? {} : { _method: meant }
  const credentials = Buffer.from(`${site.username}:${site.applicationPassword}`).toString('base64')
  return next({
    ...rest,
    method,
    ...(path === undefined ? {} : { url: routeUrl(site.restRoot, path, query) }),
    headers: { ...options.headers, Authorization: `Basic ${credentials}` },
  })
}
