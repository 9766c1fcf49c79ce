import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { z } from 'zod'
import { named } from '../database/statement.ts'
import { GalleyError } from '../errors.ts'
import { addJob, isInQueue, type JobType, type PayloadSql } from './job.ts'

/** Long jobs of one kind that an account has under way, or waiting, at once. */
const MAX_UNFINISHED_JOBS = 20

/** Milliseconds for which one counts: what a worker has given up must not lock anybody out. */
const COUNTED_FOR_MS = 3_600_000

/** A table of long jobs that somebody asked for, whose ids are of version 7; with its column that says when one ended. */
interface LongJobTable {
  table: 'bulk_job' | 'site_import' | 'site_check'
  ended: 'ended_at' | 'finished_at'
  /** In the plural, as a sentence counts them. */
  called: string
}

/**
 * Keeps an account from filling the database and the queue with what nobody can work off as fast. One that was asked for an
 * hour ago and has not ended no longer counts.
 *
 * @param id of the one that is about to be stored, which an earlier attempt may have stored
 * @throws GalleyError 429 `TOO_MANY_JOBS`
 */
export async function assertJobQuota(
  pool: Pool,
  { table, ended, called }: LongJobTable,
  { id, accountId }: { id: string; accountId: string },
): Promise<void> {
  const { rowCount } = await pool.query(
    named(
      `SELECT FROM ${table} WHERE account_id = :accountId AND id > :since AND ${ended} IS NULL AND id <> :id
       ORDER BY id DESC LIMIT ${MAX_UNFINISHED_JOBS}`,
      { id, accountId, since: lowestSince(Date.now() - COUNTED_FOR_MS) },
    ),
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

/**
 * Plans again those that have not ended and that the queue does not know: what waits since its account was disabled goes on
 * when that is enabled. What was tried too often the queue tries anew by itself, a night later (jobs/runner.ts).
 *
 * @param payload SQL expressions about `t`, a row of the table
 */
export async function requeueUnfinished<Payload extends z.ZodObject>(
  pool: Pool,
  { table, ended }: Pick<LongJobTable, 'table' | 'ended'>,
  job: JobType<Payload>,
  payload: PayloadSql<Payload>,
): Promise<void> {
  await pool.query(
    `SELECT ${addJob(job, payload)} FROM ${table} t
     WHERE t.${ended} IS NULL AND ${IS_ACCOUNT_ENABLED('t.account_id')} AND NOT ${isInQueue(job, payload)}`,
  )
}

/** A condition: nobody has disabled the account. What is under way for one that is disabled waits, as its deliveries do. */
export const IS_ACCOUNT_ENABLED = (accountId: string): string =>
  `EXISTS (SELECT FROM account WHERE account.id = ${accountId} AND account.disabled_at IS NULL)`

/** Whether nobody has disabled an account: asked between two parts of what is long. */
export async function isAccountEnabled(pool: Pool, accountId: string): Promise<boolean> {
  const { rowCount } = await pool.query(
    named(`SELECT WHERE ${IS_ACCOUNT_ENABLED(':accountId::uuid')}`, { accountId }),
  )
  return rowCount === 1
}

const lowestSince = (msecs: number): string => uuid({ msecs, seq: 0, random: new Uint8Array(16) })
