import { Pool } from 'pg'
import { pino } from 'pino'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { orphansJob, siteWorkerJob } from '../../src/delivery/jobs.ts'
import { defineJob } from '../../src/jobs/job.ts'
import { type JobRunner, startJobs } from '../../src/jobs/runner.ts'
import { task } from '../../src/jobs/task.ts'
import { standardTiming } from '../../src/jobs/timing.ts'
import { checkAfterFailureJob } from '../../src/sites/health/jobs.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'

// Jobs that wait under the name that an older Galley had for them, as after an upgrade or out of its backup.

const kinds = [siteWorkerJob, orphansJob, checkAfterFailureJob]
const done: string[] = []

let database: FreshDatabase
let pool: Pool
let jobs: JobRunner
beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 6 })
  const tasks = kinds.map(({ name, formerly }) =>
    task(defineJob({ name, formerly, payload: z.object({ called: z.string() }) }), async ({ called }) => {
      done.push(`${called} as ${name}`)
    }),
  )
  const log = pino({ level: 'silent' })
  jobs = await startJobs({ pool, log, timing: standardTiming, onLost: () => undefined }, [() => ({ tasks })])
})
afterAll(async () => {
  await jobs.stop(AbortSignal.timeout(10_000))
  await pool.end()
  await database.drop()
})

test('are done as those of today are', async () => {
  const names = ['pump', 'site_worker', 'tidy', 'reconcile_orphans', 'examine_site', 'check_site']
  for (const name of names)
    await pool.query(`SELECT graphile_worker.add_job($1, json_build_object('called', $1::text))`, [name])
  await expect.poll(() => done.length).toBe(names.length)
  expect(done.sort()).toEqual([
    'check_site as check_site',
    'examine_site as check_site',
    'pump as site_worker',
    'reconcile_orphans as reconcile_orphans',
    'site_worker as site_worker',
    'tidy as reconcile_orphans',
  ])
})
