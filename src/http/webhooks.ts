import type { IncomingMessage, RequestListener } from 'node:http'
import type { RequestHandler, Router } from 'express'
import { asFailure } from '../errors.ts'
import { redactTokenInUrl } from '../log/redact.ts'
import { addSpanAttributes, errorCode, withSpan } from '../observe/trace.ts'
import type { UnusableReason } from '../sources/schema.ts'
import { type Acknowledgement, webhookPath } from '../sources/sender.ts'
import { readBody } from './request-body.ts'
import { labelRoute, pickRequest, type RequestTimer, requestId } from './request-telemetry.ts'
import { methodNotAllowed, strictRouter } from './routing.ts'
import type { WebhookListener } from './server.ts'
import type { Services } from './services.ts'

// Webhooks have one path, `take`, and two entrances: the fast one for what is plain and goes well, and Express's for the
// rest. A webhook that fails at the fast entrance enters Express with what has come of it, and is not taken again.

type WebhookServices = Pick<Services, 'intake' | 'config' | 'budget'>

/** What came of a webhook: what its sender is told, or why it was not taken. */
type WebhookResult = { acknowledgement: Acknowledgement } | { failure: unknown }

/** First who sends it, then its body: nothing of an unknown sender's body is read. */
const receiveWebhook = (services: WebhookServices, request: IncomingMessage, token: string) =>
  withSpan(`POST ${webhookPath}`, { kind: 'server', parent: request.headers.traceparent }, async () => {
    const result = await receiveInSpan(services, request, token)
    if ('failure' in result) addSpanAttributes({ 'error.type': errorCode(result.failure) })
    return result
  })

/** Failures of reading a body that are its sender's fault, as its source counts them. */
const UNUSABLE_BODIES: Readonly<Record<string, UnusableReason>> = {
  BODY_TOO_LARGE: 'body_too_large',
  UNSUPPORTED_MEDIA_TYPE: 'body_invalid',
  BODY_UNDECODABLE: 'body_invalid',
}

async function receiveInSpan(
  { intake, config, budget }: WebhookServices,
  request: IncomingMessage,
  token: string,
): Promise<WebhookResult> {
  try {
    const sender = await intake.sender(token)
    const { bytes, share } = await readBody(request, config.maxWebhookBytes, budget.webhooks).catch(
      async (failure) => {
        const { code, message } = asFailure(failure)
        const reason = UNUSABLE_BODIES[code]
        if (reason !== undefined) await intake.countUnread(sender, { reason, message })
        throw failure
      },
    )
    try {
      return { acknowledgement: await intake.receive({ sender, headers: request.headers, body: bytes }) }
    } finally {
      share.release()
    }
  } catch (failure) {
    return { failure }
  }
}

const REDACTED_WEBHOOK_URL = redactTokenInUrl(webhookPath)

/**
 * The fast entrance: for the call that comes a thousand times a second, Express takes as long again as reading and storing the
 * body (docs/benchmarks.md, "Intake"). It only ever says yes; Express has the words for everything else.
 */
export function webhookFastPath(
  { log, times, ...services }: WebhookServices & Pick<Services, 'log'> & { times: RequestTimer },
  app: RequestListener,
): WebhookListener {
  const lines = log.child({ subsystem: 'http' })
  return async (request, response, token) => {
    const began = times.start(request)
    const result = await receiveWebhook(services, request, token)
    if ('failure' in result) return app(request, Object.assign(response, { locals: { webhook: result } }))
    const { httpStatus: statusCode, body } = result.acknowledgement
    const id = requestId(request, response)
    const event = 'event_id' in body ? { event: body.event_id } : {}
    const text = JSON.stringify(body)
    response.writeHead(statusCode, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': Buffer.byteLength(text),
      'Cache-Control': 'no-store',
      'X-Content-Type-Options': 'nosniff',
    })
    response.end(text)
    times.stop(request, webhookPath, statusCode)
    const responseTime = Math.round(performance.now() - began)
    lines.info(
      { req: pickRequest(id, request, REDACTED_WEBHOOK_URL), res: { statusCode }, ...event, responseTime },
      'request completed',
    )
  }
}

/** Express's entrance. The bytes are what is signed and stored. No rate limit: the token proves who sends. */
export function webhookRouter(services: WebhookServices): Router {
  const router = strictRouter()
  const post: RequestHandler<{ token: string }> = async (request, response) => {
    const result: WebhookResult =
      response.locals.webhook ?? (await receiveWebhook(services, request, request.params.token))
    if ('failure' in result) throw result.failure
    response.status(result.acknowledgement.httpStatus).json(result.acknowledgement.body)
  }
  router
    .route(webhookPath.replace('{token}', ':token'))
    .all(labelRoute(webhookPath))
    .post(post)
    .all(methodNotAllowed(['POST']))
  return router
}
