import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import { pickedLinesOnly } from '../log.ts'
import type { RequestTimes } from './metrics.ts'
import { pickRequest, requestId } from './request-log.ts'
import type { Services } from './services.ts'
import { webhookPath } from './webhook-description.ts'

/** The plain address: what has a query or an escape in it is left to Express, as is all else that is rare. */
const address = /^\/v1\/webhooks\/([\w-]+)$/

/** What the door could not take once it had read the body, for Express to put into words. */
const failures = new WeakMap<IncomingMessage, unknown>()

/** Why the door did not take this request; undefined where it never tried. */
export const failureAtDoor = (request: IncomingMessage): unknown => failures.get(request)

interface Door extends Pick<Services, 'intake' | 'config' | 'log'> {
  times: RequestTimes
}

/**
 * Takes plain webhooks before Express sees them: the one call that comes a thousand times a second, and for which a
 * framework's way through routes, headers and log takes as long again as reading and storing the body
 * (docs/benchmarks.md, "Intake"). It only ever says yes: what is unusual, and what fails, goes on to `app`, whose
 * webhook route has the words for it. Its log line, metric and request id are those of every other request.
 */
export function webhookDoor({ intake, config, log, times }: Door, app: RequestListener): RequestListener {
  const lines = pickedLinesOnly(log, { subsystem: 'http' })
  return (request, response) => {
    const token = address.exec(request.url ?? '')?.[1]
    const length = plainLength(request)
    if (token === undefined || request.method !== 'POST' || !(length <= config.maxWebhookBytes))
      return app(request, response)
    const began = times.start(request)
    readBody(request, length)
      .then((body) => intake.receive({ token, headers: request.headers, body }))
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

/** Bytes of a body that is not compressed, as its head says; NaN for any other. */
function plainLength({ headers }: IncomingMessage): number {
  const plain = (headers['content-encoding'] ?? 'identity') === 'identity'
  return plain ? Number(headers['content-length'] ?? Number.NaN) : Number.NaN
}

/** Node ends a request just where its Content-Length does, or breaks it off. */
function readBody(request: IncomingMessage, length: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    request.on('data', (chunk: Buffer) => chunks.push(chunk))
    request.once('end', () => resolve(Buffer.concat(chunks, length)))
    // As body-parser names it, whose errors Express knows.
    request.once('error', (cause) => reject(Object.assign(cause, { type: 'request.aborted' })))
  })
}

function answer(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'Content-Type': 'application/json; charset=utf-8',
    'Content-Length': Buffer.byteLength(text),
    'X-Content-Type-Options': 'nosniff',
  })
  response.end(text)
}
