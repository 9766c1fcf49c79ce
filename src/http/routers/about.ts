import type { Router } from 'express'
import { allEndpoints } from '../endpoints.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import type { Pages } from './page.ts'

/** What Galley says of itself: its description for machines, and a page for people. */
export function aboutRouter(services: Services, pages: Pages, version: string): Router {
  const router = strictRouter()
  // Made for the first who asks: it loads all the other routes.
  let description: Promise<object> | undefined
  router.get('/openapi.json', named('/openapi.json'), async (_request, response) => {
    description ??= describe(services, version)
    response.json(await description)
  })
  router.get('/', named('/'), async (request, response) => {
    if (request.accepts(['json', 'html']) === 'html' && (await pages.send(response))) return
    response.format({
      json: () =>
        response.json({
          success: true,
          name: 'Galley',
          version,
          documentation: '/openapi.json',
          page: '/docs',
        }),
      // Where nobody has built the page, at least what this is.
      html: () => response.send(page(version)),
    })
  })
  return router
}

async function describe(services: Services, version: string): Promise<object> {
  const { openApi } = await import('../description/openapi.ts')
  return openApi(await allEndpoints(services), { publicUrl: services.config.publicUrl, version })
}

const page = (version: string) => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Galley</title>
<h1>Galley ${version}</h1>
<p>A finished document becomes exactly one clean post on a WordPress site.</p>
<p>It is running. Its interface is described at <a href="/docs">/docs</a>, and for programs at
<a href="/openapi.json">/openapi.json</a>; whether it is ready to
work, at <a href="/readyz">/readyz</a>.</p>
</html>
`
