import type { Pool, QueryConfig, QueryResult, QueryResultRow } from 'pg'
import { databaseFailure } from './sqlstates.ts'

/** Whatever takes a statement: the pool, or one of its connections in a transaction. */
export interface Queryable {
  query<Row extends QueryResultRow>(
    statement: string | QueryConfig,
    values?: unknown[],
  ): Promise<QueryResult<Row>>
}

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
