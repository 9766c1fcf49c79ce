import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import type { Job } from './job.ts'
import { matching } from './matching.ts'

/** Items that are worked on before what became of them is written down. */
export const BATCH = 50

/** An item whose turn has come. */
export interface Turn {
  id: string
  /** A process began with it and did not say how it ended. */
  begun: boolean
  /** It is still what the filter asks for. */
  matches: boolean
}

/** What became of an item. */
export interface Result {
  id: string
  outcome: 'done' | 'skipped' | 'failed'
  code: string | null
  message: string | null
}

/**
 * The next items, written down as begun: what was begun by a process that died comes first.
 *
 * @returns undefined where another process has the job, or it was cancelled
 */
export async function nextItems(database: Queryable, job: Job): Promise<Turn[] | undefined> {
  const { table, sql, values } = matching(job)
  const { rows } = await database.query<{ turns: Turn[] | null }>(
    named(
      `WITH job AS (
         SELECT id FROM bulk_job WHERE id = :jobId AND fence = :fence AND cancelled_at IS NULL FOR UPDATE
       ), next AS MATERIALIZED (
         (SELECT item_id, true AS begun FROM bulk_item
          WHERE job_id = :jobId AND status = 'begun' AND EXISTS (SELECT FROM job) ORDER BY item_id LIMIT ${BATCH})
         UNION ALL
         (SELECT item_id, false FROM bulk_item
          WHERE job_id = :jobId AND status = 'waiting' AND EXISTS (SELECT FROM job) ORDER BY item_id LIMIT ${BATCH})
         LIMIT ${BATCH}
       ), begun AS (
         UPDATE bulk_item SET status = 'begun' FROM next
         WHERE bulk_item.job_id = :jobId AND bulk_item.item_id = next.item_id AND NOT next.begun
       )
       SELECT (
         SELECT json_agg(json_build_object('id', next.item_id, 'begun', next.begun, 'matches', EXISTS (
           SELECT FROM ${table} d WHERE d.account_id = :accountId AND d.id = next.item_id AND ${sql})))
         FROM next) AS turns
       FROM job`,
      { ...values, jobId: job.id, fence: job.fence },
    ),
  )
  return rows[0] && (rows[0].turns ?? [])
}

/** Writes down what became of items. @returns whether the job is still this process's */
export async function recordItems(database: Queryable, job: Job, results: Result[]): Promise<boolean> {
  const of = (outcome: Result['outcome']) => results.filter((result) => result.outcome === outcome).length
  const { rowCount } = await database.query(
    named(
      `WITH job AS (
         UPDATE bulk_job SET done = done + :done, skipped = skipped + :skipped, failed = failed + :failed,
           reasons = :reasons::jsonb
         WHERE id = :jobId AND fence = :fence RETURNING id
       ), recorded AS (
         UPDATE bulk_item i SET status = given.outcome, code = given.code, message = given.message
         FROM unnest(:ids::uuid[], :outcomes::text[], :codes::text[], :messages::text[])
           AS given (id, outcome, code, message)
         WHERE i.job_id = :jobId AND i.item_id = given.id AND EXISTS (SELECT FROM job)
       )
       SELECT FROM job`,
      {
        jobId: job.id,
        fence: job.fence,
        ...{ done: of('done'), skipped: of('skipped'), failed: of('failed') },
        reasons: JSON.stringify(job.reasons),
        ids: results.map(({ id }) => id),
        outcomes: results.map(({ outcome }) => outcome),
        codes: results.map(({ code }) => code),
        messages: results.map(({ message }) => message),
      },
    ),
  )
  return rowCount === 1
}
