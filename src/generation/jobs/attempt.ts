import { v7 as uuid } from 'uuid'
import { databaseMessage, isTransientDatabaseError } from '../../database/errors.ts'
import { storableJson } from '../../database/statement.ts'
import { inTransaction, type Queryable, retryUntilStored } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { addSpanAttributes, withSpan } from '../../observe/trace.ts'
import type { RatedWarning } from '../../warnings.ts'
import { GenerationError, jobFailure } from '../failure.ts'
import { type JobRow, MAX_ATTEMPTS, MAX_CRASHES } from './job.ts'
import {
  ClaimedRun,
  type JobContext,
  type JobOutcome,
  jobEvent,
  jobNotification,
  stepNotification,
} from './job-run.ts'
import { AttemptFailed, ClaimLost, type JobPause, JobPaused } from './ledger.ts'
import { END_JOB, type WriteResult, writeFenced, writeOne } from './statements.ts'

export const MAX_PROVIDER_WAIT_S = 24 * 3_600

/** Milliseconds until a job is retried that the database or a lack of memory interrupted. */
const INTERNAL_RETRY_MS = 1_000

const HOUR_MS = 3_600_000

/** Works on a claimed job until it ends or is released; waits for an absent database to store the outcome. */
export function attemptJob(context: JobContext, row: JobRow): Promise<void> {
  const facts = { 'galley.job': row.id, 'galley.kind': row.kind }
  return withSpan('job', { facts }, async () => {
    const run = new ClaimedRun(context, row)
    const release = context.heartbeat.hold(run.ledger)
    try {
      if (row.crashes >= MAX_CRASHES) await failJob(context, run, crashedTooOften())
      else await runSteps(context, run)
    } catch (error) {
      // The new holder goes on from what is stored.
      if (!(error instanceof ClaimLost)) throw error
    } finally {
      release()
    }
  })
}

async function runSteps(context: JobContext, run: ClaimedRun): Promise<void> {
  try {
    const make = context.steps[run.kind] as (run: ClaimedRun) => Promise<object>
    const made = await make(run)
    await run.settled()
    if (run.over !== undefined) throw run.over
    const { warnings } = run
    const data = warnings.length === 0 ? made : { ...made, warnings }
    await endJob(context, run, { status: 'completed', data })
    logEnd(context, run, 'completed')
  } catch (thrown) {
    // Nothing new starts; work under way has been paid for.
    run.over ??= thrown
    await run.settled()
    const error = run.over
    if (error instanceof ClaimLost || run.signal.aborted) throw new ClaimLost(run.id)
    await handleInterruption(context, run, error)
  }
}

async function handleInterruption(context: JobContext, run: ClaimedRun, error: unknown) {
  const { log } = context
  const { row } = run
  if (error instanceof JobPaused) {
    const { pause } = error
    if (pause.trouble && row.stalled > MAX_PROVIDER_WAIT_S)
      return failJob(context, run, providerWaitExceeded(pause))
    return releaseJob(context, run, pause)
  }
  if (error instanceof GenerationError && error.of === 'job') return failJob(context, run, error)
  const trouble = transientInternalError(error)
  if (trouble !== undefined) {
    log.warn({ job: row.id, err: error }, `${trouble} kept a job from going on; it is tried again`)
    return releaseJob(context, run, { waitsFor: '', inMs: INTERNAL_RETRY_MS })
  }
  row.attempts += 1
  log.warn({ job: row.id, step: row.status, attempts: row.attempts, err: error }, 'a job could not go on')
  if (row.attempts >= MAX_ATTEMPTS) return failJob(context, run, finalFailure(error))
  const inMs = Math.min(context.timing.firstBackoffMs * 3 ** (row.attempts - 1), HOUR_MS)
  await releaseJob(context, run, { waitsFor: '', inMs })
}

function transientInternalError(error: unknown): string | undefined {
  if (error instanceof GalleyError && error.code === 'memory_busy') return 'a lack of memory'
  return isTransientDatabaseError(error) ? 'the database' : undefined
}

function releaseJob(context: JobContext, run: ClaimedRun, pause: JobPause): Promise<void> {
  addSpanAttributes({ 'galley.outcome': 'given_back' })
  return retryUntilStored(context, () => run.ledger.release(pause))
}

/** Fails a job, unless it can go on without the rest of its step. A resumed document completes as it was before. */
async function failJob(context: JobContext, run: ClaimedRun, failure: GenerationError) {
  if (await retryUntilStored(context, () => run.leaveOutRest(failure)))
    return releaseJob(context, run, { waitsFor: '' })
  const { earlier } = run.row
  const warnings = earlier === null ? run.warnings : (earlier.warnings ?? [])
  const ending: JobOutcome =
    earlier === null
      ? { status: 'failed', error: run.error(failure) }
      : { status: 'completed', data: earlier }
  await endJob(context, run, ending, warnings)
  logEnd(context, run, ending.status, failure)
}

function logEnd({ log }: JobContext, { row }: ClaimedRun, outcome: string, failure?: GenerationError): void {
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
  jobFailure(
    'INVALID_OUTPUT',
    'Galley’s process ended three times while it worked on this job, so it is left aside and the others go on. Most likely an answer of a provider needs more memory than the process has. Ask for less in one job, or give the process more memory (NODE_OPTIONS=--max-old-space-size, in megabytes), then try again. The last lines of the process say how it ended.',
  )

const providerWaitExceeded = ({ waitsFor }: JobPause): GenerationError =>
  jobFailure(
    'PROVIDER_UNAVAILABLE',
    `The provider ${waitsFor}, and every other that could do this, has been in trouble for a day. Check its settings and its own status page, then try again.`,
  )

function finalFailure(error: unknown): GenerationError {
  if (error instanceof AttemptFailed) return error.failure
  if (error instanceof GenerationError) return error
  const said = databaseMessage(error)
  return jobFailure(
    'INVALID_OUTPUT',
    said
      ? `Galley’s database rejected what was to be stored about this job: ${said}. Something unusual is in an answer of a provider: try again.`
      : `Galley itself failed over this job, ${MAX_ATTEMPTS} times; its log has the reason. Try again, and report it if that happens again.`,
    { cause: error },
  )
}

/** Ends a job in one transaction: outcome, refund, notification, event. @throws ClaimLost where the claim counts no more */
async function endJob(context: JobContext, run: ClaimedRun, ending: JobOutcome, warnings = run.warnings) {
  const { pool, deliver, log } = context
  const { row } = run
  const { leaseS } = context.timing
  const writing = endingWrite(run, ending, warnings)
  const kind = END_JOB[ending.status]
  const assertStored = (written: WriteResult) => {
    if (written === undefined) throw new ClaimLost(row.id)
  }
  const store = async (database: Queryable) =>
    assertStored((await writeFenced(database, kind, leaseS, [writing]))[0])
  const delivers = ending.status === 'completed' && 'delivery' in row.request && row.request.delivery !== null
  // Refunds lock accounts and need a statement of their own.
  if (!delivers)
    return retryUntilStored(context, async () =>
      ending.status === 'completed' ? assertStored(await writeOne(pool, kind, leaseS, writing)) : store(pool),
    )
  const body = Buffer.from(jobEvent(row, ending).body)
  const delivered = await retryUntilStored(context, () =>
    inTransaction(pool, async (database) => {
      await store(database)
      return deliver(database, { accountId: row.account_id, body })
    }),
  )
  delivered.stored()
  if (delivered.refusal !== null)
    log.error({ job: row.id, reason: delivered.refusal }, 'a finished document was not understood by intake')
}

function endingWrite({ row, ledger }: ClaimedRun, ending: JobOutcome, warnings: readonly RatedWarning[]) {
  const error = ending.status === 'failed' ? ending.error : undefined
  const notifications = [
    stepNotification(row, { step: row.status, ...(error && { error }) }),
    jobNotification(row, ending),
  ].filter((one) => one !== null)
  return {
    id: row.id,
    fence: row.fence,
    progress: ledger.unwritten,
    outcome: storableJson(ending.status === 'failed' ? ending.error : ending.data),
    warnings: storableJson(warnings),
    told: JSON.stringify(notifications.map((one) => ({ id: uuid(), ...one }))),
  }
}
