import pMap, { pMapSkip } from 'p-map'
import type { Pool } from 'pg'
import { databaseFailure, isTransientDatabaseError } from '../database/errors.ts'
import { execute, inBatches, storableText } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { apiCode, GalleyError, isInterrupted } from '../errors.ts'
import {
  createRetentionTask,
  createTask,
  enqueue,
  isAccountEnabled,
  requeueUnfinished,
  type WorkFactory,
} from '../jobs/job.ts'
import { excerpt } from '../lib/text.ts'
import { type ActionContext, actionHandlers, rollBack } from './act.ts'
import {
  BULK_JOBS,
  type BulkJobRun,
  bulkJob,
  claimBulk,
  collectBatch,
  endBulk,
  ITEM_BATCH,
  type ItemResult,
  type ItemTurn,
  nextItems,
  recordItems,
} from './job.ts'
import type { Reason } from './schema.ts'

/** Items that are touched side by side and not together, each with a connection to the database. Those that wait for sites are so all at once. */
const CONCURRENCY = 4

/** Milliseconds after which a job lets others go on that wait for its place, and goes on after them. */
const TURN_MS = 5_000

const MAX_REASONS = 50

/** What was in order, and is not this item's turn, or its turn any more. */
const SKIPPED_CODES = new Set([
  'DELIVERY_UNDER_WAY',
  'DELIVERY_DONE',
  'DELIVERY_NOT_FOUND',
  'NOT_FOUND',
  'DELIVERY_EXISTS',
  'DELIVERY_HAS_NO_POST',
  'POST_EDITED',
])

/**
 * Works on a bulk job until it has ended, its turn is over, or this process is to stop. An item is begun in the database before
 * it is touched; one whose process ended then is touched again only if it still is as the filter wants it.
 * @returns whether there is nothing left to do, now at least
 */
export async function runBulk(
  needs: ActionContext,
  id: string,
  stopping: AbortSignal,
  turnMs = TURN_MS,
): Promise<boolean> {
  const { pool } = needs
  const until = performance.now() + turnMs
  const turnIsOver = () => performance.now() > until
  const job = await claimBulk(pool, id)
  if (job === undefined) return true
  while (job.status === 'collecting') {
    if (stopping.aborted) return false
    const stands = await collectBatch(pool, job)
    if (stands === undefined) return true
    Object.assign(job, stands)
    if (turnIsOver()) return false
  }
  while (!stopping.aborted) {
    // What is left is queued again once it is enabled (bulkWork).
    if (!(await isAccountEnabled(pool, job.accountId))) return true
    const turns = await nextItems(pool, job)
    if (turns === undefined || turns.length === 0) {
      await endBulk(pool, job, turns === undefined ? 'cancelled' : 'done')
      return true
    }
    const results = await applyOneByOne(needs, job, turns, stopping)
    job.reasons = results.reduce(countReason, job.reasons)
    if (!(await recordItems(pool, job, results))) return true
    if (turnIsOver()) return false
  }
  return false
}

/** Together what can be done so, the others one by one: each has its own outcome. */
async function applyOneByOne(
  needs: ActionContext,
  job: BulkJobRun,
  turns: readonly ItemTurn[],
  stopping: AbortSignal,
): Promise<ItemResult[]> {
  const doneInBatch = await applyBatch(needs, job, turns)
  const others = turns.filter(({ id }) => !doneInBatch.has(id))
  const apply = (turn: ItemTurn) => (stopping.aborted ? putBack(turn) : applyToItem(needs, job, turn))
  const results = await pMap(others, apply, {
    concurrency: actionHandlers[job.action].slow ? ITEM_BATCH : CONCURRENCY,
    // Where the database goes away under one, the others come to their end before another attempt looks at them.
    stopOnError: false,
  })
  return [...[...doneInBatch].map(doneResult), ...results]
}

/**
 * What can be done to all of them in one statement. @returns those that it was, or in a dry run could be, done to
 * @throws what the database says while it is away: all of them stay begun, and are looked at again
 */
async function applyBatch(
  { pool }: ActionContext,
  { action, dryRun, accountId, siteIds, parameters }: BulkJobRun,
  turns: readonly ItemTurn[],
): Promise<ReadonlySet<string>> {
  const { actOnMany } = actionHandlers[action]
  const ids = turns.filter(({ matches }) => matches).map(({ id }) => id)
  if (actOnMany === undefined || ids.length < 2) return new Set()
  const act = (database: Queryable) => actOnMany(database, { accountId, siteIds, parameters, ids })
  try {
    return await (dryRun ? rollBack(pool, act) : act(pool))
  } catch (error) {
    const trouble = databaseFailure(error)
    // Nothing was stored, and it is the fault of one: the others must not suffer for it.
    if (trouble === 'refused' || trouble === 'conflict') return new Set()
    throw error
  }
}

const doneResult = (id: string): ItemResult => ({ id, outcome: 'done', code: null, message: null })

/** Its turn comes again. One that a dead process may have touched stays begun. */
const putBack = ({ id, begun }: ItemTurn): ItemResult | typeof pMapSkip =>
  begun ? pMapSkip : { id, outcome: 'waiting', code: null, message: null }

const NO_LONGER_MATCHES = 'It has changed in the meantime, and no longer matches the filter.'

/** @throws what the database says while it is away: the item stays begun, and is looked at again */
async function applyToItem(
  needs: ActionContext,
  job: BulkJobRun,
  turn: ItemTurn,
): Promise<ItemResult | typeof pMapSkip> {
  const { id, begun, matches } = turn
  // It was touched, and is what it was to become.
  if (!matches && begun) return doneResult(id)
  if (!matches) return { id, outcome: 'skipped', code: 'NO_LONGER_MATCHES', message: NO_LONGER_MATCHES }
  const { accountId, siteIds, parameters } = job
  const { act, foresee } = actionHandlers[job.action]
  try {
    const begunSince = begun ? job.createdAt : undefined
    await (job.dryRun ? foresee : act)(needs, { accountId, id, siteIds, parameters, begunSince })
    return doneResult(id)
  } catch (error) {
    if (isInterrupted(error)) return putBack(turn)
    if (error instanceof GalleyError) {
      const code = apiCode(error.code)
      const outcome = SKIPPED_CODES.has(code) ? 'skipped' : 'failed'
      return { id, outcome, code, message: storableText(excerpt(error.message, 1_000)) }
    }
    if (isTransientDatabaseError(error)) throw error
    needs.log.error({ err: error, bulk: job.id, item: id }, 'an item of a bulk job failed')
    return {
      id,
      outcome: 'failed',
      code: 'INTERNAL',
      message: 'Galley failed at this item. Its log has the reason.',
    }
  }
}

function countReason(reasons: Reason[], { outcome, code, message }: ItemResult): Reason[] {
  if (code === null || outcome === 'done') return reasons
  const known = reasons.find((reason) => reason.outcome === outcome && reason.code === code)
  if (known === undefined && reasons.length >= MAX_REASONS) return reasons
  const counted = { outcome, code, message: known?.message ?? message ?? '', count: (known?.count ?? 0) + 1 }
  return [...reasons.filter((reason) => reason !== known), counted]
}

type BulkDependencies = ActionContext & {
  /** Days that reports are kept; 0 for ever. */
  retentionDays: number
}

/** What bulk jobs need done: their items, and that old reports are removed. */
export const bulkWork =
  (needs: BulkDependencies): WorkFactory =>
  ({ stopping }) => ({
    tasks: [
      createTask(bulkJob, async ({ bulkId, accountId }) => {
        if (await runOrFail(needs, bulkId, stopping)) return
        await enqueue(needs.pool, bulkJob, { bulkId, accountId })
      }),
      createRetentionTask('forget_bulk', '41 3 * * *', needs, async (days) => ({
        bulk_jobs: await deleteOldBulkJobs(needs.pool, days),
      })),
    ],
    sweep: {
      rarely: [
        () =>
          requeueUnfinished(needs.pool, BULK_JOBS, bulkJob, { bulkId: 't.id', accountId: 't.account_id' }),
      ],
    },
  })

/** What is no fault of the database's would be one the next time, too. */
async function runOrFail(needs: BulkDependencies, id: string, stopping: AbortSignal): Promise<boolean> {
  try {
    return await runBulk(needs, id, stopping)
  } catch (error) {
    if (isTransient(error)) throw error
    needs.log.error({ err: error, bulk: id }, 'a bulk job failed')
    await execute(needs.pool, FAIL, { id })
    return true
  }
}

/** Several items may have met it at once. */
const isTransient = (error: unknown): boolean =>
  error instanceof AggregateError ? error.errors.some(isTransient) : isTransientDatabaseError(error)

const FAIL = `
  UPDATE bulk_job SET status = 'failed', ended_at = now(), fence = fence + 1 WHERE id = :id AND ended_at IS NULL`

/** Removes the jobs that ended longer than `days` ago, one at a time with its items. @returns how many */
export const deleteOldBulkJobs = (pool: Pool, days: number): Promise<number> =>
  inBatches(1, () => execute(pool, DELETE_OLDEST, { days }))

const DELETE_OLDEST = `
  DELETE FROM bulk_job WHERE id = (
    SELECT id FROM bulk_job WHERE ended_at < now() - make_interval(days => :days) ORDER BY ended_at LIMIT 1)`
