import { readFile } from 'node:fs/promises'
import type { Request, RequestHandler, Response, Router } from 'express'
import { GalleyError } from '../../errors.ts'
import { otherMethods } from '../errors.ts'
import { named } from '../metrics.ts'
import { loadPage, type Page, type PageFile } from '../page/files.ts'
import { pagePolicy } from '../page/policy.ts'
import { strictRouter } from '../routing.ts'

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
      response.vary('Accept').set('Content-Security-Policy', pagePolicy).type('html').send(found.html)
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
    .all(named('/assets/{name}'))
    .get(async (request, response) => {
      const file = await pages.file(request.params.name)
      if (file === undefined) throw notFound()
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
    .all(otherMethods(['GET', 'HEAD']))
  return router
}

/** Of addresses that begin so, none is the page's. */
const others = new Set(['v1', 'docs', 'connect', 'files', 'assets', 'styles'])

/**
 * The page at each of its own addresses, `/deliveries/{uuid}`, so that they can be opened and loaded again. It knows them
 * itself, and says so where there is none: whoever asks for HTML and gets here is a person.
 */
export const pageAddresses =
  (pages: Pages): RequestHandler =>
  async (request, response, next) => {
    if (!asksForPage(request)) return next()
    response.locals.route = '/{page}'
    if (!(await pages.send(response))) next()
  }

function asksForPage(request: Request): boolean {
  const [, first = ''] = request.path.split('/')
  const reading = request.method === 'GET' || request.method === 'HEAD'
  return reading && !others.has(first) && !first.includes('.') && request.accepts(['json', 'html']) === 'html'
}

const notFound = () =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is no such file; it may be of another version. Load the page again.',
  })
