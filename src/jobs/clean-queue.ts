import { makeWorkerUtils } from 'graphile-worker'
import type { Pool } from 'pg'
import { z } from 'zod'
import { defineJob } from './job.ts'
import { type Task, task } from './task.ts'

/**
 * Once a night: what was tried too often is tried anew, since nobody else may ever plan it again; and the queues of sites
 * that are gone are removed. What has no key comes by its timetable and will come again: of that, nothing is kept.
 */
export const cleaning = (pool: Pool): Task =>
  task(
    defineJob({ name: 'clean_queue', payload: z.object({}) }),
    async () => {
      await pool.query(TRY_ANEW)
      const utils = await makeWorkerUtils({ pgPool: pool })
      await utils.cleanup({ tasks: ['DELETE_PERMAFAILED_JOBS', 'GC_JOB_QUEUES'] })
      await utils.release()
    },
    '47 3 * * *',
  )

const TRY_ANEW = `
  SELECT FROM graphile_worker.reschedule_jobs(ARRAY(
    SELECT id FROM graphile_worker.jobs WHERE key IS NOT NULL AND attempts >= max_attempts AND locked_at IS NULL
  ), run_at => now(), attempts => 0)`
