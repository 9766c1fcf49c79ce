import express, { type RequestHandler, type Router } from 'express'
import pTimeout from 'p-timeout'
import type { Address } from '../config/settings.ts'
import { GalleyError } from '../errors.ts'
import { labelRoute, requestLog } from './request-telemetry.ts'
import { errorHandler, notFoundHandler, strictRouter } from './routing.ts'
import { close, createHttpServer, listen } from './server.ts'
import type { Services } from './services.ts'

/** How long the database may take to say that it is there, in milliseconds. */
const READINESS_TIMEOUT_MS = 2000

/**
 * What machines ask: alive, ready, figures.
 *
 * @param guards of the figures: they are of all accounts together, and for whoever runs it alone
 */
export function healthRouter(
  { database, metrics, checks = [] }: Pick<Services, 'database' | 'metrics' | 'checks'>,
  guards: RequestHandler[] = [],
): Router {
  const router = strictRouter()
  const open = (path: string, ...handlers: RequestHandler[]) =>
    router.get(path, labelRoute(path), ...handlers)

  open('/healthz', (_request, response) => {
    response.json({ success: true, status: 'alive' })
  })
  open('/readyz', async (_request, response) => {
    await pingDatabase(database)
    for (const check of checks) {
      const problem = await check()
      if (problem) throw problem
    }
    response.json({ success: true, status: 'ready' })
  })
  open('/metrics', ...guards, async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics())
  })
  return router
}

async function pingDatabase({ pool }: Services['database']): Promise<void> {
  try {
    await pTimeout(pool.query('SELECT 1'), {
      milliseconds: READINESS_TIMEOUT_MS,
      message: `no answer within ${READINESS_TIMEOUT_MS} ms`,
    })
  } catch (cause) {
    throw new GalleyError({
      code: 'DATABASE_UNAVAILABLE',
      httpStatus: 503,
      action: 'retry',
      retryAfterMs: 5000,
      message: 'Not ready: the database does not answer.',
      cause,
    })
  }
}

/** Those who ask are a few machines. */
const MAX_HEALTH_CONNECTIONS = 100

/**
 * Serves health and metrics alone, without a key, where the operator has put them: for a process that serves nothing
 * else, and to keep them away from where the API is reached.
 *
 * @throws GalleyError `cannot_listen`
 */
export async function startHealthServer(
  services: Pick<Services, 'database' | 'metrics' | 'log' | 'checks'>,
  address: Address,
): Promise<{ url: string; stop(deadline: AbortSignal): Promise<void> }> {
  const app = express()
  app.disable('x-powered-by')
  app.use(requestLog(services.log), healthRouter(services), notFoundHandler, errorHandler)
  const server = createHttpServer({ maxConnections: MAX_HEALTH_CONNECTIONS })
  server.on('request', app)
  const url = await listen(server, address, 'GALLEY_METRICS_ADDRESS')
  return { url, stop: (deadline) => close(server, deadline) }
}
