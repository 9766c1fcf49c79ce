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

/** Failures that count against a job, after which it has failed. */
const MAX_ATTEMPTS = 4

/** Seconds that a job waits for providers in trouble, from when it was asked for, before it has failed. */
export const MAX_PROVIDER_WAIT_S = 24 * 3_600

/** Milliseconds until a job is taken again that the database, or a lack of memory, kept from going on. */
const INTERNAL_RETRY_MS = 1_000

const HOUR_MS = 3_600_000

/**
 * Works on one claimed job until it has ended or is given back. The lease is kept by the heartbeat meanwhile, and how it
 * ended outlasts a database that is away. A job that ended is one line in the log.
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
    // Whoever holds it now goes on from what is stored.
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
    // What is still under way has been paid for.
    await run.settled()
    const error = run.over ?? thrown
    if (error instanceof ClaimLost || run.signal.aborted) throw new ClaimLost(row.id)
    await handleInterruption(context, run, row, error)
  }
}

/** What follows from what ended an attempt before the job's end. */
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

/** What of Galley's own kept a job from going on, and passes by itself; undefined where nothing did. */
function transientInternalError(error: unknown): string | undefined {
  if (error instanceof GalleyError && error.code === 'memory_busy') return 'a lack of memory'
  return isTransientDatabaseError(error) ? 'the database' : undefined
}

function releaseJob(context: JobContext, run: ClaimedRun, pause: JobPause): Promise<void> {
  addSpanAttributes({ 'galley.outcome': 'given_back' })
  return retryUntilStored(context, () => run.ledger.release(pause))
}

/** Ends a job as failed. What the database refuses of how it failed is left out, and said instead. */
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

/** Why a job has failed that was tried often enough. */
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

/** A claim that ends its job. */
interface EndedClaim {
  row: JobRow
  ledger: JobLedger
  warnings: readonly Warning[]
}

/**
 * Ends a job, in one transaction: how it ended, the refund of one that failed, what its account is told, and the event that
 * takes a finished document to its site.
 *
 * @throws FencedOff where the claim counts no more, and nothing was stored
 */
async function endJob(context: JobContext, ended: EndedClaim, ending: JobOutcome): Promise<void> {
  const { pool, deliver, log } = context
  const { row } = ended
  const { leaseS } = context.timing
  const writing = endingWrite(ended, ending)
  const delivers = ending.status === 'completed' && 'delivery' in row.request && row.request.delivery !== null
  // A failure gives credits back: what locks accounts has a statement of its own.
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

/** What is not large, and needs no transaction of its own, shares its statement with what ends in the same moment. */
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
