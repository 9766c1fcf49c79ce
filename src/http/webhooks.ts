import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { RequestHandler, Router } from 'express'
import { GalleyError } from '../errors.ts'
import { redactTokenInUrl } from '../log/redact.ts'
import { addSpanAttributes, withSpan } from '../observe/trace.ts'
import { type Acknowledgement, webhookPath } from '../webhook/acknowledgement.ts'
import { readBody } from './request-body.ts'
import { labelRoute, pickRequest, type RequestTimer, requestId } from './request-telemetry.ts'
import { methodNotAllowed, strictRouter } from './routing.ts'
import type { Services } from './services.ts'

// Webhooks have one path, `take`, and two entrances: the fast one for what is plain and goes well, and Express's for the
// rest. A webhook that fails at the fast entrance enters Express with what has come of it, and is not taken again.

type WebhookServices = Pick<Services, 'intake' | 'config' | 'budget'>

/** What came of a webhook: what its sender is told, or why it was not taken. */
type WebhookResult = { acknowledgement: Acknowledgement } | { failure: unknown }

/**
 * Takes a webhook in the order that costs least for what is refused: who sends it, then its body, and only then what
 * is in it. Nothing of the body of an unknown sender is read.
 */
const receiveWebhook = (
  taking: WebhookServices,
  request: IncomingMessage,
  token: string,
): Promise<WebhookResult> =>
  withSpan(
    `POST ${webhookPath}`,
    { kind: 'server', parent: singleHeader(request.headers.traceparent) },
    async () => {
      const taken = await receiveInSpan(taking, request, token)
      if ('failure' in taken) addSpanAttributes({ 'error.type': codeOf(taken.failure) })
      return taken
    },
  )

const singleHeader = (header: string | string[] | undefined) =>
  typeof header === 'string' ? header : undefined

const codeOf = (failure: unknown): string => (failure instanceof GalleyError ? failure.code : 'error')

async function receiveInSpan(
  { intake, config, budget }: WebhookServices,
  request: IncomingMessage,
  token: string,
): Promise<WebhookResult> {
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

const WEBHOOK_PREFIX = webhookPath.replace('{token}', '')

/** What the log shows of every address in which {@link tokenInUrl} finds a token. */
const REDACTED_WEBHOOK_URL = redactTokenInUrl(`${WEBHOOK_PREFIX}token`)

/** The token of a plain address: what has a query or an escape in it is left to Express, as is all else that is rare. */
function tokenInUrl(url: string): string | undefined {
  const rest = url.startsWith(WEBHOOK_PREFIX) ? url.slice(WEBHOOK_PREFIX.length) : ''
  return /^[\w-]+$/.test(rest) ? rest : undefined
}

/**
 * The fast entrance, before Express: the one call that comes a thousand times a second, and for which a framework's way
 * through routes, headers and log takes as long again as reading and storing the body (docs/benchmarks.md, "Intake"). It
 * only ever says yes; Express has the words for everything else. Its log line, metric and request id are those of every
 * other request.
 */
export function webhookFastPath(
  { log, times, ...services }: WebhookServices & Pick<Services, 'log'> & { times: RequestTimer },
  app: RequestListener,
): RequestListener {
  const lines = log.child({ subsystem: 'http' })
  return async (request, response) => {
    const token = tokenInUrl(request.url ?? '')
    if (token === undefined || request.method !== 'POST') return app(request, response)
    const began = times.start(request)
    const taken = await receiveWebhook(services, request, token)
    if ('failure' in taken) return app(request, Object.assign(response, { locals: { taken } }))
    const { httpStatus: statusCode, body } = taken.acknowledgement
    const id = requestId(request, response)
    const event = 'event_id' in body ? { event: body.event_id } : {}
    sendJson(response, statusCode, JSON.stringify(body))
    times.stop(request, webhookPath, statusCode)
    const responseTime = Math.round(performance.now() - began)
    lines.info(
      { req: pickRequest(id, request, REDACTED_WEBHOOK_URL), res: { statusCode }, ...event, responseTime },
      'request completed',
    )
  }
}

/**
 * Express's entrance. The body is read as bytes, whatever it calls itself: the bytes are what is signed and stored. No
 * rate limit: the token has proved who sends.
 */
export function webhookRouter(services: WebhookServices): Router {
  const router = strictRouter()
  const post: RequestHandler<{ token: string }> = async (request, response) => {
    const taken: WebhookResult =
      response.locals.taken ?? (await receiveWebhook(services, request, request.params.token))
    if ('failure' in taken) throw taken.failure
    response.status(taken.acknowledgement.httpStatus).json(taken.acknowledgement.body)
  }
  router
    .route(webhookPath.replace('{token}', ':token'))
    .all(labelRoute(webhookPath))
    .post(post)
    .all(methodNotAllowed(['POST']))
  return router
}

function sendJson(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'Cache-Control': 'no-store',
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(text)
}
