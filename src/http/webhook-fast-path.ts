import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pickedLinesOnly } from '../log.ts'
import type { RequestTimes } from './metrics.ts'
import { pickRequest, requestId } from './request-log.ts'
import type { Services } from './services.ts'
import { takeWebhook } from './take-webhook.ts'
import { webhookPath } from './webhook-description.ts'

/** The plain address: what has a query or an escape in it is left to Express, as is all else that is rare. */
const address = /^\/v1\/webhooks\/([\w-]+)$/

/** What the door could not take, for Express to put into words. */
const failures = new WeakMap<IncomingMessage, unknown>()

/** Why the door did not take this request; undefined where it never tried. */
export const failureAtDoor = (request: IncomingMessage): unknown => failures.get(request)

interface Door extends Pick<Services, 'intake' | 'config' | 'log' | 'budget'> {
  times: RequestTimes
}

/**
 * Takes plain webhooks before Express sees them: the one call that comes a thousand times a second, and for which a
 * framework's way through routes, headers and log takes as long again as reading and storing the body
 * (docs/benchmarks.md, "Intake"). It only ever says yes: what is unusual, and what fails, goes on to `app`, whose
 * webhook route has the words for it. Its log line, metric and request id are those of every other request.
 */
export function webhookDoor({ log, times, ...services }: Door, app: RequestListener): RequestListener {
  const lines = pickedLinesOnly(log, { subsystem: 'http' })
  return (request, response) => {
    const token = address.exec(request.url ?? '')?.[1]
    if (token === undefined || request.method !== 'POST') return app(request, response)
    const began = times.start(request)
    takeWebhook(services, request, token)
      .then(({ httpStatus: statusCode, body }) => {
        const id = requestId(request, response)
        answer(response, statusCode, JSON.stringify(body))
        times.stop(request, webhookPath, statusCode)
        const responseTime = Math.round(performance.now() - began)
        lines.info({ req: pickRequest(id, request), res: { statusCode }, responseTime }, 'request completed')
      })
      .catch((failure: unknown) => {
        failures.set(request, failure)
        app(request, response)
      })
  }
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
