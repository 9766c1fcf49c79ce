import { setTimeout as sleep } from 'node:timers/promises'
import pRetry from 'p-retry'
import type { ClientBase, Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import type { Logger } from '../log/log.ts'
import { databaseFailure, isTransientDatabaseError } from './errors.ts'
import type { Prisma } from './generated/client.ts'
import type { Statement } from './statement.ts'

/** The pool, or one connection in a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>>
}

/** Runs a statement and returns its rows: a {@link Queryable} or a Prisma transaction. */
export interface RowSource {
  query<Row extends QueryResultRow>(statement: Statement): Promise<{ rows: Row[] }>
}

export const prismaRows = (transaction: Prisma.TransactionClient): RowSource => ({
  query: async ({ text, values }) => ({ rows: await transaction.$queryRawUnsafe(text, ...values) }),
})

/** For Prisma transactions over many rows, which Prisma would roll back after 5 s. */
export const LONG_TRANSACTION = { maxWait: 10_000, timeout: 30_000 }

/** Stored when this resolves. When it throws, nothing is, unless the answer to COMMIT was lost (`silent`). */
export async function inTransaction<Result>(pool: Pool, work: (database: Queryable) => Promise<Result>) {
  const client = await pool.connect()
  let broken: Error | undefined
  try {
    await client.query('BEGIN')
    const result = await work(client)
    await client.query('COMMIT')
    return result
  } catch (error) {
    const answers = databaseFailure(error) !== 'silent' && databaseFailure(error) !== 'away'
    const undone =
      answers &&
      (await client.query('ROLLBACK').then(
        () => true,
        () => false,
      ))
    // A connection in an unknown state is discarded, and its transaction with it.
    if (!undone) broken = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.release(broken)
  }
}

/** Milliseconds between tries, doubled each time. */
const STORE_BACKOFF = { minTimeout: 250, maxTimeout: 5_000 }

/** Retries `work`, one fenced transaction, until the database takes or refuses it, or the process is to stop. */
export const retryUntilStored = <Result>(
  { stopping, log }: { stopping: AbortSignal; log: Logger },
  work: () => Promise<Result>,
): Promise<Result> =>
  pRetry(work, {
    ...STORE_BACKOFF,
    retries: Number.POSITIVE_INFINITY,
    shouldRetry: ({ error }) => {
      if (stopping.aborted || !isTransientDatabaseError(error)) return false
      log.warn({ err: error }, 'what came of something could not be stored yet; trying again')
      return true
    },
  })

/** Numbers of PostgreSQL's advisory locks; they never change. */
export const advisoryLocks = {
  /** One Galley per embedded database; taken in the database `postgres`. */
  dataFolder: 7_105_318_001,
  /** One process at a time changes the schema. */
  migrations: 7_105_318_002,
  /** Held by the process that showed the first API key. */
  firstKey: 7_105_318_003,
  /** One change of the secret keys at a time. */
  rotation: 7_105_318_004,
} as const

/**
 * Takes a session lock. Polls, since a statement that waits holds a snapshot, which blocks `CREATE INDEX CONCURRENTLY`.
 * @param patience milliseconds @returns false when somebody else still holds the lock then
 */
export async function acquireAdvisoryLock(
  client: ClientBase,
  lock: (typeof advisoryLocks)[keyof typeof advisoryLocks],
  patience: number,
): Promise<boolean> {
  const deadline = performance.now() + patience
  for (;;) {
    const { rows } = await client.query<{ taken: boolean }>('select pg_try_advisory_lock($1) as taken', [
      lock,
    ])
    if (rows[0]?.taken) return true
    if (performance.now() >= deadline) return false
    await sleep(100)
  }
}
