import { named } from '../../database/named.ts'
import { enqueue } from '../../jobs/job.ts'
import { task, type Worker } from '../../jobs/task.ts'
import { planUnfinished } from '../../jobs/under-way.ts'
import { forgetImportsJob, importJob } from './jobs.ts'
import type { ImportNeeds } from './run.ts'
import { IMPORTS } from './store.ts'

/** What imports need done: their lines, and that old reports are removed. */
export const importWork =
  (needs: ImportNeeds & { retentionDays: number }): Worker =>
  ({ stopping }) => ({
    tasks: [
      task(importJob, async ({ importId, accountId }) => {
        // Few ask for one.
        const { runImport } = await import('./run.ts')
        if (await runImport(needs, importId, stopping)) return
        await enqueue(needs.pool, importJob, { importId, accountId })
      }),
      task(
        forgetImportsJob,
        async () => {
          const { pool, retentionDays: days } = needs
          if (days > 0) await pool.query(named(FORGET, { days }))
        },
        '51 3 * * *',
      ),
    ],
    sweep: {
      rarely: () =>
        planUnfinished(needs.pool, IMPORTS, importJob, { importId: 't.id', accountId: 't.account_id' }),
    },
  })

/** A file has 500 lines at most, so that these are not many rows. */
const FORGET = `DELETE FROM site_import WHERE ended_at < now() - make_interval(days => :days)`
