import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import type { Prisma } from './generated/client.ts'
import type { Statement } from './named.ts'
import { databaseFailure } from './sqlstates.ts'

/** Whatever takes a statement: the pool, or one of its connections in a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>>
}

/** Takes a statement and answers its rows alone: every {@link Queryable}, and a transaction of Prisma's. */
export interface Rows {
  query<Row extends QueryResultRow>(statement: Statement): Promise<{ rows: Row[] }>
}

/** A transaction of Prisma's, for the statements of who knows nothing of Prisma. */
export const rowsIn = (transaction: Prisma.TransactionClient): Rows => ({
  query: async ({ text, values }) => ({ rows: await transaction.$queryRawUnsafe(text, ...values) }),
})

/**
 * For a transaction of Prisma's that changes as many rows as there may be: as long as for one statement of the pool,
 * where Prisma would undo it after 5 s.
 */
export const PATIENT = { maxWait: 10_000, timeout: 30_000 }

/**
 * Does `work` in one transaction: all of it is stored when this resolves. Where it throws, nothing is, unless the answer
 * to the COMMIT was lost (`silent` in sqlstates.ts): then nobody knows.
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
