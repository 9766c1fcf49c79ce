import type { Pool } from 'pg'
import type { ByteBudget } from '../bytes/index.ts'
import type { PlanRejection, UpstreamEvent } from '../intake/direct.ts'
import { addJob, createTask, enqueue, type WorkFactory } from '../jobs/job.ts'
import { IS_ACCOUNT_ENABLED } from '../jobs/unfinished-jobs.ts'
import type { UpstreamClient } from '../upstream/ask.ts'
import { findUnannounced } from './find-unannounced.ts'
import { pollDueDocuments } from './poll.ts'
import { backfillJob, pollUpstreamJob } from './requests.ts'

interface BackfillOptions {
  pool: Pool
  budget: ByteBudget
  upstreams: UpstreamClient
  store(event: UpstreamEvent): Promise<PlanRejection>
  timing: { firstBackoffMs: number }
}

/** Times the default first pause of a delivery, 10 s: five minutes. */
const FIRST_PAUSE_FACTOR = 30

/** Days that a finished document is listed. */
const KEPT_DAYS = 30

/** Rows per statement. */
const BATCH = 1_000

/** The tasks of backfill: a search for missed documents every minute, and the polls. */
export const backfillWork =
  ({ pool, budget, upstreams, store, timing }: BackfillOptions): WorkFactory =>
  ({ stopping }) => {
    const firstMs = FIRST_PAUSE_FACTOR * timing.firstBackoffMs
    return {
      tasks: [
        createTask(
          backfillJob,
          async () => {
            await findUnannounced(pool, firstMs)
            await schedulePolls(pool)
            await pruneFinished(pool)
          },
          '* * * * *',
        ),
        createTask(pollUpstreamJob, async ({ accountId, sourceId }) => {
          const asking = { pool, budget, upstreams, store, stopping, firstMs }
          if (await pollDueDocuments(asking, { accountId, id: sourceId }))
            await enqueue(pool, pollUpstreamJob, { accountId, sourceId })
        }),
      ],
    }
  }

/** Enqueues a poll for every source with due documents whose upstream is not paused. */
const schedulePolls = (pool: Pool) =>
  pool.query(
    `SELECT ${addJob(pollUpstreamJob, { accountId: 's.account_id', sourceId: 's.id' })} FROM source s
     WHERE s.upstream_api_key IS NOT NULL AND s.disabled_at IS NULL AND s.removed_at IS NULL
       AND ${IS_ACCOUNT_ENABLED('s.account_id')}
       AND coalesce(s.upstream_paused_until <= now(), true)
       AND EXISTS (SELECT FROM backfill_document b WHERE b.source_id = s.id AND b.due_at <= now())`,
  )

const pruneFinished = (pool: Pool) =>
  pool.query(
    `DELETE FROM backfill_document WHERE (source_id, document_id) IN (
       SELECT source_id, document_id FROM backfill_document
       WHERE ended_at < now() - interval '${KEPT_DAYS} days' ORDER BY ended_at LIMIT ${BATCH})`,
  )
