import type { Router } from 'express'
import { GalleyError } from '../../errors.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { asRefusal } from '../../sites/verify-credentials.ts'
import { otherMethods } from '../errors.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'
import { SANDBOXED } from '../sandboxed.ts'
import type { Services } from '../services.ts'
import { siteOfStyles } from '../styles-address.ts'

/** The styles of sites, for the frame in which a preview is shown; no key opens them but their address. */
export function stylesRouter({
  database: { pool },
  keyring,
  outbound,
  styles,
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'styles'>): Router {
  const router = strictRouter()
  router
    .route('/styles/:name')
    .all(named('/styles/{name}'))
    .get(async (request, response) => {
      const site = siteOfStyles(keyring, request.params.name)
      const found = site && (await loadSite({ pool, keyring, outbound }, site))
      if (!found) throw notFound()
      const { css } = await asRefusal(() => styles.of(found.open()))
      response.set({ 'Content-Type': 'text/css; charset=utf-8', ...SANDBOXED })
      response.send(css)
    })
    .all(otherMethods(['GET', 'HEAD']))
  return router
}

const notFound = () =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There are no styles at this address, or its hour is over. Ask for the preview again.',
  })
