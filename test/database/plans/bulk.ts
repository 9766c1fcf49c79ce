import type { Pool } from 'pg'
import { expect } from 'vitest'
import { deleteOldBulkJobs } from '../../../src/bulk/run.ts'
import type { Database } from '../../../src/database/client.ts'
import { openKeyring, parseSecretKeys } from '../../../src/secrets/keyring.ts'
import { storeImport } from '../../../src/sites/import-job/job.ts'
import type { TestGalley } from '../../support/galley.ts'
import { completed } from '../../support/webhooks.ts'

type Run = (sql: string, ...values: unknown[]) => Promise<unknown>

/** Reports of thousands of bulk jobs, a hundred of them long, and of imports. */
export async function fillBulk(run: Run, accountId: string, rows: number): Promise<void> {
  await run(
    `WITH jobs AS MATERIALIZED (
       SELECT n, uuidv7() AS id, now() - n * interval '20 minutes' AS at FROM generate_series(1, 5000) AS n
     ), bulk AS (
       INSERT INTO bulk_job (id, account_id, key_id, action, filter, parameters, dry_run, status, created_at, ended_at)
       SELECT id, $1, id, 'retry', '{}', '{}', false, 'done', at, at FROM jobs
     ), items AS (
       INSERT INTO bulk_item (job_id, item_id, status)
       SELECT jobs.id, uuidv7(), 'done' FROM jobs, generate_series(1, $2::int / 100) WHERE n <= 100
     ), imports AS (
       INSERT INTO site_import (id, account_id, dry_run, created_at, ended_at) SELECT id, $1, false, at, at FROM jobs
     )
     INSERT INTO site_import_line (id, import_id, line, status, site_id)
     SELECT uuidv7(), jobs.id, line, 'connected', uuidv7() FROM jobs, generate_series(2, $2::int / 100) AS line WHERE n <= 100`,
    accountId,
    rows,
  )
}

/** Everything that is asked for many at once, and what is done for it. */
export async function useBulk(
  { call }: TestGalley,
  { pool, prisma }: Pick<Database, 'pool' | 'prisma'>,
  { works, secretKeys }: { works: string; secretKeys: string },
): Promise<void> {
  // With those it has, too many: then it is looked whether there is such a site.
  const fifty = Array.from({ length: 50 }, (_, number) => `another ${number}`)
  const asked = [
    { action: 'release', filter: { status: 'held' }, dry_run: true },
    { action: 'retry', filter: { site_id: works, search: 'nobody has it' }, dry_run: true },
    { action: 'cancel', filter: { status: 'failed' }, dry_run: true },
    { action: 'retry', filter: { delivery_id: [works] }, dry_run: true },
    { action: 'label', filter: { site_id: works }, parameters: { add: ['one'] } },
    { action: 'label', filter: { site_id: works }, parameters: { add: fifty } },
    { action: 'pause', filter: { site_id: works }, dry_run: true },
    { action: 'resume', filter: { site_id: works } },
    { action: 'check', filter: { site_id: works }, dry_run: true },
  ]
  for (const body of asked) {
    const made = await call<{ id: string }>('POST', '/v1/bulk', body)
    const job = async () =>
      (await call<{ data: { status: string } }>('GET', `/v1/bulk/${made.body.id}`)).body.data.status
    await expect.poll(job).toBe('done')
    await call('GET', `/v1/bulk/${made.body.id}/items`)
    await call('GET', `/v1/bulk/${made.body.id}/items?outcome=failed`)
    await call('POST', `/v1/bulk/${made.body.id}/cancel`)
    if (body.action === 'label')
      asked.push({ action: 'undo', filter: {}, parameters: { bulk_id: made.body.id } } as never)
  }
  await call('GET', '/v1/bulk')
  await call('POST', '/v1/preview/matrix', { data: completed().data, site_ids: [works] })
  const accountId = await accountOf(pool, works)
  const keyring = openKeyring(parseSecretKeys(secretKeys, 'this test'))
  const csv = 'url,username,application_password\nhttp://127.0.0.1:9,u,p'
  const imported = await storeImport({ prisma, keyring, pool }, { accountId, csv, dryRun: false })
  const progress = async () =>
    (await call<{ data: { status: string } }>('GET', `/v1/imports/${imported}`)).body.data.status
  await expect.poll(progress).toBe('done')
  for (const job of ['forget_bulk', 'forget_imports'])
    await pool.query(`-- of the test\n SELECT graphile_worker.add_job($1)`, [job])
  await deleteOldBulkJobs(pool, 40)
}

const accountOf = async (pool: Pool, siteId: string): Promise<string> =>
  (await pool.query('-- of the test\n SELECT account_id FROM site WHERE id = $1', [siteId])).rows[0]
    .account_id
