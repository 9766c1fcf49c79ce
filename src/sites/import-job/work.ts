import { named } from '../../database/statement.ts'
import { createTask, enqueue, type WorkFactory } from '../../jobs/job.ts'
import { requeueUnfinished } from '../../jobs/unfinished-jobs.ts'
import { forgetImportsJob, IMPORTS, importJob } from './job.ts'
import type { ImportDependencies } from './run.ts'

/** Tasks of imports: their lines, and the removal of old reports. */
export const importWork =
  (needs: ImportDependencies & { retentionDays: number }): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(importJob, async ({ importId, accountId }) => {
        // Loaded on demand: imports are rare.
        const { runImport } = await import('./run.ts')
        if (await runImport(needs, importId, stopping)) return
        await enqueue(needs.pool, importJob, { importId, accountId })
      }),
      createTask(
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
        requeueUnfinished(needs.pool, IMPORTS, importJob, { importId: 't.id', accountId: 't.account_id' }),
    },
  })

/** A file has at most 500 lines, so one statement suffices. */
const FORGET = `DELETE FROM site_import WHERE ended_at < now() - make_interval(days => :days)`
