import type { RequestListener } from 'node:http'
import compression from 'compression'
import express, { type Express, type RequestHandler, type Router } from 'express'
import helmet from 'helmet'
import {
  type AuditAction,
  type AuditIntent,
  auditDetails,
  deleteAuditIntent,
  recordAuditEntry,
  recordAuditIntent,
} from '../accounts/audit.ts'
import type { ByteLease, Semaphore } from '../bytes/budget.ts'
import { storableText } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError, refusal } from '../errors.ts'
import { runIdempotent } from '../idempotency/idempotency.ts'
import { excerpt } from '../lib/text.ts'
import { VERSION } from '../lib/version.ts'
import {
  accountRateLimit,
  authentication,
  authorization,
  callerOf,
  guessRateLimit,
  sendSession,
} from './authentication.ts'
import type { Endpoint, EndpointResult, RawRequest } from './endpoint.ts'
import { healthRouter } from './health.ts'
import { parseBody, parseJsonBody, parseTextBody } from './request-body.ts'
import {
  createRequestTimer,
  isResponseClosed,
  labelRoute,
  measureRequests,
  onResponseClosed,
  type RequestTimer,
  requestLog,
} from './request-telemetry.ts'
import { accountEndpoints } from './routers/accounts.ts'
import { bulkEndpoints } from './routers/bulk.ts'
import { connectRouter } from './routers/connect.ts'
import { connectLinkEndpoints } from './routers/connect-links.ts'
import { deliveryEndpoints } from './routers/deliveries.ts'
import { aboutRouter, docsRouter } from './routers/docs.ts'
import { filesRouter } from './routers/files.ts'
import { importEndpoints } from './routers/imports.ts'
import { jobEndpoints } from './routers/jobs.ts'
import { keyEndpoints } from './routers/keys.ts'
import { notificationEndpoints } from './routers/notifications.ts'
import { createPages, pageFilesRouter, pageRouter } from './routers/page.ts'
import { previewEndpoints } from './routers/previews.ts'
import { siteEndpoints } from './routers/sites.ts'
import { sourceEndpoints } from './routers/sources.ts'
import { streamEndpoints } from './routers/stream.ts'
import { siteStylesEndpoints, stylesRouter } from './routers/styles.ts'
import { errorHandler, methodNotAllowed, notFoundHandler, strictRouter } from './routing.ts'
import { withWebhookEntrance } from './server.ts'
import type { Services } from './services.ts'
import { refuseInvisibleSites, requireVisibleResource } from './site-access.ts'
import { sendEventStream, sendExport } from './streaming.ts'
import { webhookFastPath, webhookRouter } from './webhooks.ts'

/** The web side of Galley: every route, from the services it works with to the words of its failures. */
export function createListener(services: Services): RequestListener {
  const times = createRequestTimer(services.metrics)
  const app = createApp(services, times)
  return withWebhookEntrance(webhookFastPath({ ...services, times }, app), app)
}

export function createApp(services: Services, times: RequestTimer): Express {
  const { config } = services
  const pages = createPages()
  const app = express()
  app.enable('case sensitive routing').enable('strict routing')
  // Only the limits on guessing look at who is behind a proxy.
  app.set('trust proxy', config.trustedProxies)
  app.disable('etag')
  app.use(requestLog(services.log), measureRequests(times), helmet(), noStore, compressReads)
  const figures = config.metricsOpen ? [] : [authentication(services), authorization('metrics.read')]
  app.use(
    webhookRouter(services),
    healthRouter(services, figures),
    filesRouter(services),
    stylesRouter(services),
    docsRouter(),
    pageFilesRouter(pages),
    aboutRouter(() => allEndpoints(services), pages, { publicUrl: config.publicUrl, version: VERSION }),
    connectRouter(services),
    apiRouter(services),
  )
  app.use(pageRouter(pages), notFoundHandler, guessRateLimit(), errorHandler)
  return app
}

/** Compresses answers to reads that are no HTML: where there are secrets, the compressed length would tell of them (BREACH). */
const compressReads = compression({
  filter: ({ method }, response) =>
    (method === 'GET' || method === 'HEAD') &&
    /json|csv|css|javascript/.test(String(response.getHeader('Content-Type'))),
})

/** What is answered is for whoever asked, and secrets are shown once: no cache on the way, or in a browser, keeps any. */
const noStore: RequestHandler = (_request, response, next) => {
  response.set('Cache-Control', 'no-store')
  next()
}

const DEFAULT_BODY_LIMIT = 1024 * 1024

/** Puts the calls of the API on a router: who may, how much, how it is read, and 405 for the other methods. */
function apiRouter(services: Services): Router {
  const router = strictRouter()
  const endpoints = allEndpoints(services)
  const [known, limited] = [authentication(services), accountRateLimit(services.config)]
  for (const path of new Set(endpoints.map(({ path }) => path))) {
    const ofPath = endpoints.filter((endpoint) => endpoint.path === path)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const endpoint of ofPath) {
      route[endpoint.method](
        labelRoute(path),
        known,
        authorization(endpoint.right),
        limited,
        ...requireVisibleResource(path, services.database.pool),
        ...bodyReader(endpoint, services.budget.webhooks),
        handleEndpoint(endpoint, services),
      )
    }
    route.all(labelRoute(path), methodNotAllowed(ofPath.map(({ method }) => method.toUpperCase())))
  }
  return router
}

/** The body as the endpoint declared it: parsed JSON, or the text of a file. */
function bodyReader({ body, bodyType, bodyLimit: limit = DEFAULT_BODY_LIMIT }: Endpoint, lane: Semaphore) {
  if (body === undefined) return []
  return bodyType === 'text/csv'
    ? [requireContentType(['csv', 'text/csv'], 'text/csv'), parseBody(lane, limit, parseTextBody)]
    : [requireContentType(['json', '+json'], 'application/json'), parseBody(lane, limit, parseJsonBody)]
}

/** A body that is something else is refused by name; no body at all is left to the schema. */
const requireContentType =
  (types: string[], wanted: string): RequestHandler =>
  (request, _response, next) => {
    const empty = request.get('content-length') === '0'
    if (empty || request.is(types) !== false) return next()
    throw refusal(
      'UNSUPPORTED_MEDIA_TYPE',
      `The body is sent as ${request.get('content-type') ?? 'no type'}. Send it with "Content-Type: ${wanted}".`,
      415,
    )
  }

const handleEndpoint =
  (endpoint: Endpoint, services: IdempotencyServices): RequestHandler =>
  async (request, response) => {
    const { params, query, headers, body } = request
    const gone = new AbortController()
    onResponseClosed(response, () => response.writableFinished || gone.abort())
    // The work for a client that has gone needs its memory until it ends.
    const hold = (lease: ByteLease) =>
      onResponseClosed(response, () => Promise.allSettled([made]).then(() => lease.release()))
    const received = { caller: callerOf(response), params, query, headers, body, gone: gone.signal, hold }
    if (endpoint.body !== undefined) refuseInvisibleSites(received.caller, body)
    const made = runEndpoint(endpoint, services, received)
    const reply = await made
    if ('texts' in reply) return sendExport(response, reply)
    if ('open' in reply) return sendEventStream(response, reply)
    if (isResponseClosed(response)) return
    const { status, body: answered, session } = reply
    if (session !== undefined) sendSession(request, response, services.config.publicUrl, session)
    response.status(status).json(answered)
  }

type IdempotencyServices = Pick<Services, 'database' | 'keyring' | 'config'>

/** Runs once for an `Idempotency-Key`, where the endpoint takes one. The schema refuses an invalid key. */
async function runEndpoint(
  endpoint: Endpoint,
  services: IdempotencyServices,
  received: RawRequest,
): Promise<EndpointResult> {
  const { caller, params, query, headers, body } = received
  const key = endpoint.idempotent && endpoint.headers.safeParse(headers).data?.['idempotency-key']
  if (typeof key !== 'string') return runAudited(services.database.pool, endpoint, received)
  const { keyring, database } = services
  const request = { ...caller, key, operation: endpoint.operationId, request: [params, query, body] }
  return runIdempotent({ pool: database.pool, keyring }, request, async (making) => {
    const reply = await runAudited(database.pool, endpoint, { ...received, making })
    if ('texts' in reply || 'open' in reply) throw new Error('what is streamed cannot be kept')
    return reply
  })
}

/**
 * Carries a request out, and enters it into the audit log before its answer is sent. It is written down first, so that it is
 * entered too where this process is killed meanwhile.
 * @throws GalleyError 503 `AUDIT_UNWRITTEN` where it was done and could not be entered, and as the endpoint does
 */
async function runAudited(database: Queryable, endpoint: Endpoint, received: RawRequest) {
  const { action } = endpoint
  if (action === undefined || action === 'none') return endpoint.run(received)
  const begun = auditIntent(action, received)
  const intent = await recordAuditIntent(database, begun)
  const reply = await endpoint.run(received).catch(async (error: unknown) => {
    if (isRefusal(error)) await discardIntent(database, intent)
    throw error
  })
  if ('texts' in reply || 'open' in reply || reply.changed === false) {
    await discardIntent(database, intent)
    return reply
  }
  try {
    const subjectId = reply.subject ?? subjectOf(received.params, reply.body) ?? begun.subjectId
    await recordAuditEntry(database, { ...begun, subjectId }, intent)
    return reply
  } catch (cause) {
    throw new GalleyError({
      code: 'AUDIT_UNWRITTEN',
      httpStatus: 503,
      action: 'ambiguous',
      message:
        'The request was carried out, but could not be entered in the audit log. Check before you send it again.',
      cause,
    })
  }
}

/** An intent that cannot be deleted is entered later as unfinished. The caller is answered all the same. */
const discardIntent = (database: Queryable, intent: string): Promise<unknown> =>
  deleteAuditIntent(database, intent).catch((error: unknown) => error)

function auditIntent(action: AuditAction, { caller, params, query, body }: RawRequest): AuditIntent {
  const { accountId, keyId } = caller
  const subjectId = subjectOf(params, {}) ?? (action.startsWith('account.') ? accountId : null)
  return { accountId, by: { keyId }, action, subjectId, details: auditDetails({ params, query, body }) }
}

/** A refusal did nothing. After any other failure nobody knows what was done. */
const isRefusal = (error: unknown): boolean =>
  error instanceof GalleyError && error.httpStatus !== 500 && error.action !== 'ambiguous'

/** Characters of an id that are kept: those of Galley's own have 36. */
const MAX_SUBJECT_LENGTH = 100

/** The one that the path names, or else the one that was made. A path may name anything: nothing has read it yet. */
function subjectOf(params: unknown, body: object): string | null {
  const found = { ...body, ...(params as object) } as { id?: unknown; uuid?: unknown }
  const id = found.uuid ?? found.id
  return typeof id === 'string' ? storableText(excerpt(id, MAX_SUBJECT_LENGTH)) : null
}

/** Every call of the API, from which routes, OpenAPI and the table of rights are made. */
export const allEndpoints = (services: Services): Endpoint[] =>
  [
    importEndpoints,
    previewEndpoints,
    siteEndpoints,
    siteStylesEndpoints,
    connectLinkEndpoints,
    sourceEndpoints,
    deliveryEndpoints,
    bulkEndpoints,
    jobEndpoints,
    notificationEndpoints,
    streamEndpoints,
    keyEndpoints,
    accountEndpoints,
  ].flatMap((endpoints) => endpoints(services))
