import type { RequestHandler, Router } from 'express'
import type { Lane } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'
import { once } from '../idempotency/once.ts'
import { type Answering, audited } from './audit.ts'
import { authentication, authorization, callerOf } from './authentication.ts'
import type { Endpoint, RawRequest } from './endpoint.ts'
import { otherMethods } from './errors.ts'
import { sendExport } from './export.ts'
import { refuseOtherSites, withinLimits } from './limits.ts'
import { sendLive } from './live.ts'
import { named } from './metrics.ts'
import { isOver, whenOver } from './over.ts'
import { json, parseBody, text } from './parse-body.ts'
import { accountLimit } from './rate-limits.ts'
import type { Services } from './services.ts'
import { sendSession } from './session-cookie.ts'

const DEFAULT_BODY_LIMIT = 1024 * 1024

/**
 * Makes what puts described endpoints on a router: who may, how much, how it is read, and 405 for the other methods. What an
 * account may ask in a minute is counted over all routers of one `mounting`.
 */
export function mounting(services: Pick<Services, 'database' | 'config' | 'budget' | 'keyring'>) {
  const doors = { known: authentication(services), limited: accountLimit(services.config) }
  return (router: Router, endpoints: Endpoint[]): Router => {
    mount(router, endpoints, services, doors)
    return router
  }
}

function mount(
  router: Router,
  endpoints: Endpoint[],
  services: Parameters<typeof mounting>[0],
  { known, limited }: Record<'known' | 'limited', RequestHandler>,
): void {
  for (const path of new Set(endpoints.map(({ path }) => path))) {
    const ofPath = endpoints.filter((endpoint) => endpoint.path === path)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const endpoint of ofPath) {
      route[endpoint.method](
        named(path),
        known,
        authorization(endpoint.right),
        limited,
        ...(path.includes('{uuid}') ? [withinLimits(path, services.database.pool)] : []),
        ...bodyReader(endpoint, services.budget.webhooks),
        answer(endpoint, services),
      )
    }
    route.all(named(path), otherMethods(ofPath.map(({ method }) => method.toUpperCase())))
  }
}

/** The body as the endpoint declared it: parsed JSON, or the text of a file. */
function bodyReader(
  { body, bodyType, bodyLimit: limit = DEFAULT_BODY_LIMIT }: Endpoint,
  lane: Lane,
): RequestHandler[] {
  if (body === undefined) return []
  return bodyType === 'text/csv'
    ? [only(['csv', 'text/csv'], 'text/csv'), parseBody(lane, limit, text)]
    : [only(['json', '+json'], 'application/json'), parseBody(lane, limit, json)]
}

/** A body that is something else is refused by name; no body at all is left to the schema. */
const only =
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

const answer =
  (endpoint: Endpoint, services: Keeping): RequestHandler =>
  async (request, response) => {
    const { params, query, headers, body } = request
    const gone = new AbortController()
    whenOver(response, () => response.writableFinished || gone.abort())
    const asked = { caller: callerOf(response), params, query, headers, body, gone: gone.signal }
    refuseOtherSites(asked.caller, body)
    const reply = await carryOut(endpoint, services, asked)
    if ('parts' in reply) return sendExport(response, reply)
    if ('open' in reply) return sendLive(response, reply)
    const { status, body: answered, share, session } = reply
    if (share !== undefined) {
      whenOver(response, () => share.release())
      if (isOver(response)) return
    }
    if (session !== undefined) sendSession(request, response, services.config.publicUrl, session)
    response.status(status).json(answered)
  }

type Keeping = Pick<Services, 'database' | 'keyring' | 'config'>

/** Once for an `Idempotency-Key`, where the endpoint takes one. What is none is refused by the schema. */
async function carryOut(endpoint: Endpoint, services: Keeping, asked: RawRequest): Promise<Answering> {
  const { caller, params, query, headers, body } = asked
  const key = endpoint.idempotent && endpoint.headers.safeParse(headers).data?.['idempotency-key']
  if (typeof key !== 'string') return audited(services.database.pool, endpoint, asked)
  const { keyring, database } = services
  const request = { ...caller, key, operation: endpoint.operationId, request: [params, query, body] }
  return once({ pool: database.pool, keyring }, request, async (making) => {
    const reply = await audited(database.pool, endpoint, { ...asked, making })
    if ('parts' in reply || 'open' in reply) throw new Error('what is streamed cannot be kept')
    return reply
  })
}
