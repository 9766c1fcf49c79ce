import express, { type RequestHandler, type Router } from 'express'
import pTimeout from 'p-timeout'
import type { QueryResult } from 'pg'
import type { Address } from '../config/settings.ts'
import { isDiskFull } from '../database/errors.ts'
import { type GalleyError, tryLater } from '../errors.ts'
import { findBlockedProviders } from '../generation/jobs/blocked-providers.ts'
import { labelRoute, requestLog } from './request-telemetry.ts'
import { errorHandler, notFoundHandler, strictRouter } from './routing.ts'
import { close, createHttpServer, listen } from './server.ts'
import type { Services } from './services.ts'

const READINESS_TIMEOUT_MS = 2000

/** What machines ask. @param guards of the figures, which are of all accounts together */
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
    await probeDatabase(database)
    for (const check of checks) {
      const problem = await check()
      if (problem) throw problem
    }
    const problems = await generationProblems(database.pool)
    response.json({
      success: true,
      status: problems.length === 0 ? 'ready' : 'degraded',
      ...(problems.length > 0 && { problems }),
    })
  })
  open('/metrics', ...guards, async (_request, response) => {
    response.type(metrics.contentType).send(await metrics.metrics())
  })
  return router
}

/** What keeps generation, and nothing else, from its work; without the providers' own words, since anybody may ask. */
async function generationProblems(pool: Services['database']['pool']) {
  const blocked = await findBlockedProviders(pool)
  return [...blocked.keys()].map((name) => ({
    code: 'PROVIDER_UNAVAILABLE',
    message: `The provider ${name} refuses Galley until its operator acts, and jobs that need it are refused. The price of a job and the log say why.`,
  }))
}

/** Takes a mebibyte of PostgreSQL's disk for a moment: a disk without room for it has no room for webhooks. */
const WRITE_PROBE = `
  SET LOCAL work_mem = '64kB'; SET LOCAL temp_tablespaces = '';
  SELECT current_setting('transaction_read_only') AS "readOnly", count(*)
  FROM unnest(array_fill(repeat('x', 65536), ARRAY[16]))`

async function probeDatabase({ pool }: Services['database']): Promise<void> {
  const results = await pTimeout(pool.query(WRITE_PROBE), {
    milliseconds: READINESS_TIMEOUT_MS,
    message: `no answer within ${READINESS_TIMEOUT_MS} ms`,
  }).catch((cause: unknown) => {
    throw isDiskFull(cause)
      ? notReady('the disk of the database is full, and webhooks are refused. Free some space on it.', cause)
      : notReady('the database does not answer.', cause)
  })
  // The driver's types do not know of several statements.
  if ((results as unknown as QueryResult[]).at(-1)?.rows[0]?.readOnly === 'on')
    throw notReady('the database takes no changes. DATABASE_URL must name a PostgreSQL that is no standby.')
}

const notReady = (problem: string, cause?: unknown): GalleyError =>
  tryLater('DATABASE_UNAVAILABLE', `Not ready: ${problem}`, { retryAfterMs: 5000, cause })

const MAX_HEALTH_CONNECTIONS = 100

/** Serves health and metrics alone, without a key, where the operator has put them. @throws GalleyError `cannot_listen` */
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
