import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RequestHandler, Router } from 'express'
import { GalleyError } from '../errors.ts'
import { tellSpan, withSpan } from '../observe/trace.ts'
import { withoutToken } from '../redact.ts'
import type { Acknowledgement } from '../webhook/acknowledgement.ts'
import { webhookPath } from '../webhook/path.ts'
import { otherMethods } from './errors.ts'
import { named, type RequestTimes } from './metrics.ts'
import { readBody } from './read-body.ts'
import { pickRequest, requestId } from './request-log.ts'
import { strictRouter } from './routing.ts'
import type { Services } from './services.ts'

// Webhooks have one path, `take`, and two entrances: the fast one for what is plain and goes well, and Express's for the
// rest. A webhook that fails at the fast entrance enters Express with what has come of it, and is not taken again.

type Taking = Pick<Services, 'intake' | 'config' | 'budget'>

/** What came of a webhook: what its sender is told, or why it was not taken. */
type Taken = { acknowledgement: Acknowledgement } | { failure: unknown }

/**
 * Takes a webhook in the order that costs least for what is refused: who sends it, then its body, and only then what
 * is in it. Nothing of the body of an unknown sender is read.
 */
const take = (taking: Taking, request: IncomingMessage, token: string): Promise<Taken> =>
  withSpan(
    `POST ${webhookPath}`,
    { kind: 'server', parent: oneOf(request.headers.traceparent) },
    async () => {
      const taken = await takeIn(taking, request, token)
      if ('failure' in taken) tellSpan({ 'error.type': codeOf(taken.failure) })
      return taken
    },
  )

const oneOf = (header: string | string[] | undefined) => (typeof header === 'string' ? header : undefined)

const codeOf = (failure: unknown): string => (failure instanceof GalleyError ? failure.code : 'error')

async function takeIn(
  { intake, config, budget }: Taking,
  request: IncomingMessage,
  token: string,
): Promise<Taken> {
  try {
    const sender = await intake.sender(token)
    const { bytes, share } = await readBody(request, config.maxWebhookBytes, budget.webhooks)
    try {
      return {
        acknowledgement: await intake.receive({ sender, headers: request.headers, body: bytes }),
      }
    } finally {
      share.release()
    }
  } catch (failure) {
    return { failure }
  }
}

const before = webhookPath.replace('{token}', '')

/** What the log shows of every address in which {@link tokenIn} finds a token. */
const shown = withoutToken(`${before}token`)

/** The token of a plain address: what has a query or an escape in it is left to Express, as is all else that is rare. */
function tokenIn(url: string): string | undefined {
  const rest = url.startsWith(before) ? url.slice(before.length) : ''
  return /^[\w-]+$/.test(rest) ? rest : undefined
}

/**
 * The fast entrance, before Express: the one call that comes a thousand times a second, and for which a framework's way
 * through routes, headers and log takes as long again as reading and storing the body (docs/benchmarks.md, "Intake"). It
 * only ever says yes; Express has the words for everything else. Its log line, metric and request id are those of every
 * other request.
 */
export function fastEntrance(
  { log, times, ...services }: Taking & Pick<Services, 'log'> & { times: RequestTimes },
  app: RequestListener,
): RequestListener {
  const lines = log.child({ subsystem: 'http' })
  return async (request, response) => {
    const token = tokenIn(request.url ?? '')
    if (token === undefined || request.method !== 'POST') return app(request, response)
    const began = times.start(request)
    const taken = await take(services, request, token)
    if ('failure' in taken) return app(request, Object.assign(response, { locals: { taken } }))
    const { httpStatus: statusCode, body } = taken.acknowledgement
    const id = requestId(request, response)
    const event = 'event_id' in body ? { event: body.event_id } : {}
    answer(response, statusCode, JSON.stringify(body))
    times.stop(request, webhookPath, statusCode)
    const responseTime = Math.round(performance.now() - began)
    lines.info(
      { req: pickRequest(id, request, shown), res: { statusCode }, ...event, responseTime },
      'request completed',
    )
  }
}

/**
 * Express's entrance. The body is read as bytes, whatever it calls itself: the bytes are what is signed and stored. No
 * rate limit: the token has proved who sends.
 */
export function webhookRouter(services: Taking): Router {
  const router = strictRouter()
  const post: RequestHandler<{ token: string }> = async (request, response) => {
    const taken: Taken = response.locals.taken ?? (await take(services, request, request.params.token))
    if ('failure' in taken) throw taken.failure
    response.status(taken.acknowledgement.httpStatus).json(taken.acknowledgement.body)
  }
  router
    .route(webhookPath.replace('{token}', ':token'))
    .all(named(webhookPath))
    .post(post)
    .all(otherMethods(['POST']))
  return router
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(text)
}
