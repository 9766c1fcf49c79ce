import type { Router } from 'express'
import { GalleyError } from '../../errors.ts'
import { type Docs, loadDocs } from '../docs/files.ts'
import { docsPolicy } from '../docs/page.ts'
import { otherMethods } from '../errors.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'

/** The API for people, to be read and tried out. No key is needed to read it. */
export function docsRouter(): Router {
  const router = strictRouter()
  // Read for the first who asks: most Galleys are never asked.
  let loading: Promise<Docs> | undefined
  const docs = () => {
    loading ??= loadDocs().catch((error) => {
      loading = undefined
      throw error
    })
    return loading
  }
  router
    .route('/docs')
    .all(named('/docs'))
    .get(async (_request, response) => {
      const { page } = await docs()
      response.set('Content-Security-Policy', docsPolicy).type('html').send(page)
    })
    .all(otherMethods(['GET', 'HEAD']))
  router
    .route('/docs/:name')
    .all(named('/docs/{name}'))
    .get(async ({ params: { name } }, response) => {
      const file = (await docs()).files.get(name)
      if (file === undefined) throw notFound()
      response.set({ 'Cache-Control': 'public, max-age=31536000, immutable', 'Content-Type': file.type })
      response.send(file.bytes)
    })
    .all(otherMethods(['GET', 'HEAD']))
  return router
}

const notFound = () =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: 'There is no such file; it may be of another version. Load /docs again.',
  })
