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

/** Measures every request by method, route and status class. */
export function measureRequests(registry: Registry): RequestHandler {
  const seconds = new Histogram({
    name: 'galley_http_request_duration_seconds',
    help: 'Time from the first byte of a request to the last of its answer.',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.02, 0.05, 0.1, 0.5, 1, 5, 30],
    registers: [registry],
  })
  return ({ method }, response, next) => {
    const stop = seconds.startTimer()
    response.on('finish', () => {
      const { route = 'unmatched' } = response.locals
      stop({
        method: knownMethods.has(method) ? method : 'other',
        route,
        status: `${String(response.statusCode)[0]}xx`,
      })
    })
    next()
  }
}

const knownMethods = new Set(['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'PUT', 'OPTIONS'])
