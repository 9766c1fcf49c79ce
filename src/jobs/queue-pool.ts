import { setTimeout as wait } from 'node:timers/promises'
import type { Pool, PoolClient } from 'pg'
import { databaseFailure, NOT_LET_IN } from '../database/sqlstates.ts'

/** Between two tries to get a connection, in milliseconds. */
const PAUSE_MS = { first: 100, longest: 2_000 }

/** Milliseconds after which a process that is to end waits no longer for a database that is away. */
const LAST_WAIT_MS = 5_000

/** A pool for graphile-worker. */
export interface QueuePool {
  pool: Pool
  /** Resolves when the process is to end and the database stays away, so that nothing more can be written down. */
  gaveUp: Promise<void>
}

/**
 * The pool as graphile-worker gets it. That writes down in the background that a job has ended, and what it cannot write
 * ends the process, but for a few SQLSTATEs, which it tries again (0.17 and 0.18: its worker does not await `completeJob`
 * and `failJob`; RETRYABLE_ERROR_CODES). A database that is away for some seconds would so end every process
 * that has a site worker under way. Here a connection is waited for, as long as it takes, and what a database in trouble says
 * has a code that is tried again.
 */
export function queuePool(pool: Pool, stopping: AbortSignal): QueuePool {
  let late = false
  stopping.addEventListener('abort', () => {
    setTimeout(() => {
      late = true
    }, LAST_WAIT_MS).unref()
  })
  let giveUp = () => {}
  const gaveUp = new Promise<void>((resolve) => {
    giveUp = resolve
  })
  const connection = async (): Promise<PoolClient> => {
    for (let pause = PAUSE_MS.first; ; pause = Math.min(pause * 2, PAUSE_MS.longest)) {
      try {
        return patient(await pool.connect())
      } catch {
        if (late || pool.ending) break
        await wait(pause, undefined, { ref: false })
      }
    }
    giveUp()
    // A rejection would be the one that nobody handles.
    return new Promise(() => undefined)
  }
  const connect = (callback?: Parameters<Pool['connect']>[0]) =>
    callback === undefined ? connection() : pool.connect(callback)
  return { pool: withMethod(pool, 'connect', connect), gaveUp }
}

/** A connection whose statements fail as {@link queuePool} says. */
const patient = (client: PoolClient): PoolClient =>
  withMethod(client, 'query', async (...query: [string]) => {
    try {
      return await client.query(...query)
    } catch (error) {
      throw triedAgain(error)
    }
  })

/** As one that graphile-worker tries again: of its codes, the one that says what is the matter. */
function triedAgain(error: unknown): unknown {
  if (!(error instanceof Error)) return error
  const trouble = databaseFailure(error)
  if (trouble === 'refused' || trouble === 'conflict') return error
  return Object.assign(new Error(error.message, { cause: error }), { code: NOT_LET_IN.notNow })
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
