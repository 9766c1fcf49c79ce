import { setTimeout as wait } from 'node:timers/promises'
import { DatabaseError, type Pool, type PoolClient } from 'pg'

/** Between two tries to get a connection, in milliseconds. */
const PAUSE_MS = { first: 100, longest: 2_000 }

/**
 * SQLSTATE of what passes when the database is itself again: no connection (08), no room (53), a shutdown or a start
 * (57), a disk or a PostgreSQL in trouble (58, XX), a standby that is not yet the primary (25006).
 */
const PASSES = /^(08|25006|53|57|58|XX)/

/** cannot_connect_now: of the codes that graphile-worker tries again, the one that says what is the matter. */
const TRIED_AGAIN = '57P03'

/**
 * The pool as graphile-worker gets it. That writes down in the background that a job has ended, and what it cannot write
 * ends the process, but for a few SQLSTATEs, which it tries again (0.17 and 0.18: worker.ts does not await `completeJob`
 * and `failJob`; lib.ts, RETRYABLE_ERROR_CODES). A database that is away for some seconds would so end every process
 * that has a pump under way. Here a connection is waited for, as long as it takes, and what a database in trouble says
 * has a code that is tried again.
 */
export const queuePool = (pool: Pool): Pool =>
  withMethod(pool, 'connect', (callback?: Parameters<Pool['connect']>[0]) =>
    callback === undefined ? connection(pool) : pool.connect(callback),
  )

async function connection(pool: Pool): Promise<PoolClient> {
  for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
    try {
      const client = await pool.connect()
      return withMethod(client, 'query', async (...query: [string]) => {
        try {
          return await client.query(...query)
        } catch (error) {
          throw triedAgain(error)
        }
      })
    } catch {
      // Galley is ending, and nobody waits for this any more: what it was for is another process's to find out.
      if (pool.ending) return new Promise(() => undefined)
      await wait(pause, undefined, { ref: false })
    }
  }
}

function triedAgain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  // Not from PostgreSQL: the connection was lost under the statement, or gave no answer in time.
  const passes = !(error instanceof DatabaseError) || PASSES.test(error.code ?? '')
  return passes ? Object.assign(new Error(error.message, { cause: error }), { code: TRIED_AGAIN }) : error
}

/** `target` with one method in another's place. */
function withMethod<Target extends object>(target: Target, name: keyof Target, method: unknown): Target {
  return new Proxy(target, {
    get(_, key) {
      if (key === name) return method
      const value = Reflect.get(target, key, target)
      return typeof value === 'function' ? value.bind(target) : value
    },
  })
}
