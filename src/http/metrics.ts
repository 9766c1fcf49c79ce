import type { IncomingMessage } from 'node:http'
import type { RequestHandler } from 'express'
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client'

/** A registry with the process's own figures: memory, event loop, garbage collection. */
export function createMetrics(): Registry {
  const registry = new Registry()
  collectDefaultMetrics({ register: registry })
  return registry
}

/** Says which route answers. Addresses never become labels: anybody could make a million of them. */
export const named =
  (route: string): RequestHandler =>
  (_request, response, next) => {
    response.locals.route = route
    next()
  }

/** How long requests take, by method, route and status class; a request is measured once, whoever answers it. */
export interface RequestTimes {
  /** @returns when it began, as `performance.now()` counts */
  start(request: IncomingMessage): number
  stop(request: IncomingMessage, route: string, status: number): void
}

export function createRequestTimes(registry: Registry): RequestTimes {
  const seconds = new Histogram({
    name: 'galley_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  const began = new WeakMap<IncomingMessage, number>()
  const start = (request: IncomingMessage): number => {
    const at = began.get(request) ?? performance.now()
    began.set(request, at)
    return at
  }
  return {
    start,
    stop(request, route, status) {
      const method = knownMethods.has(request.method ?? '') ? request.method : 'other'
      const took = (performance.now() - start(request)) / 1_000
      seconds.observe({ method, route, status: `${String(status)[0]}xx` }, took)
    },
  }
}

/** Measures every request that Express answers. */
export function measureRequests(times: RequestTimes): RequestHandler {
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
