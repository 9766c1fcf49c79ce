import type { RequestHandler, Router } from 'express'
import pTimeout from 'p-timeout'
import { GalleyError } from '../../errors.ts'
import { named } from '../metrics.ts'
import { strictRouter } from '../routing.ts'
import type { Services } from '../services.ts'

/** How long the database may take to say that it is there, in milliseconds. */
const READY_WITHIN_MS = 2000

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
  const open = (path: string, ...handlers: RequestHandler[]) => router.get(path, named(path), ...handlers)

  open('/healthz', (_request, response) => {
    response.json({ success: true, status: 'alive' })
  })
  open('/readyz', async (_request, response) => {
    await databaseAnswers(database)
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

async function databaseAnswers({ pool }: Services['database']): Promise<void> {
  try {
    await pTimeout(pool.query('SELECT 1'), {
      milliseconds: READY_WITHIN_MS,
      message: `no answer within ${READY_WITHIN_MS} ms`,
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
