import { randomUUID } from 'node:crypto'
import type { IncomingMessage, ServerResponse } from 'node:http'
import type { RequestHandler } from 'express'
import { pinoHttp } from 'pino-http'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'
import type { Logger } from '../log/log.ts'
import { redactSecretMembers, redactTokenInUrl } from '../log/redact.ts'

export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Says which route answers. Addresses never become labels: anybody could make a million of them. */
export const labelRoute =
  (route: string): RequestHandler =>
  (_request, response, next) => {
    response.locals.route = route
    next()
  }

/** How long requests take, by method, route and status class; a request is measured once, whoever answers it. */
export function createRequestTimer(registry: Registry) {
  const seconds = new Histogram({
    name: 'galley_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  const began = new WeakMap<IncomingMessage, number>()
  /** @returns when it began, as `performance.now()` counts */
  const start = (request: IncomingMessage): number => {
    const at = began.get(request) ?? performance.now()
    began.set(request, at)
    return at
  }
  return {
    start,
    stop(request: IncomingMessage, route: string, status: number): void {
      const method = knownMethods.has(request.method ?? '') ? request.method : 'other'
      const took = (performance.now() - start(request)) / 1_000
      seconds.observe({ method, route, status: `${String(status)[0]}xx` }, took)
    },
  }
}

export type RequestTimer = ReturnType<typeof createRequestTimer>

export function measureRequests(times: RequestTimer): RequestHandler {
  return (request, response, next) => {
    times.start(request)
    response.on('finish', () => {
      // A stream lasts as long as somebody listens, which says nothing of how long an answer takes.
      if (response.locals.lasting) return
      times.stop(request, response.locals.route ?? 'unmatched', response.statusCode)
    })
    next()
  }
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])

/** Asked for every few seconds by machines; a line each would bury the rest. */
const quietPaths = new Set(['/healthz', '/readyz', '/metrics'])

/** One line a request, without headers and bodies. `X-Request-Id` is the caller's plain word, or new. */
export function requestLog(log: Logger) {
  return pinoHttp({
    logger: log.child({ subsystem: 'http' }),
    genReqId: requestId,
    autoLogging: { ignore: ({ url }) => quietPaths.has(url ?? '') },
    customLogLevel: (_request, response) => (response.statusCode >= 500 ? 'error' : 'info'),
    serializers: {
      err: redactSecretMembers,
      req: ({ id, raw }) => pickRequest(id, raw),
      res: ({ statusCode }) => ({ statusCode }),
    },
  })
}

/** What a line says of a request; `shown` is its address without secrets, where that is known already. */
export const pickRequest = (
  id: string,
  { method, url = '', socket }: IncomingMessage,
  shown = redactTokenInUrl(url),
) => ({ id, method, url: shown, remoteAddress: socket.remoteAddress })

export function requestId(request: IncomingMessage, response: ServerResponse): string {
  const given = request.headers['x-request-id']
  const id = typeof given === 'string' && /^[\w.-]{1,64}$/.test(given) ? given : randomUUID()
  response.setHeader('X-Request-Id', id)
  return id
}

/** Runs `work` once an answer has ended; at once where it has ended already, since no event follows then. */
export function onResponseClosed(response: ServerResponse, work: () => void): void {
  const { socket } = response.req
  if (isResponseClosed(response)) return void work()
  // Each answer that waits adds a listener.
  socket.setMaxListeners(0)
  let isOver = false
  const over = () => {
    response.off('close', over)
    socket.off('close', over)
    // One event may be emitted during the other: a listener that is taken off by then still runs.
    if (isOver) return
    isOver = true
    work()
  }
  response.once('close', over)
  socket.once('close', over)
}

export const isResponseClosed = ({ closed, req: { socket } }: ServerResponse): boolean =>
  closed || socket.destroyed
