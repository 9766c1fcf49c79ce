import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Router } from 'express'
import { GalleyError } from '../../errors.ts'
import { packageRoot } from '../../lib/version.ts'
import { loadAllEndpoints } from '../endpoints.ts'
import { labelRoute } from '../request-telemetry.ts'
import { methodNotAllowed, strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'
import type { Pages } from './page.ts'

/** The API for people, to be read and tried out. No key is needed to read it. */
export function docsRouter(): Router {
  const router = strictRouter()
  // Read for the first who asks: most Galleys are never asked.
  let loading: Promise<DocsAssets> | undefined
  const docs = () => {
    loading ??= loadDocsAssets().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  router
    .route('/docs')
    .all(labelRoute('/docs'))
    .get(async (_request, response) => {
      const { page } = await docs()
      response.set('Content-Security-Policy', docsContentSecurityPolicy).type('html').send(page)
    })
    .all(methodNotAllowed(['GET', 'HEAD']))
  router
    .route('/docs/:name')
    .all(labelRoute('/docs/{name}'))
    .get(async ({ params: { name } }, response) => {
      const file = (await docs()).files.get(name)
      if (file === undefined) throw docsFileNotFound()
      response.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': file.type })
      response.send(file.bytes)
    })
    .all(methodNotAllowed(['GET', 'HEAD']))
  return router
}

const docsFileNotFound = () =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is no such file; it may be of another version. Load /docs again.',
  })

/** A file of the page, which never changes under its name. */
interface DocsFile {
  name: string
  type: string
  bytes: Buffer
}

interface DocsAssets {
  page: string
  files: ReadonlyMap<string, DocsFile>
}

/** Beside the built program, where the build copies it to; else where the package is, in a clone. */
function swaggerFolder(): string {
  const beside = join(dirname(fileURLToPath(import.meta.url)), 'swagger-ui')
  return existsSync(beside) ? beside : join(packageRoot, 'node_modules/swagger-ui-dist')
}

/** The page and all that it loads: it works where no other server can be reached. */
async function loadDocsAssets(): Promise<DocsAssets> {
  const folder = swaggerFolder()
  const [style, library] = await Promise.all([
    readFile(join(folder, 'swagger-ui.css')),
    readFile(join(folder, 'swagger-ui-bundle.js')),
  ])
  const files = {
    style: hashedFile('swagger-ui', 'css', 'text/css', style),
    library: hashedFile('swagger-ui', 'js', 'text/javascript', library),
    program: hashedFile('docs', 'js', 'text/javascript', Buffer.from(docsScript)),
  }
  const address = ({ name }: DocsFile) => `/docs/${name}`
  return {
    page: docsHtml({
      style: address(files.style),
      library: address(files.library),
      program: address(files.program),
    }),
    files: new Map(Object.values(files).map((file) => [file.name, file])),
  }
}

/** Its name says what is in it, so that caches may keep it for ever. */
function hashedFile(name: string, extension: string, type: string, bytes: Buffer): DocsFile {
  const digest = createHash('sha256').update(bytes).digest('hex').slice(0, 16)
  return { name: `${name}.${digest}.${extension}`, type: `${type}; charset=utf-8`, bytes }
}

/** The page at `/docs`, from the addresses of what it loads. It says so where its program does not run. */
const docsHtml = (files: { style: string; library: string; program: string }): string => `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The API of Galley</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="${files.style}">
<main id="docs">
<p>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> says the same to programs.</p>
</main>
<script src="${files.library}"></script>
<script src="${files.program}"></script>
</html>
`

/**
 * What may run and be asked: this origin alone, and no script but from a file. Swagger UI draws its icons as `data:`.
 */
const docsContentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

/** Runs in the browser. Requests go to where the page came from, under whichever name that was opened. */
const docsScript = `'use strict'
fetch('/openapi.json').then((answer) => answer.json()).then((description) => {
  window.SwaggerUIBundle({
    dom_id: '#docs',
    spec: { ...description, servers: [{ url: window.location.origin }] },
    presets: [window.SwaggerUIBundle.presets.apis],
    layout: 'BaseLayout',
    validatorUrl: null,
    deepLinking: true,
    filter: true,
    docExpansion: 'list',
    defaultModelsExpandDepth: 0,
    persistAuthorization: false,
    requestSnippetsEnabled: true,
  })
}, (error) => {
  document.getElementById('docs').textContent = 'The description could not be loaded: ' + error.message
})
`

/** What Galley says of itself: its description for machines, and a page for people. */
export function aboutRouter(services: Services, pages: Pages, version: string): Router {
  const router = strictRouter()
  // Made for the first who asks: it loads all the other routes.
  let description: Promise<object> | undefined
  router.get('/openapi.json', labelRoute('/openapi.json'), async (_request, response) => {
    description ??= describe(services, version)
    response.json(await description)
  })
  router.get('/', labelRoute('/'), async (request, response) => {
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
      html: () => response.send(aboutHtml(version)),
    })
  })
  return router
}

async function describe(services: Services, version: string): Promise<object> {
  const { openApi } = await import('../description/openapi.ts')
  return openApi(await loadAllEndpoints(services), { publicUrl: services.config.publicUrl, version })
}

const aboutHtml = (version: string) => `<!doctype html>
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
