import { existsSync } from 'node:fs'
import { readFile } from 'node:fs/promises'
import { basename, dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request, RequestHandler, Response, Router } from 'express'
import { refusal } from '../../errors.ts'
import { unlessMissing } from '../../lib/files.ts'
import { packageRoot } from '../../lib/version.ts'
import { folderRouter, loadOnce } from '../routing.ts'

/** The page for people, as the build made it; read for the first who asks. */
export function createPages() {
  const page = loadOnce(loadPage)
  return {
    /** @returns whether there is one */
    async send(response: Response): Promise<boolean> {
      const found = await page()
      if (found === undefined) return false
      response
        .vary('Accept')
        .set('Content-Security-Policy', pageContentSecurityPolicy)
        .type('html')
        .send(found.html)
      return true
    },
    /** The folder of what it loads; undefined where nobody has built it. */
    assets: async () => (await page())?.assets,
  }
}

export type Pages = ReturnType<typeof createPages>

/** What the page loads. The names change with what is in the files, so that browsers keep them for ever. */
export const pageFilesRouter = (pages: Pages): Router =>
  folderRouter('assets', async (request, response) => {
    const { name } = request.params
    const root = await pages.assets()
    if (root === undefined || basename(name) !== name || !existsSync(join(root, name)))
      throw pageFileNotFound()
    const gzip = existsSync(join(root, `${name}.gz`)) && request.acceptsEncodings('gzip') === 'gzip'
    response.type(extname(name)).set({
      'Cache-Control': 'public, max-age=31536000, immutable',
      Vary: 'Accept-Encoding',
      // The frame that shows a preview has an origin of its own, and loads its style sheet from here.
      ...(name.endsWith('.css') && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
      ...(gzip && { 'Content-Encoding': 'gzip' }),
    })
    response.sendFile(gzip ? `${name}.gz` : name, { root, cacheControl: false })
  })

/** Of addresses that begin so, none is the page's. */
const RESERVED_SEGMENTS = new Set(['v1', 'docs', 'connect', 'files', 'assets', 'styles'])

/** The page at each of its own addresses, so that they can be loaded again; it says itself where there is nothing. */
export const pageRouter =
  (pages: Pages): RequestHandler =>
  async (request, response, next) => {
    if (!asksForPage(request)) return next()
    response.locals.route = '/{page}'
    if (!(await pages.send(response))) next()
  }

function asksForPage(request: Request): boolean {
  const [, first = ''] = request.path.split('/')
  const reading = request.method === 'GET' || request.method === 'HEAD'
  return (
    reading &&
    !RESERVED_SEGMENTS.has(first) &&
    !first.includes('.') &&
    request.accepts(['json', 'html']) === 'html'
  )
}

const pageFileNotFound = () =>
  refusal('NOT_FOUND', 'There is no such file; it may be of another version. Load the page again.', 404)

/** Beside the built program; else where the build put it, in a clone. */
const PAGE_FOLDERS = [
  join(dirname(fileURLToPath(import.meta.url)), 'dashboard'),
  join(packageRoot, 'dist/dashboard'),
]

async function loadPage(): Promise<{ html: string; assets: string } | undefined> {
  for (const place of PAGE_FOLDERS) {
    const html = await readFile(join(place, 'index.html'), 'utf8').catch(unlessMissing)
    if (html !== undefined) return { html, assets: join(place, 'assets') }
  }
  return undefined
}

/** What the page may load and run: what is served here. The hash is of the empty style element that Emotion adds. */
const pageContentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'sha256-47DEQpj8HBSa+/TImW+5JCeuQeRkm5NMpJWZG3hSuFU='",
  "img-src 'self' data:",
  "font-src 'self'",
  "media-src 'self'",
  "connect-src 'self'",
  "frame-src 'self'",
  "manifest-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')
