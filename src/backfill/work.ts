import type { Pool } from 'pg'
import type { ByteBudget } from '../bytes/index.ts'
import type { Unplanned, UpstreamEvent } from '../intake/upstream.ts'
import { addJob, enqueue } from '../jobs/job.ts'
import { task, type Worker } from '../jobs/task.ts'
import { IS_ENABLED } from '../jobs/under-way.ts'
import type { Upstreams } from '../upstream/ask.ts'
import { findUnannounced } from './find.ts'
import { askJob, backfillJob } from './jobs.ts'
import { askForDue } from './poll.ts'

interface Needs {
  pool: Pool
  budget: ByteBudget
  upstreams: Upstreams
  store(event: UpstreamEvent): Promise<Unplanned>
  timing: { firstBackoffMs: number }
}

/** With the standard first pause of a delivery, 10 s: five minutes. */
const FIRST = 30

/** Days that what was asked for is shown after its end. */
const KEPT_DAYS = 30

/** Rows a statement. */
const BATCH = 1_000

/** What backfill needs done: every minute a look for what may have been missed, and the asking. */
export const backfillWork =
  ({ pool, budget, upstreams, store, timing }: Needs): Worker =>
  ({ stopping }) => {
    const firstMs = FIRST * timing.firstBackoffMs
    return {
      tasks: [
        task(
          backfillJob,
          async () => {
            await findUnannounced(pool, firstMs)
            await wake(pool)
            await forget(pool)
          },
          '* * * * *',
        ),
        task(askJob, async ({ accountId, sourceId }) => {
          const asking = { pool, budget, upstreams, store, stopping, firstMs }
          if (await askForDue(asking, { accountId, id: sourceId }))
            await enqueue(pool, askJob, { accountId, sourceId })
        }),
      ],
    }
  }

/** Has the upstreams asked of which something is due, but for those that are left alone. */
const wake = (pool: Pool) =>
  pool.query(
    `SELECT ${addJob(askJob, { accountId: 's.account_id', sourceId: 's.id' })} FROM source s
     WHERE s.upstream_api_key IS NOT NULL AND s.disabled_at IS NULL AND s.removed_at IS NULL
       AND ${IS_ENABLED('s.account_id')}
       AND coalesce(s.upstream_paused_until <= now(), true)
       AND EXISTS (SELECT FROM backfill_document b WHERE b.source_id = s.id AND b.due_at <= now())`,
  )

const forget = (pool: Pool) =>
  pool.query(
    `DELETE FROM backfill_document WHERE (source_id, document_id) IN (
       SELECT source_id, document_id FROM backfill_document
       WHERE ended_at < now() - interval '${KEPT_DAYS} days' ORDER BY ended_at LIMIT ${BATCH})`,
  )
