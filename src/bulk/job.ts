import { isDeepStrictEqual } from 'node:util'
import type { Pool } from 'pg'
import { z } from 'zod'
import type { BulkJob } from '../database/generated/client.ts'
import { execute, MANY_ROWS, queryRows, storableJson } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { deliveryCondition, deliveryFilterSchema } from '../delivery/api/filter.ts'
import { addJob, assertJobQuota, defineJob, IS_ACCOUNT_ENABLED, laneOf } from '../jobs/job.ts'
import { siteCondition, siteFilterSchema } from '../sites/list.ts'
import { siteUnknown } from '../sites/registry.ts'
import { MAX_LABELS } from '../sites/schema.ts'
import { siteSettingsSchema } from '../sites/settings.ts'
import { tooManyLabels } from '../sites/update.ts'
import {
  type Action,
  actions,
  type DeliveryAction,
  isDeliveryAction,
  isUndoable,
  type NewBulk,
  type Reason,
} from './schema.ts'

/** Bulk jobs of an account that are under way side by side: however many it asks for, others do not wait for them. */
const LANES = 4

export const bulkJob = defineJob({
  name: 'bulk',
  payload: z.object({ bulkId: z.guid(), accountId: z.guid() }),
  queue: ({ bulkId, accountId }) => `('bulk:' || ${accountId} || ':' || ${laneOf(bulkId, LANES)})`,
  key: ({ bulkId }) => `('bulk:' || ${bulkId})`,
})

export interface BulkJobRun
  extends Pick<
    BulkJob,
    'id' | 'accountId' | 'filter' | 'parameters' | 'dryRun' | 'fence' | 'collected' | 'createdAt'
  > {
  /** The only sites that its key saw when it was made; null for all. */
  siteIds: string[] | null
  action: Action
  status: 'collecting' | 'working'
  reasons: Reason[]
}

interface StoredBulk
  extends NewBulk,
    Pick<BulkJob, 'id' | 'accountId' | 'keyId'>,
    Pick<BulkJobRun, 'siteIds'> {}

/** Stores a job once by its id, and queues it. @throws GalleyError 429 `TOO_MANY_JOBS` */
export async function storeBulk(
  pool: Pool,
  { filter, parameters, siteIds, ...columns }: StoredBulk,
): Promise<void> {
  await assertJobQuota(pool, BULK_JOBS, columns)
  await execute(pool, STORE_BULK, {
    ...columns,
    filter: storableJson(filter),
    parameters: storableJson(parameters),
    siteIds: siteIds === null ? null : JSON.stringify(siteIds),
  })
}

export const BULK_JOBS = { table: 'bulk_job', called: 'bulk jobs' } as const

const STORE_BULK = `
  WITH stored AS (
    INSERT INTO bulk_job (id, account_id, key_id, action, filter, parameters, site_ids, dry_run)
    VALUES (:id, :accountId, :keyId, :action, :filter::jsonb, :parameters::jsonb, :siteIds::jsonb, :dryRun)
    ON CONFLICT (id) DO NOTHING RETURNING id
  )
  SELECT ${addJob(bulkJob, { bulkId: 'id', accountId: ':accountId::uuid' })} FROM stored`

/** Takes a job for this process; undefined where it has ended, or its account was removed or disabled. */
export async function claimBulk(database: Queryable, id: string): Promise<BulkJobRun | undefined> {
  const rows = await queryRows<BulkJobRun>(
    database,
    `UPDATE bulk_job SET fence = fence + 1 WHERE id = :id AND ended_at IS NULL AND ${IS_ACCOUNT_ENABLED('account_id')}
     RETURNING id, account_id AS "accountId", site_ids AS "siteIds", action, filter, parameters,
       dry_run AS "dryRun", status, fence, collected, created_at AS "createdAt", reasons`,
    { id },
  )
  return rows[0]
}

export const endBulk = (
  database: Queryable,
  { id, fence }: Pick<BulkJobRun, 'id' | 'fence'>,
  status: 'done' | 'cancelled',
): Promise<unknown> =>
  execute(
    database,
    'UPDATE bulk_job SET status = :status, ended_at = now() WHERE id = :id AND fence = :fence',
    { id, fence, status },
  )

/** Without a status, what is at rest is left out: nobody means by "retry" all that was ever delivered. By "withdraw" they do. */
function matchStatement({ accountId, siteIds, action, filter, parameters }: BulkJobRun) {
  if (!isDeliveryAction(action)) {
    const { sql, values } = siteCondition({ accountId, siteIds }, siteFilterSchema.parse(filter))
    const undoes = action === 'undo' ? actions.undo.parse(parameters).bulk_id : null
    return {
      table: 'site',
      sql: `EXISTS (SELECT FROM site s WHERE s.account_id = d.account_id AND s.id = d.id AND ${sql})
        ${undoes === null ? '' : `AND EXISTS (SELECT FROM bulk_item i WHERE i.job_id = :undoes AND i.item_id = d.id AND i.status = 'done' AND i.before IS NOT NULL)`}`,
      values: { ...values, ...(undoes !== null && { undoes }) },
    }
  }
  const read = deliveryFilterSchema.parse(filter)
  const { sql, values } = deliveryCondition({ accountId, siteIds }, read)
  const named = read.status !== undefined || read.attention !== undefined
  return { table: 'delivery', sql: `(${sql}) AND ${deliveryMatch(action, named)}`, values }
}

const deliveryMatch = (action: DeliveryAction, named: boolean): string => {
  if (action === 'release') return `d.status = 'held'`
  if (named) return 'true'
  return action === 'withdraw'
    ? `d.status = 'delivered'`
    : `d.status NOT IN ('delivered', 'cancelled', 'kept', 'withdrawn')`
}

/**
 * Writes down the next of what matches, in the order of the ids: the set is fixed before anything is done, so that nothing that
 * the job itself changes slips out of it or into it.
 * @returns where the job stands then; undefined where another process has it
 */
export async function collectBatch(database: Queryable, job: BulkJobRun) {
  const { table, sql, values } = matchStatement(job)
  const { id, fence, collected, createdAt } = job
  const rows = await queryRows<Pick<BulkJobRun, 'status' | 'collected'>>(
    database,
    `WITH next AS MATERIALIZED (
       SELECT d.id FROM ${table} d
       WHERE d.account_id = :accountId AND ${sql} AND d.created_at <= :createdAt
         AND d.id > coalesce(:collected::uuid, '00000000-0000-0000-0000-000000000000')
       ORDER BY d.id LIMIT :batch
     ), added AS (
       INSERT INTO bulk_item (job_id, item_id) SELECT :jobId::uuid, id FROM next ON CONFLICT DO NOTHING
     )
     UPDATE bulk_job SET matched = matched + (SELECT count(*)::int FROM next),
       collected = coalesce((SELECT id FROM next ORDER BY id DESC LIMIT 1), collected),
       status = CASE WHEN cancelled_at IS NOT NULL OR (SELECT count(*) FROM next) < :batch THEN 'working' ELSE 'collecting' END
     WHERE id = :jobId AND fence = :fence RETURNING status, collected`,
    { ...values, jobId: id, fence, collected, createdAt, batch: MANY_ROWS },
  )
  return rows[0]
}

export const ITEM_BATCH = 50

export interface ItemTurn {
  id: string
  /** A process began with it and did not say how it ended. */
  begun: boolean
  matches: boolean
}

export interface ItemResult {
  id: string
  /** `waiting`: it was not touched, and its turn comes again. */
  outcome: Reason['outcome']
  code: string | null
  message: string | null
}

/** The next items, marked as begun; those of a dead process first. @returns undefined if the job is lost */
export async function nextItems(database: Queryable, job: BulkJobRun): Promise<ItemTurn[] | undefined> {
  const { table, sql, values } = matchStatement(job)
  const rows = await queryRows<{ turns: ItemTurn[] | null }>(
    database,
    `WITH job AS (
       SELECT id FROM bulk_job WHERE id = :jobId AND fence = :fence AND cancelled_at IS NULL FOR UPDATE
     ), next AS MATERIALIZED (
       (SELECT item_id, true AS begun FROM bulk_item
        WHERE job_id = :jobId AND status = 'begun' AND EXISTS (SELECT FROM job) ORDER BY item_id LIMIT ${ITEM_BATCH})
       UNION ALL
       (SELECT item_id, false FROM bulk_item
        WHERE job_id = :jobId AND status = 'waiting' AND EXISTS (SELECT FROM job) ORDER BY item_id LIMIT ${ITEM_BATCH})
       LIMIT ${ITEM_BATCH}
     ), begun AS (
       UPDATE bulk_item SET status = 'begun', before = CASE WHEN :remembers::bool THEN (
         SELECT jsonb_build_object('labels', s.labels, 'settings', s.settings) FROM site s
         WHERE s.account_id = :accountId AND s.id = next.item_id) END
       FROM next
       WHERE bulk_item.job_id = :jobId AND bulk_item.item_id = next.item_id AND NOT next.begun
     )
     SELECT (
       SELECT json_agg(json_build_object('id', next.item_id, 'begun', next.begun, 'matches', EXISTS (
         SELECT FROM ${table} d WHERE d.account_id = :accountId AND d.id = next.item_id AND ${sql})))
       FROM next) AS turns
     FROM job`,
    { ...values, jobId: job.id, fence: job.fence, remembers: isUndoable(job) },
  )
  return rows[0] && (rows[0].turns ?? [])
}

interface ChangedSite {
  labels: string[]
  settings: object
  before: { labels: string[]; settings: object }
  action: Action
  parameters: unknown
}

/** What a site had before a job changed it, of what that changed; labels and settings that others gave it since stay. @throws GalleyError 404, 422 `TOO_MANY_LABELS` */
export async function valuesBefore(
  database: Queryable,
  { accountId, id, parameters }: { accountId: string; id: string; parameters: unknown },
): Promise<object> {
  const [changed] = await queryRows<ChangedSite>(
    database,
    `SELECT s.labels, s.settings, i.before, j.action, j.parameters FROM bulk_job j
     JOIN bulk_item i ON i.job_id = j.id JOIN site s ON s.account_id = j.account_id AND s.id = i.item_id
     WHERE j.account_id = :accountId AND j.id = :bulkId AND i.item_id = :id AND i.before IS NOT NULL`,
    { accountId, id, bulkId: actions.undo.parse(parameters).bulk_id },
  )
  if (changed === undefined) throw siteUnknown({ accountId, id })
  const { labels, before } = changed
  if (changed.action === 'label') {
    const { add, remove } = actions.label.parse(changed.parameters)
    const kept = labels.filter((label) => before.labels.includes(label) || !add.includes(label))
    const lost = before.labels.filter((label) => remove.includes(label))
    const restored = [...new Set([...kept, ...lost])]
    if (restored.length > MAX_LABELS) throw tooManyLabels()
    return { labels: restored }
  }
  const { render: changes = {}, ...others } = actions.settings.parse(changed.parameters)
  const { render, ...had } = siteSettingsSchema.parse(before.settings)
  const { render: renderNow, ...now } = siteSettingsSchema.parse(changed.settings)
  return { settings: { ...undone(had, others, now), render: undone(render, changes, renderNow) } }
}

type Values = Record<string, unknown>

/** What was before a change, of what still is as it made it. */
const undone = (before: Values, change: Values, now: Values): Values =>
  Object.fromEntries(
    Object.keys(change)
      .filter((name) => isDeepStrictEqual(now[name], change[name]))
      .map((name) => [name, before[name]]),
  )

/** Writes down what became of items. @returns whether the job is still this process's */
export async function recordItems(database: Queryable, job: BulkJobRun, results: ItemResult[]) {
  const of = (outcome: ItemResult['outcome']) => results.filter((result) => result.outcome === outcome).length
  const rowCount = await execute(
    database,
    `WITH job AS (
       UPDATE bulk_job SET done = done + :done, skipped = skipped + :skipped, failed = failed + :failed,
         reasons = :reasons::jsonb
       WHERE id = :jobId AND fence = :fence RETURNING id
     ), recorded AS (
       UPDATE bulk_item i SET status = given.outcome, code = given.code, message = given.message
       FROM jsonb_to_recordset(:results::jsonb) AS given (id uuid, outcome text, code text, message text)
       WHERE i.job_id = :jobId AND i.item_id = given.id AND EXISTS (SELECT FROM job)
     )
     SELECT FROM job`,
    {
      jobId: job.id,
      fence: job.fence,
      ...{ done: of('done'), skipped: of('skipped'), failed: of('failed') },
      reasons: JSON.stringify(job.reasons),
      results: storableJson(results),
    },
  )
  return rowCount === 1
}
