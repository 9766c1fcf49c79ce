import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import { batched } from '../../database/batched.ts'
import { databaseMessage, isTransientDatabaseError } from '../../database/errors.ts'
import { storableJson } from '../../database/statement.ts'
import { inTransaction, type Queryable, retryUntilStored } from '../../database/transaction.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { addSpanAttributes, withSpan } from '../../observe/trace.ts'
import { GenerationError } from '../failure.ts'
import { MAX_CRASHES } from './claim.ts'
import type { JobRow } from './job.ts'
import {
  ClaimedRun,
  type JobContext,
  type JobOutcome,
  jobEvent,
  jobNotification,
  stepNotification,
} from './job-run.ts'
import {
  AttemptFailed,
  BATCHED_BELOW_CHARACTERS,
  ClaimLost,
  type JobLedger,
  type JobPause,
  JobPaused,
} from './ledger.ts'
import { END_JOB, type FencedWrite, writeFenced } from './statements.ts'

const MAX_ATTEMPTS = 4

/** Seconds, from creation, that a job waits for providers in trouble before it fails. */
export const MAX_PROVIDER_WAIT_S = 24 * 3_600

/** Milliseconds until a job is retried that the database or a lack of memory interrupted. */
const INTERNAL_RETRY_MS = 1_000

const HOUR_MS = 3_600_000

/**
 * Works on a claimed job until it ends or is released. The heartbeat keeps the lease; storing the
 * outcome waits for an absent database. An ended job is one log line.
 */
export function attemptJob(context: JobContext, row: JobRow): Promise<void> {
  const facts = { 'galley.job': row.id, 'galley.kind': row.kind }
  return withSpan('job', { facts }, () => attemptLeasedJob(context, row))
}

async function attemptLeasedJob(context: JobContext, row: JobRow): Promise<void> {
  const run = new ClaimedRun(context, row)
  const release = context.heartbeat.hold(run.ledger)
  try {
    if (row.crashes >= MAX_CRASHES) await failJob(context, run, row, crashedTooOften())
    else await runSteps(context, run, row)
  } catch (error) {
    // The new holder goes on from what is stored.
    if (!(error instanceof ClaimLost)) throw error
  } finally {
    release()
  }
}

async function runSteps(context: JobContext, run: ClaimedRun, row: JobRow): Promise<void> {
  try {
    const make = context.steps[row.kind] as (run: ClaimedRun) => Promise<unknown>
    const data = await make(run)
    await run.settled()
    if (run.over !== undefined) throw run.over
    const { ledger, warnings } = run
    await endJob(context, { row, ledger, warnings }, { status: 'completed', data })
    logEnd(context, row, 'completed')
  } catch (thrown) {
    // Work under way has been paid for.
    await run.settled()
    const error = run.over ?? thrown
    if (error instanceof ClaimLost || run.signal.aborted) throw new ClaimLost(row.id)
    await handleInterruption(context, run, row, error)
  }
}

/** Handles what ended an attempt before the job's end. */
async function handleInterruption(
  context: JobContext,
  run: ClaimedRun,
  row: JobRow,
  error: unknown,
): Promise<void> {
  const { log } = context
  if (error instanceof JobPaused) {
    const { pause } = error
    if (pause.trouble && row.age > MAX_PROVIDER_WAIT_S)
      return failJob(context, run, row, providerWaitExceeded(pause))
    return releaseJob(context, run, pause)
  }
  if (error instanceof GenerationError && error.of === 'job') return failJob(context, run, row, error)
  const trouble = transientInternalError(error)
  if (trouble !== undefined) {
    log.warn({ job: row.id, err: error }, `${trouble} kept a job from going on; it is tried again`)
    return releaseJob(context, run, { waitsFor: '', inMs: INTERNAL_RETRY_MS })
  }
  row.attempts += 1
  log.warn({ job: row.id, step: row.status, attempts: row.attempts, err: error }, 'a job could not go on')
  if (row.attempts >= MAX_ATTEMPTS) return failJob(context, run, row, finalFailure(error))
  const inMs = Math.min(context.timing.firstBackoffMs * 3 ** (row.attempts - 1), HOUR_MS)
  await releaseJob(context, run, { waitsFor: '', inMs })
}

/** A transient failure of Galley's own; undefined where there was none. */
function transientInternalError(error: unknown): string | undefined {
  if (error instanceof GalleyError && error.code === 'memory_busy') return 'a lack of memory'
  return isTransientDatabaseError(error) ? 'the database' : undefined
}

function releaseJob(context: JobContext, run: ClaimedRun, pause: JobPause): Promise<void> {
  addSpanAttributes({ 'galley.outcome': 'given_back' })
  return retryUntilStored(context, () => run.ledger.release(pause))
}

/** Fails a job. Details that the database refuses are replaced by a message. */
async function failJob(
  context: JobContext,
  run: ClaimedRun,
  row: JobRow,
  failure: GenerationError,
): Promise<void> {
  const { ledger, warnings } = run
  await endJob(context, { row, ledger, warnings }, { status: 'failed', error: run.error(failure) })
  logEnd(context, row, 'failed', failure)
}

function logEnd({ log }: JobContext, row: JobRow, outcome: string, failure?: GenerationError): void {
  addSpanAttributes({ 'galley.outcome': outcome, ...(failure && { 'error.type': failure.code }) })
  log.info(
    {
      job: row.id,
      kind: row.kind,
      outcome,
      ...(failure && { step: row.status, code: failure.code }),
      calls: row.calls,
    },
    'job ended',
  )
}

const crashedTooOften = (): GenerationError =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message:
      'Galley’s process ended three times while it worked on this job, so it is left aside and the others go on. Most likely an answer of a provider needs more memory than the process has. Ask for less in one job, or give the process more memory (NODE_OPTIONS=--max-old-space-size, in megabytes), then create the job again. The last lines of the process say how it ended.',
  })

const providerWaitExceeded = ({ waitsFor }: JobPause): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `The provider ${waitsFor}, and every other that could do this, has been in trouble for a day. Check its settings and its own status page, then create the job again.`,
  })

/** The error of a job that ran out of attempts. */
function finalFailure(error: unknown): GenerationError {
  if (error instanceof AttemptFailed) return error.failure
  if (error instanceof GenerationError) return error
  const said = databaseMessage(error)
  return new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: said
      ? `Galley’s database rejected what was to be stored about this job: ${said}. Something unusual is in an answer of a provider: create the job again.`
      : `Galley itself failed over this job, ${MAX_ATTEMPTS} times; its log has the reason. Create the job again, and report it if that happens again.`,
    cause: error,
  })
}

interface EndedClaim {
  row: JobRow
  ledger: JobLedger
  warnings: readonly Warning[]
}

/**
 * Ends a job in one transaction: the outcome, the refund of a failed one, the notification, and the
 * event that delivers a document.
 *
 * @throws FencedOff where the claim no longer counts, and nothing was stored
 */
async function endJob(context: JobContext, ended: EndedClaim, ending: JobOutcome): Promise<void> {
  const { pool, deliver, log } = context
  const { row } = ended
  const { leaseS } = context.timing
  const writing = endingWrite(ended, ending)
  const delivers = ending.status === 'completed' && 'delivery' in row.request && row.request.delivery !== null
  // Refunds lock accounts and need a statement of their own.
  if (!delivers)
    return retryUntilStored(context, () =>
      ending.status === 'completed' && isBatchable(writing)
        ? storeEndingBatched(pool, leaseS, writing, ending)
        : storeEnding(pool, leaseS, writing, ending),
    )
  const body = Buffer.from(jobEvent(row, ending).body)
  const delivered = await retryUntilStored(context, () =>
    inTransaction(pool, async (database) => {
      await storeEnding(database, leaseS, writing, ending)
      return deliver(database, { accountId: row.account_id, body })
    }),
  )
  delivered.stored()
  if (delivered.refusal !== null)
    log.error({ job: row.id, reason: delivered.refusal }, 'a finished document was not understood by intake')
}

async function storeEnding(
  database: Queryable,
  leaseS: number,
  writing: FencedWrite,
  ending: JobOutcome,
): Promise<void> {
  const [written] = await writeFenced(database, END_JOB[ending.status], leaseS, [writing])
  if (written === undefined) throw new ClaimLost(writing.id)
}

/** Small endings that need no transaction of their own share a statement. */
async function storeEndingBatched(
  pool: Pool,
  leaseS: number,
  writing: FencedWrite,
  ending: JobOutcome,
): Promise<void> {
  const kind = END_JOB[ending.status]
  const written = await batched(pool, `generation ${kind.name}`, writing, (all) =>
    writeFenced(pool, kind, leaseS, all),
  )
  if (written === undefined) throw new ClaimLost(writing.id)
}

function endingWrite({ row, ledger, warnings }: EndedClaim, ending: JobOutcome): FencedWrite {
  const error = ending.status === 'failed' ? ending.error : undefined
  const notifications = [
    stepNotification(row, { step: row.status, ...(error && { error }) }),
    jobNotification(row, ending),
  ].filter((one) => one !== null)
  return {
    id: row.id,
    fence: row.fence,
    progress: ledger.unwritten,
    values: {
      outcome: storableJson(ending.status === 'failed' ? ending.error : ending.data),
      warnings: storableJson(warnings),
      told: JSON.stringify(notifications.map((one) => ({ id: uuid(), ...one }))),
    },
  }
}

const isBatchable = ({ values }: FencedWrite): boolean =>
  Object.values(values).every((value) => String(value).length < BATCHED_BELOW_CHARACTERS)
