import type { RequestHandler, Router } from 'express'
import { auditDetails } from '../accounts/audit/details.ts'
import {
  type AuditAction,
  type AuditIntent,
  completeAuditIntent,
  deleteAuditIntent,
  recordAuditIntent,
} from '../accounts/audit/record.ts'
import type { ByteSemaphore } from '../bytes/index.ts'
import { storableText } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { runIdempotent } from '../idempotency/idempotency.ts'
import { excerpt } from '../lib/text.ts'
import { authentication, authorization, callerOf, sendSession } from './authentication.ts'
import type { Endpoint, EndpointReply, RawRequest } from './endpoint.ts'
import { accountRateLimit } from './rate-limits.ts'
import { parseBody, parseJsonBody, parseTextBody } from './request-body.ts'
import { labelRoute } from './request-telemetry.ts'
import { methodNotAllowed } from './routing.ts'
import type { Services } from './services.ts'
import { refuseInvisibleSites, requireVisibleResource } from './site-access.ts'
import {
  type EventStream,
  type Export,
  isResponseClosed,
  onResponseClosed,
  sendEventStream,
  sendExport,
} from './streaming.ts'

const DEFAULT_BODY_LIMIT = 1024 * 1024

/**
 * Makes what puts described endpoints on a router: who may, how much, how it is read, and 405 for the other methods. What an
 * account may ask in a minute is counted over all routers of one `mounting`.
 */
export function createMounter(services: Pick<Services, 'database' | 'config' | 'budget' | 'keyring'>) {
  const doors = { known: authentication(services), limited: accountRateLimit(services.config) }
  return (router: Router, endpoints: Endpoint[]): Router => {
    mount(router, endpoints, services, doors)
    return router
  }
}

function mount(
  router: Router,
  endpoints: Endpoint[],
  services: Parameters<typeof createMounter>[0],
  { known, limited }: Record<'known' | 'limited', RequestHandler>,
): void {
  for (const path of new Set(endpoints.map(({ path }) => path))) {
    const ofPath = endpoints.filter((endpoint) => endpoint.path === path)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const endpoint of ofPath) {
      route[endpoint.method](
        labelRoute(path),
        known,
        authorization(endpoint.right),
        limited,
        ...(path.includes('{uuid}') ? [requireVisibleResource(path, services.database.pool)] : []),
        ...bodyReader(endpoint, services.budget.webhooks),
        handleEndpoint(endpoint, services),
      )
    }
    route.all(labelRoute(path), methodNotAllowed(ofPath.map(({ method }) => method.toUpperCase())))
  }
}

/** The body as the endpoint declared it: parsed JSON, or the text of a file. */
function bodyReader(
  { body, bodyType, bodyLimit: limit = DEFAULT_BODY_LIMIT }: Endpoint,
  lane: ByteSemaphore,
): RequestHandler[] {
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
    throw new GalleyError({
      code: 'UNSUPPORTED_MEDIA_TYPE',
      httpStatus: 415,
      message: `The body is sent as ${request.get('content-type') ?? 'no type'}. Send it with "Content-Type: ${wanted}".`,
    })
  }

const handleEndpoint =
  (endpoint: Endpoint, services: IdempotencyServices): RequestHandler =>
  async (request, response) => {
    const { params, query, headers, body } = request
    const gone = new AbortController()
    onResponseClosed(response, () => response.writableFinished || gone.abort())
    const asked = { caller: callerOf(response), params, query, headers, body, gone: gone.signal }
    refuseInvisibleSites(asked.caller, body)
    const reply = await runEndpoint(endpoint, services, asked)
    if ('parts' in reply) return sendExport(response, reply)
    if ('open' in reply) return sendEventStream(response, reply)
    const { status, body: answered, share, session } = reply
    if (share !== undefined) {
      onResponseClosed(response, () => share.release())
      if (isResponseClosed(response)) return
    }
    if (session !== undefined) sendSession(request, response, services.config.publicUrl, session)
    response.status(status).json(answered)
  }

type IdempotencyServices = Pick<Services, 'database' | 'keyring' | 'config'>

/** Once for an `Idempotency-Key`, where the endpoint takes one. What is none is refused by the schema. */
async function runEndpoint(
  endpoint: Endpoint,
  services: IdempotencyServices,
  asked: RawRequest,
): Promise<EndpointResult> {
  const { caller, params, query, headers, body } = asked
  const key = endpoint.idempotent && endpoint.headers.safeParse(headers).data?.['idempotency-key']
  if (typeof key !== 'string') return runAudited(services.database.pool, endpoint, asked)
  const { keyring, database } = services
  const request = { ...caller, key, operation: endpoint.operationId, request: [params, query, body] }
  return runIdempotent({ pool: database.pool, keyring }, request, async (making) => {
    const reply = await runAudited(database.pool, endpoint, { ...asked, making })
    if ('parts' in reply || 'open' in reply) throw new Error('what is streamed cannot be kept')
    return reply
  })
}

/** Whatever an endpoint answers. */
type EndpointResult = EndpointReply | Export | EventStream

/**
 * Carries a request out, and enters into the audit log what it has done before its answer is sent: nobody hears of a success
 * that is not entered. What is about to be done is written down first, so that it is entered too where this process is
 * killed before (record.ts).
 *
 * @throws GalleyError 503 `AUDIT_UNWRITTEN` where it was done and could not be entered, and as the endpoint does
 */
async function runAudited(
  database: Queryable,
  endpoint: Endpoint,
  asked: RawRequest,
): Promise<EndpointResult> {
  const { action } = endpoint
  if (action === undefined || action === 'none') return endpoint.run(asked)
  const begun = auditIntent(action, asked)
  const intent = await recordAuditIntent(database, begun)
  const reply = await endpoint.run(asked).catch(async (error: unknown) => {
    if (isRefusal(error)) await discardIntent(database, intent)
    throw error
  })
  if ('parts' in reply || 'open' in reply || reply.changed === false) {
    await discardIntent(database, intent)
    return reply
  }
  try {
    const subjectId = subjectOf(asked.params, reply.body) ?? begun.subjectId
    await completeAuditIntent(database, intent, { ...begun, subjectId })
    return reply
  } catch (cause) {
    reply.share?.release()
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

/** What cannot be forgotten is entered later as what nobody knows of; who asked hears of their own request all the same. */
const discardIntent = (database: Queryable, intent: string): Promise<unknown> =>
  deleteAuditIntent(database, intent).catch((error: unknown) => error)

function auditIntent(action: AuditAction, { caller, params, query, body }: RawRequest): AuditIntent {
  const { accountId, keyId } = caller
  const subjectId = subjectOf(params, {}) ?? (action.startsWith('account.') ? accountId : null)
  return { accountId, by: { keyId }, action, subjectId, details: auditDetails({ params, query, body }) }
}

/** Of what is refused nothing was done, whoever refuses it; of any other failure nobody knows. */
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
