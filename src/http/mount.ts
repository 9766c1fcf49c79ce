import type { RequestHandler, Router } from 'express'
import type { Lane } from '../bytes/index.ts'
import { GalleyError } from '../errors.ts'
import { audit } from './audit.ts'
import { authentication, authorization, callerOf } from './authentication.ts'
import type { Endpoint } from './endpoint.ts'
import { otherMethods } from './errors.ts'
import { sendExport } from './export.ts'
import { named } from './metrics.ts'
import { json, parseBody, text } from './parse-body.ts'
import { accountLimit } from './rate-limits.ts'
import type { Services } from './services.ts'

const DEFAULT_BODY_LIMIT = 1024 * 1024

/** Puts the described endpoints on a router: who may, how much, how it is read, and 405 for the other methods. */
export function mount(
  router: Router,
  endpoints: Endpoint[],
  services: Pick<Services, 'database' | 'config' | 'budget'>,
) {
  const known = authentication(services)
  const limited = accountLimit(services.config)
  for (const path of new Set(endpoints.map(({ path }) => path))) {
    const ofPath = endpoints.filter((endpoint) => endpoint.path === path)
    const route = router.route(path.replace(/\{(\w+)\}/g, ':$1'))
    for (const endpoint of ofPath) {
      route[endpoint.method](
        named(path),
        known,
        authorization(endpoint.right),
        limited,
        ...bodyReader(endpoint, services.budget.webhooks),
        answer(endpoint, services.database),
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
  (endpoint: Endpoint, { pool }: Services['database']): RequestHandler =>
  async ({ params, query, headers, body }, response) => {
    const gone = new AbortController()
    response.once('close', () => response.writableFinished || gone.abort())
    const asked = { caller: callerOf(response), params, query, headers, body, gone: gone.signal }
    const reply = await endpoint.run(asked)
    if ('parts' in reply) return sendExport(response, reply)
    const { status, body: answered, share } = reply
    await audit(pool, endpoint, asked, reply).catch((error) => {
      share?.release()
      throw error
    })
    if (share !== undefined) {
      if (response.closed) return share.release()
      response.once('close', () => share.release())
    }
    response.status(status).json(answered)
  }
