import { execute } from '../../database/statement.ts'
import { createRetentionTask, createTask, enqueue, type WorkFactory } from '../../jobs/job.ts'
import { requeueUnfinished } from '../../jobs/unfinished-jobs.ts'
import { IMPORTS, importJob } from './job.ts'
import { type ImportDependencies, runImport } from './run.ts'

/** Tasks of imports: their lines, and the removal of old reports. */
export const importWork =
  (needs: ImportDependencies & { retentionDays: number }): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(importJob, async ({ importId, accountId }) => {
        if (await runImport(needs, importId, stopping)) return
        await enqueue(needs.pool, importJob, { importId, accountId })
      }),
      createRetentionTask('forget_imports', '51 3 * * *', needs, async (days) => ({
        imports: await execute(needs.pool, FORGET, { days }),
      })),
    ],
    sweep: {
      rarely: () =>
        requeueUnfinished(needs.pool, IMPORTS, importJob, { importId: 't.id', accountId: 't.account_id' }),
    },
  })

/** A file has at most 500 lines, so one statement suffices. */
const FORGET = `DELETE FROM site_import WHERE ended_at < now() - make_interval(days => :days)`
