import type { RequestListener } from 'node:http'
import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { VERSION } from '../lib/version.ts'
import { authentication, authorization } from './authentication.ts'
import { firstSegment, loadEndpoints, routedWords } from './endpoints.ts'
import { healthRouter } from './health.ts'
import { createMounter } from './mount.ts'
import { guessRateLimit } from './rate-limits.ts'
import { createRequestTimer, measureRequests, type RequestTimer, requestLog } from './request-telemetry.ts'
import { aboutRouter, docsRouter } from './routers/docs.ts'
import { filesRouter } from './routers/files.ts'
import { createPages, pageFilesRouter, pageRouter } from './routers/page.ts'
import { stylesRouter } from './routers/styles.ts'
import { errorHandler, notFoundHandler, strictRouter } from './routing.ts'
import type { Services } from './services.ts'
import { webhookFastPath, webhookRouter } from './webhooks.ts'

/** The web side of Galley: every route, from the services it works with to the words of its failures. */
export function createListener(services: Services): RequestListener {
  const times = createRequestTimer(services.metrics)
  return webhookFastPath({ ...services, times }, createApp(services, times))
}

/** The routes of Galley, each described in `/openapi.json` (`description`). */
export function createApp(services: Services, times: RequestTimer): Express {
  const { config } = services
  const pages = createPages()
  const app = express()
  app.enable('case sensitive routing').enable('strict routing')
  // Only the limits on guessing look at who is behind a proxy.
  app.set('trust proxy', config.trustedProxies)
  app.disable('etag')
  app.use(requestLog(services.log), measureRequests(times), helmet(), noStore)
  const figures = config.metricsOpen ? [] : [authentication(services), authorization('metrics.read')]
  app.use(
    webhookRouter(services),
    healthRouter(services, figures),
    filesRouter(services),
    stylesRouter(services),
    docsRouter(),
    pageFilesRouter(pages),
    aboutRouter(services, pages, VERSION),
    connectPages(services),
    apiRouter(services),
  )
  app.use(pageRouter(pages), notFoundHandler, guessRateLimit(), errorHandler)
  return app
}

/** The pages of a connect link, made when somebody opens one. */
function connectPages(services: Services): RequestHandler {
  const pages = lazyHandler(async () => (await import('./routers/connect.ts')).connectRouter(services))
  return (request, response, next) =>
    request.path.startsWith('/connect/') ? pages(request, response, next) : next()
}

/** What is answered is for whoever asked, and secrets are shown once: no cache on the way, or in a browser, keeps any. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}

/** The calls of the API. Those of one word (`/v1/sites/…`) are made together, when the first of them is asked for. */
function apiRouter(services: Services): RequestHandler {
  const mount = createMounter(services)
  const handlers = new Map(
    [...routedWords].map((word) => [
      word,
      lazyHandler(async () => mount(strictRouter(), await loadEndpoints(word, services))),
    ]),
  )
  return (request, response, next) => {
    const handle = handlers.get(firstSegment(request.path) ?? '')
    return handle === undefined ? next() : handle(request, response, next)
  }
}

/** A handler that is made when it is first asked: what it is made of is loaded then, and a start does not wait for it. */
function lazyHandler(make: () => Promise<RequestHandler>): RequestHandler {
  let made: Promise<RequestHandler> | undefined
  return async (request, response, next) => {
    made ??= make()
    const handle = await made
    return handle(request, response, next)
  }
}
