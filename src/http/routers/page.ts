import { readdir, readFile } from 'node:fs/promises'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Request, RequestHandler, Response, Router } from 'express'
import { GalleyError } from '../../errors.ts'
import { packageRoot } from '../../lib/version.ts'
import { labelRoute } from '../request-telemetry.ts'
import { methodNotAllowed, strictRouter } from '../routing.ts'

/** The page for people, as the build made it; read for the first who asks. */
export interface Pages {
  /** Sends the page; false where nobody has built it. */
  send(response: Response): Promise<boolean>
  file(name: string): Promise<PageFile | undefined>
}

export function createPages(): Pages {
  let loading: Promise<Page | undefined> | undefined
  const page = () => {
    loading ??= loadPage().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  return {
    async send(response) {
      const found = await page()
      if (found === undefined) return false
      response
        .vary('Accept')
        .set('Content-Security-Policy', pageContentSecurityPolicy)
        .type('html')
        .send(found.html)
      return true
    },
    file: async (name) => (await page())?.files.get(name),
  }
}

/** What the page loads. The names change with what is in the files, so that browsers keep them for ever. */
export function pageFilesRouter(pages: Pages): Router {
  const router = strictRouter()
  router
    .route('/assets/:name')
    .all(labelRoute('/assets/{name}'))
    .get(async (request, response) => {
      const file = await pages.file(request.params.name)
      if (file === undefined) throw pageFileNotFound()
      const gzip = file.gzip && request.acceptsEncodings('gzip') === 'gzip'
      const bytes = await readFile(gzip ? `${file.path}.gz` : file.path)
      response.set({
        'Cache-Control': 'public, max-age=31536000, immutable',
        'Content-Type': file.type,
        Vary: 'Accept-Encoding',
        // The frame that shows a preview has an origin of its own, and loads its style sheet from here.
        ...(file.type.startsWith('text/css') && { 'Cross-Origin-Resource-Policy': 'cross-origin' }),
        ...(gzip && { 'Content-Encoding': 'gzip' }),
      })
      response.send(bytes)
    })
    .all(methodNotAllowed(['GET', 'HEAD']))
  return router
}

/** Of addresses that begin so, none is the page's. */
const RESERVED_SEGMENTS = new Set(['v1', 'docs', 'connect', 'files', 'assets', 'styles'])

/**
 * The page at each of its own addresses, `/deliveries/{uuid}`, so that they can be opened and loaded again. It knows them
 * itself, and says so where there is none: whoever asks for HTML and gets here is a person.
 */
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
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is no such file; it may be of another version. Load the page again.',
  })

/** A script, style sheet or picture of the page, whose name says what is in it. */
interface PageFile {
  type: string
  path: string
  /** Whether it lies there compressed too, as `NAME.gz`. */
  gzip: boolean
}

/** The page as the build made it. */
interface Page {
  html: string
  files: ReadonlyMap<string, PageFile>
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Beside the built program; else where the build put it, in a clone. */
const PAGE_FOLDERS = [
  join(dirname(fileURLToPath(import.meta.url)), 'dashboard'),
  join(packageRoot, 'dist/dashboard'),
]

/** Reads what the page is made of, and not yet its files; undefined where nobody has built it. */
async function loadPage(): Promise<Page | undefined> {
  for (const place of PAGE_FOLDERS) {
    const html = await readFile(join(place, 'index.html'), 'utf8').catch(ignoreMissing)
    if (html !== undefined) return { html, files: await filesIn(join(place, 'assets')) }
  }
  return undefined
}

async function filesIn(folder: string): Promise<ReadonlyMap<string, PageFile>> {
  const names = new Set(await readdir(folder))
  const found = [...names].flatMap((name): [string, PageFile][] => {
    const type = CONTENT_TYPES[extname(name)]
    return type === undefined
      ? []
      : [[name, { type, path: join(folder, name), gzip: names.has(`${name}.gz`) }]]
  })
  return new Map(found)
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error
}

/**
 * What the page may load and run: what is served here, and no script or style that stands in it. The components write their
 * styles as style sheets of their own making, which this allows; the hash is that of the empty element that Emotion puts
 * into the page before it.
 */
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
