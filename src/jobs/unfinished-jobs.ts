import type { Pool } from 'pg'
import type { z } from 'zod'
import { execute } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import { lowestUuidAt } from '../lib/uuid.ts'
import { addJob, isInQueue, type JobType, type PayloadSql } from './job.ts'

const MAX_UNFINISHED_JOBS = 20

/** Milliseconds for which a job counts; an abandoned one must not lock anybody out. */
const COUNTED_FOR_MS = 3_600_000

/** A table of long jobs with ids of version 7 and a column `ended_at`. */
interface LongJobTable {
  table: 'bulk_job' | 'site_import'
  called: string
}

/** Limits an account's unfinished jobs of the last hour. @param id of the job to be stored @throws 429 `TOO_MANY_JOBS` */
export async function assertJobQuota(
  pool: Pool,
  { table, called }: LongJobTable,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> {
  const rowCount = await execute(
    pool,
    `SELECT FROM ${table} WHERE account_id = :accountId AND id > :since AND ended_at IS NULL AND id <> :id
     ORDER BY id DESC LIMIT ${MAX_UNFINISHED_JOBS}`,
    { id, accountId, since: lowestUuidAt(Date.now() - COUNTED_FOR_MS) },
  )
  if (rowCount === MAX_UNFINISHED_JOBS)
    throw new GalleyError({
      code: 'TOO_MANY_JOBS',
      httpStatus: 429,
      action: 'retry',
      retryAfterMs: 10_000,
      message: `This account has ${MAX_UNFINISHED_JOBS} ${called} that have not ended, the most that it may have at once. Wait until one ends, then ask again.`,
    })
}

/** Requeues unfinished jobs that the queue does not know. @param payload SQL about `t`, a row of the table */
export async function requeueUnfinished<Payload extends z.ZodObject>(
  pool: Pool,
  { table }: LongJobTable,
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
): Promise<void> {
  await pool.query(
    `SELECT ${addJob(job, payload)} FROM ${table} t
     WHERE t.ended_at IS NULL AND ${IS_ACCOUNT_ENABLED('t.account_id')} AND NOT ${isInQueue(job, payload)}`,
  )
}

/** SQL: the account is enabled. Work of a disabled account waits. */
export const IS_ACCOUNT_ENABLED = (accountId: string): string =>
  `EXISTS (SELECT FROM account WHERE account.id = ${accountId} AND account.disabled_at IS NULL)`

/** Asked between the parts of long work. */
export async function isAccountEnabled(pool: Pool, accountId: string): Promise<boolean> {
  const rowCount = await execute(pool, `SELECT WHERE ${IS_ACCOUNT_ENABLED(':accountId::uuid')}`, {
    accountId,
  })
  return rowCount === 1
}
