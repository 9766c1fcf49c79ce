import express from 'express'
import type { Address } from '../address.ts'
import { answerErrors, unknownRoute } from './errors.ts'
import { requestLog } from './request-log.ts'
import { healthRouter } from './routers/health.ts'
import { close, createHttpServer, listen } from './server.ts'
import type { Services } from './services.ts'

/** Those who ask are a few machines. */
const MAX_CONNECTIONS = 100

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
  app.use(requestLog(services.log), healthRouter(services), unknownRoute, answerErrors)
  const server = createHttpServer({ maxConnections: MAX_CONNECTIONS })
  server.on('request', app)
  const url = await listen(server, address, 'GALLEY_METRICS_ADDRESS')
  return { url, stop: (deadline) => close(server, deadline) }
}
