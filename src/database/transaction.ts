import pRetry from 'p-retry'
import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import type { Logger } from '../log/log.ts'
import { databaseFailure, isTransientDatabaseError } from './errors.ts'
import type { Prisma } from './generated/client.ts'
import type { Statement } from './statement.ts'

/** Whatever takes a statement: the pool, or one of its connections in a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>>
}

/** Takes a statement and answers its rows alone: every {@link Queryable}, and a transaction of Prisma's. */
export interface RowSource {
  query<Row extends QueryResultRow>(statement: Statement): Promise<{ rows: Row[] }>
}

/** A transaction of Prisma's, for the statements of who knows nothing of Prisma. */
export const prismaRows = (transaction: Prisma.TransactionClient): RowSource => ({
  query: async ({ text, values }) => ({ rows: await transaction.$queryRawUnsafe(text, ...values) }),
})

/**
 * For a transaction of Prisma's that changes as many rows as there may be: as long as for one statement of the pool,
 * where Prisma would undo it after 5 s.
 */
export const LONG_TRANSACTION = { maxWait: 10_000, timeout: 30_000 }

/**
 * Does `work` in one transaction: all of it is stored when this resolves. Where it throws, nothing is, unless the answer
 * to the COMMIT was lost (`silent` in database/errors.ts): then nobody knows.
 */
export async function inTransaction<Result>(
  pool: Pool,
  work: (database: Queryable) => Promise<Result>,
): Promise<Result> {
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
    // A connection that may be in the middle of something is given up; its transaction ends with it.
    if (!undone) broken = error instanceof Error ? error : new Error(String(error))
    throw error
  } finally {
    client.release(broken)
  }
}

/** Milliseconds between two tries: doubled each time. */
const STORE_BACKOFF = { minTimeout: 250, maxTimeout: 5_000 }

/**
 * Does `work`, which is one fenced transaction, until the database is there to take it: what was carried out though its
 * answer was lost finds itself fenced off the second time. Gives up when the process is asked to stop; the lease then
 * ends by itself.
 *
 * @throws what the database refuses, at once: it would refuse it for ever
 */
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
