import type { RequestListener } from 'node:http'
import express, { type Express, type RequestHandler } from 'express'
import helmet from 'helmet'
import { VERSION } from '../version.ts'
import { api } from './api.ts'
import { authentication, authorization } from './authentication.ts'
import { answerErrors, unknownRoute } from './errors.ts'
import { lazyHandler } from './lazy-handler.ts'
import { createRequestTimes, measureRequests, type RequestTimes } from './metrics.ts'
import { guessLimit } from './rate-limits.ts'
import { requestLog } from './request-log.ts'
import { aboutRouter } from './routers/about.ts'
import { docsRouter } from './routers/docs.ts'
import { filesRouter } from './routers/files.ts'
import { healthRouter } from './routers/health.ts'
import { createPages, pageAddresses, pageFilesRouter } from './routers/page.ts'
import { stylesRouter } from './routers/styles.ts'
import type { Services } from './services.ts'
import { fastEntrance, webhookRouter } from './webhooks.ts'

/** The web side of Galley: every route, from the services it works with to the words of its failures. */
export function createListener(services: Services): RequestListener {
  const times = createRequestTimes(services.metrics)
  return fastEntrance({ ...services, times }, createApp(services, times))
}

/** The routes of Galley, each described in `/openapi.json` (`description`). */
export function createApp(services: Services, times: RequestTimes): Express {
  const { config } = services
  const pages = createPages()
  const app = express()
  app.enable('case sensitive routing').enable('strict routing')
  // Only the limits on guessing look at who is behind a proxy.
  app.set('trust proxy', config.trustedProxies)
  app.disable('etag')
  app.use(requestLog(services.log), measureRequests(times), helmet(), notStored)
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
    api(services),
  )
  app.use(pageAddresses(pages), unknownRoute, guessLimit(), answerErrors)
  return app
}

/** The pages of a connect link, made when somebody opens one. */
function connectPages(services: Services): RequestHandler {
  const pages = lazyHandler(async () => (await import('./routers/connect.ts')).connectRouter(services))
  return (request, response, next) =>
    request.path.startsWith('/connect/') ? pages(request, response, next) : next()
}

/** What is answered is for whoever asked, and secrets are shown once: no cache on the way, or in a browser, keeps any. */
const notStored: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}
