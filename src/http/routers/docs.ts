import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Router } from 'express'
import { refusal } from '../../errors.ts'
import { packageRoot } from '../../lib/version.ts'
import { Html, type Page, sendPage } from '../../pages/page.ts'
import type { Endpoint } from '../endpoint.ts'
import { labelRoute } from '../request-telemetry.ts'
import { folderRouter, loadOnce, methodNotAllowed, strictRouter } from '../routing.ts'
import type { Pages } from './page.ts'

const DOCS_FILES = ['swagger-ui.css', 'swagger-ui-bundle.js']

/** The API for people, to be read and tried out, and the other pages of the documentation. No key is needed to read it, and no other server. */
export function docsRouter(): Router {
  const router = strictRouter()
  router
    .route('/docs')
    .all(labelRoute('/docs'))
    .get((_request, response) => {
      response.set('Content-Security-Policy', docsContentSecurityPolicy).type('html').send(docsHtml)
    })
    .all(methodNotAllowed(['GET', 'HEAD']))
  const files = folderRouter('docs', async ({ params: { name } }, response) => {
    if (name.endsWith('.md')) return sendPage(response, await guidePage(name))
    const isProgram = name === 'docs.js'
    if (!isProgram && !DOCS_FILES.includes(name))
      throw refusal('NOT_FOUND', 'There is no such file. Load /docs again.', 404)
    response.set('Cache-Control', 'public, max-age=3600')
    if (isProgram) response.type('js').send(docsScript)
    else response.sendFile(name, { root: swaggerFolder(), cacheControl: false })
  })
  return router.use(files)
}

/** Beside the built program, where the build copies it to; else where the package is, in a clone. */
function swaggerFolder(): string {
  const beside = join(dirname(fileURLToPath(import.meta.url)), 'swagger-ui')
  return existsSync(beside) ? beside : join(packageRoot, 'node_modules/swagger-ui-dist')
}

/** It says so where its program does not run. */
const docsHtml = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>The API of Galley</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/swagger-ui.css">
<main id="docs">
<p>This page needs JavaScript. <a href="/openapi.json">/openapi.json</a> says the same to programs.</p>
</main>
<script src="/docs/swagger-ui-bundle.js"></script>
<script src="/docs/docs.js"></script>
</html>
`

/** This origin alone, and no script but from a file. Swagger UI draws its icons as `data:`. */
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
export function aboutRouter(
  endpoints: () => Endpoint[],
  pages: Pages,
  about: { publicUrl: string; version: string },
): Router {
  const router = strictRouter()
  const description = loadOnce(async () => {
    const { openApi } = await import('../description/openapi.ts')
    return openApi(endpoints(), about)
  })
  router.get('/openapi.json', labelRoute('/openapi.json'), async (_request, response) => {
    response.json(await description())
  })
  router.get('/', labelRoute('/'), async (request, response) => {
    if (request.accepts(['json', 'html']) === 'html' && (await pages.send(response))) return
    response.format({
      json: () =>
        response.json({
          success: true,
          name: 'Galley',
          version: about.version,
          documentation: '/openapi.json',
          page: '/docs',
        }),
      html: () => response.redirect('/docs'),
    })
  })
  return router
}

/** A page of `docs`, such as `contract.md`, with the anchors of its headings as GitHub has them. @throws GalleyError `NOT_FOUND` */
export async function guidePage(name: string): Promise<Page> {
  const path = join(packageRoot, 'docs', name)
  if (!/^[a-z]+\.md$/.test(name) || !existsSync(path))
    throw refusal('NOT_FOUND', 'There is no such file. Load /docs again.', 404)
  const { default: MarkdownIt } = await import('markdown-it')
  const markdown = new MarkdownIt()
  const tokens = markdown.parse(await readFile(path, 'utf8'), {})
  for (const [at, token] of tokens.entries()) {
    if (token.type === 'heading_open') token.attrSet('id', anchorOf(tokens[at + 1]?.content ?? ''))
    // The source is not served.
    for (const inline of token.children ?? [])
      if (inline.type === 'link_open' && String(inline.attrGet('href')).startsWith('../')) inline.attrs = []
  }
  const title = tokens.find(({ type }) => type === 'inline')?.content ?? name
  return { language: 'en', title, body: new Html([markdown.renderer.render(tokens, markdown.options, {})]) }
}

const anchorOf = (heading: string): string =>
  heading
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N} _-]/gu, '')
    .replaceAll(' ', '-')
