import type { APIFetchMiddleware } from '@wordpress/api-fetch'
import { contextOf } from './context.ts'
import { routeUrl } from './route.ts'

/** Adds the site's REST root and credentials. Stateless: api-fetch's middlewares are global. */
export const siteMiddleware: APIFetchMiddleware = (options, next) => {
  const { site } = contextOf(options)
  const { path, ...rest } = options
  const credentials = Buffer.from(`${site.username}:${site.applicationPassword}`).toString('base64')
  return next({
    ...rest,
    ...(path === undefined ? {} : { url: routeUrl(site.restRoot, path) }),
    headers: { ...options.headers, Authorization: `Basic ${credentials}` },
  })
}
