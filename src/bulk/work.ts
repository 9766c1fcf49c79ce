import type { Pool } from 'pg'
import { isTransientDatabaseError } from '../database/errors.ts'
import { named } from '../database/statement.ts'
import { createTask, enqueue, type WorkFactory } from '../jobs/job.ts'
import { requeueUnfinished } from '../jobs/unfinished-jobs.ts'
import type { Logger } from '../log/log.ts'
import type { ActionContext } from './act.ts'
import { BULK_JOBS, bulkJob, forgetBulkJob } from './job.ts'

type BulkDependencies = ActionContext & {
  log: Logger
  /** Days that reports are kept; 0 for ever. */
  retentionDays: number
}

/** Rows a statement: short enough that nobody waits behind it. */
const BATCH = 2_000

/** What bulk jobs need done: their items, and that old reports are removed. */
export const bulkWork =
  (needs: BulkDependencies): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(bulkJob, async ({ bulkId, accountId }) => {
        if (await runOrFail(needs, bulkId, stopping)) return
        await enqueue(needs.pool, bulkJob, { bulkId, accountId })
      }),
      createTask(
        forgetBulkJob,
        async () => {
          if (needs.retentionDays > 0) await deleteOldBulkJobs(needs.pool, needs.retentionDays)
        },
        '41 3 * * *',
      ),
    ],
    sweep: {
      rarely: () =>
        requeueUnfinished(needs.pool, BULK_JOBS, bulkJob, { bulkId: 't.id', accountId: 't.account_id' }),
    },
  })

/** What is no fault of the database's would be one the next time, too. */
async function runOrFail(needs: BulkDependencies, id: string, stopping: AbortSignal): Promise<boolean> {
  // Few ask for one.
  const { runBulk } = await import('./run.ts')
  try {
    return await runBulk(needs, id, stopping)
  } catch (error) {
    if (isTransient(error)) throw error
    needs.log.error({ err: error, bulk: id }, 'a bulk job failed')
    await needs.pool.query(named(FAIL, { id }))
    return true
  }
}

/** Several items may have met it at once. */
const isTransient = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.some(isTransient) : isTransientDatabaseError(error)

const FAIL = `
  UPDATE bulk_job SET status = 'failed', ended_at = now(), fence = fence + 1 WHERE id = :id AND ended_at IS NULL`

/** Removes the jobs that ended longer than `days` ago, their items in batches first. */
export async function deleteOldBulkJobs(pool: Pool, days: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(named(OLDEST_BULK_JOBS, { days }))
    const [oldest] = rows
    if (oldest === undefined) return
    const { rowCount } = await pool.query(named(DELETE_BULK_ITEMS, oldest))
    if (rowCount !== BATCH) await pool.query(named('DELETE FROM bulk_job WHERE id = :id', oldest))
  }
}

const OLDEST_BULK_JOBS = `
  SELECT id FROM bulk_job WHERE ended_at < now() - make_interval(days => :days) ORDER BY ended_at LIMIT 1`

const DELETE_BULK_ITEMS = `
  DELETE FROM bulk_item WHERE job_id = :id AND item_id = ANY (ARRAY(
    SELECT item_id FROM bulk_item WHERE job_id = :id ORDER BY item_id LIMIT ${BATCH}))`
