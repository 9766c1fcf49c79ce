import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { named } from '../database/named.ts'
import { storableJson } from '../database/storable.ts'
import type { Queryable } from '../database/transaction.ts'
import { addJob } from '../jobs/job.ts'
import { IS_ENABLED, refuseTooMany } from '../jobs/under-way.ts'
import { bulkJob } from './jobs.ts'
import type { Action, NewBulk, Reason } from './schema.ts'

/** A bulk job under way. */
export interface Job {
  id: string
  accountId: string
  siteIds: string[] | null
  action: Action
  filter: unknown
  parameters: unknown
  dryRun: boolean
  status: 'collecting' | 'working'
  fence: number
  collected: string | null
  createdAt: Date
  reasons: Reason[]
}

/**
 * Stores a job, and the queue's with it. The same id again changes nothing.
 *
 * @returns the id
 * @throws GalleyError 429 `TOO_MANY_JOBS`
 */
export async function storeBulk(
  pool: Pool,
  {
    id = uuid(),
    ...job
  }: NewBulk & { id?: string; accountId: string; keyId: string; siteIds: string[] | null },
): Promise<string> {
  const { filter, parameters, siteIds, ...columns } = job
  await refuseTooMany(pool, BULK, { id, accountId: job.accountId })
  await pool.query(
    named(STORE, {
      id,
      ...columns,
      filter: storableJson(filter),
      parameters: storableJson(parameters),
      siteIds: siteIds === null ? null : JSON.stringify(siteIds),
    }),
  )
  return id
}

export const BULK = { table: 'bulk_job', ended: 'ended_at', called: 'bulk jobs' } as const

const STORE = `
  WITH stored AS (
    INSERT INTO bulk_job (id, account_id, key_id, action, filter, parameters, site_ids, dry_run)
    VALUES (:id, :accountId, :keyId, :action, :filter::jsonb, :parameters::jsonb, :siteIds::jsonb, :dryRun)
    ON CONFLICT (id) DO NOTHING RETURNING id
  )
  SELECT ${addJob(bulkJob, { bulkId: 'id', accountId: ':accountId::uuid' })} FROM stored`

/** Takes a job for this process; undefined where it has ended, or its account was removed or disabled. */
export async function claimBulk(database: Queryable, id: string): Promise<Job | undefined> {
  const { rows } = await database.query<Job>(
    named(
      `UPDATE bulk_job SET fence = fence + 1 WHERE id = :id AND ended_at IS NULL AND ${IS_ENABLED('account_id')}
       RETURNING id, account_id AS "accountId", site_ids AS "siteIds", action, filter, parameters,
         dry_run AS "dryRun", status, fence, collected, created_at AS "createdAt", reasons`,
      { id },
    ),
  )
  return rows[0]
}

/** Ends a job. */
export const endBulk = (
  database: Queryable,
  { id, fence }: Pick<Job, 'id' | 'fence'>,
  status: 'done' | 'cancelled',
): Promise<unknown> =>
  database.query(
    named('UPDATE bulk_job SET status = :status, ended_at = now() WHERE id = :id AND fence = :fence', {
      id,
      fence,
      status,
    }),
  )
