import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { execute, queryRows } from '../../database/statement.ts'
import { inTransaction, type Queryable } from '../../database/transaction.ts'
import { conflict, unknownId } from '../../errors.ts'
import {
  addGenerationJob,
  type JobRow,
  LEFT_OUT,
  PARTS_PER_PICTURE,
  resumableSteps,
  stepsOf,
} from '../jobs/job.ts'
import { jobNotification } from '../jobs/job-run.ts'
import { CANCEL_JOB } from '../jobs/statements.ts'
import type { JobId } from './jobs.ts'
import { type Prices, stepPrices } from './prices.ts'

type ActionRow = Pick<JobRow, 'id' | 'kind' | 'request' | 'progress'> & {
  status: string
  price: number
  ended: boolean
  /** Completed before it was resumed. */
  finished: boolean
}

/** Cancels a job, refunding the parts never begun; its worker loses the claim. @throws 404; 409 `JOB_ENDED` */
export function cancelJob(pool: Pool, prices: Prices, job: JobId): Promise<void> {
  return inTransaction(pool, async (database) => {
    const row = await lockJob(database, job)
    if (row.status === 'cancelled') return
    if (row.ended || row.finished)
      throw conflict(
        'JOB_ENDED',
        row.ended
          ? `This job has ended: it is ${row.status}. What it made stays.`
          : 'This document was completed before. What was left out of it is being made again; it stays complete in any case.',
      )
    const refunded = await priceNotBegun(database, row, prices)
    const told = jobNotification(row, { status: 'cancelled', refunded })
    await execute(database, CANCEL_JOB, {
      id: row.id,
      refunded,
      told: JSON.stringify(told ? [{ ...told, id: uuid() }] : []),
    })
  })
}

/** Makes again what a completed document lacks, at no cost; delivered as a newer version. @throws 404; 409 `NOTHING_MISSING` */
export function resumeJob(pool: Pool, job: JobId): Promise<void> {
  return inTransaction(pool, async (database) => {
    const { id, ended } = await lockJob(database, job)
    if (!ended) return
    const rowCount = await execute(database, RESUME_JOB, { id, steps: resumableSteps, leftOut: LEFT_OUT })
    if (rowCount === 0)
      throw conflict(
        'NOTHING_MISSING',
        'Only a completed document from which something was left out can be resumed. To have this job done once more, create another like it.',
      )
  })
}

/** What was made of a part goes with the reason. A provider whose answers were lost is asked again. */
const RESUME_JOB = `
WITH missing AS (
  SELECT step, left(name, -length(:leftOut::text)) AS name FROM generation_part
  WHERE job_id = :id::uuid AND step = ANY (:steps::text[]) AND right(name, length(:leftOut)) = :leftOut
), resumed AS (
  UPDATE generation_job SET due_at = now(), ended_at = NULL, attempts = 0, crashes = 0, waits_for = '',
    status = CASE WHEN EXISTS (SELECT FROM missing WHERE step = 'images') THEN 'images' ELSE 'audio' END
  WHERE id = :id::uuid AND status = 'completed' AND EXISTS (SELECT FROM missing) RETURNING id
), forgotten AS (
  UPDATE generation_call c SET outcome = 'unusable' FROM resumed
  WHERE c.job_id = resumed.id AND c.step IN (SELECT step FROM missing) AND c.outcome = 'lost'
), removed AS (
  DELETE FROM generation_part p USING missing, resumed
  WHERE p.job_id = resumed.id AND p.step = missing.step AND (p.name = missing.name OR starts_with(p.name, missing.name || '-'))
)
SELECT ${addGenerationJob({ jobId: 'resumed.id' })} FROM resumed`

async function lockJob(database: Queryable, { accountId, id }: JobId): Promise<ActionRow> {
  const [row] = await queryRows<ActionRow>(
    database,
    `SELECT id, kind, request, status, progress, price, ended_at IS NOT NULL AS ended,
       result IS NOT NULL AS finished FROM generation_job
     WHERE id = :id::uuid AND account_id = :accountId::uuid FOR UPDATE`,
    { id, accountId },
  )
  if (row === undefined) throw unknownId('job', id)
  return row
}

/**
 * Credits, rounded down, by the list of prices: a finished step counts for nothing, one under way for its parts that nobody
 * asked for yet. What was asked for again, or of another provider, is one part.
 */
async function priceNotBegun(
  database: Queryable,
  { id, kind, request, status, progress, price: paid }: ActionRow,
  prices: Prices,
): Promise<number> {
  const rows = await queryRows<{ step: string; parts: number }>(
    database,
    `SELECT step, count(DISTINCT regexp_replace(part, '(-by-\\d+)?(-again)?(-file|${LEFT_OUT})?$', ''))::int AS parts FROM (
       SELECT step, part FROM generation_call WHERE job_id = :id::uuid AND outcome <> 'failed'
       UNION SELECT step, name FROM generation_part WHERE job_id = :id::uuid
     ) AS begun GROUP BY step`,
    { id },
  )
  const begun = new Map(rows.map(({ step, parts }) => [step, parts]))
  const order: readonly string[] = stepsOf[kind]
  const costs = Object.entries(stepPrices(kind, request, prices))
  const left = costs.map(([step, price]) => {
    if (order.indexOf(step) < order.indexOf(status)) return 0
    const parts = begun.get(step) ?? 0
    const perPart = step === 'images' || kind === 'image' ? PARTS_PER_PICTURE : 1
    const all = (progress[step as keyof typeof progress] ?? parts) / perPart
    // Divided last: 10 * (1 - 9 / 10) is less than 1.
    return parts === 0 ? price : (price * Math.max(0, all - parts)) / Math.max(1, all)
  })
  const sum = (amounts: number[]) => amounts.reduce((total, amount) => total + amount, 0)
  return Math.floor((paid * sum(left)) / Math.max(1, sum(costs.map(([, price]) => price))))
}
