import { isPassing, saidByDatabase } from '../../database/sqlstates.ts'
import { GalleyError } from '../../errors.ts'
import { persist } from '../../jobs/persist.ts'
import { tellSpan, withSpan } from '../../observe/trace.ts'
import { GenerationError } from '../failure.ts'
import { MOST_CRASHES } from './claim.ts'
import type { JobContext } from './context.ts'
import { endJob } from './ending.ts'
import { Blamed, FencedOff, type Pause, Paused } from './interruptions.ts'
import { ClaimedRun } from './job-run.ts'
import type { JobRow } from './row.ts'

/** Failures that count against a job, after which it has failed. */
const MOST_ATTEMPTS = 4

/** Seconds that a job waits for providers in trouble, from when it was asked for, before it has failed. */
export const PATIENCE_S = 24 * 3_600

/** Milliseconds until a job is taken again that the database, or a lack of memory, kept from going on. */
const AFTER_GALLEY_MS = 1_000

const HOUR_MS = 3_600_000

/**
 * Works on one claimed job until it has ended or is given back. The lease is kept by the heartbeat meanwhile, and how it
 * ended outlasts a database that is away. A job that ended is one line in the log.
 */
export function attempt(context: JobContext, row: JobRow): Promise<void> {
  const facts = { 'galley.job': row.id, 'galley.kind': row.kind }
  return withSpan('job', { facts }, () => attemptHeld(context, row))
}

async function attemptHeld(context: JobContext, row: JobRow): Promise<void> {
  const run = new ClaimedRun(context, row)
  const release = context.heartbeat.hold(run.ledger)
  try {
    if (row.crashes >= MOST_CRASHES) await fail(context, run, row, endedThrice())
    else await work(context, run, row)
  } catch (error) {
    // Whoever holds it now goes on from what is stored.
    if (!(error instanceof FencedOff)) throw error
  } finally {
    release()
  }
}

async function work(context: JobContext, run: ClaimedRun, row: JobRow): Promise<void> {
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
    if (error instanceof FencedOff || run.signal.aborted) throw new FencedOff(row.id)
    await stopped(context, run, row, error)
  }
}

/** What follows from what ended an attempt before the job's end. */
async function stopped(context: JobContext, run: ClaimedRun, row: JobRow, error: unknown): Promise<void> {
  const { log } = context
  if (error instanceof Paused) {
    const { pause } = error
    if (pause.trouble && row.age > PATIENCE_S) return fail(context, run, row, waitedTooLong(pause))
    return giveBack(context, run, pause)
  }
  if (error instanceof GenerationError && error.of === 'job') return fail(context, run, row, error)
  const trouble = troubleOfGalley(error)
  if (trouble !== undefined) {
    log.warn({ job: row.id, err: error }, `${trouble} kept a job from going on; it is tried again`)
    return giveBack(context, run, { waitsFor: '', inMs: AFTER_GALLEY_MS })
  }
  row.attempts += 1
  log.warn({ job: row.id, step: row.status, attempts: row.attempts, err: error }, 'a job could not go on')
  if (row.attempts >= MOST_ATTEMPTS) return fail(context, run, row, lastWord(error))
  const inMs = Math.min(context.timing.firstBackoffMs * 3 ** (row.attempts - 1), HOUR_MS)
  await giveBack(context, run, { waitsFor: '', inMs })
}

/** What of Galley's own kept a job from going on, and passes by itself; undefined where nothing did. */
function troubleOfGalley(error: unknown): string | undefined {
  if (error instanceof GalleyError && error.code === 'memory_busy') return 'a lack of memory'
  return isPassing(error) ? 'the database' : undefined
}

function giveBack(context: JobContext, run: ClaimedRun, pause: Pause): Promise<void> {
  tellSpan({ 'galley.outcome': 'given_back' })
  return persist(context, () => run.ledger.giveBack(pause))
}

/** Ends a job as failed. What the database refuses of how it failed is left out, and said instead. */
async function fail(
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
  tellSpan({ 'galley.outcome': outcome, ...(failure && { 'error.type': failure.code }) })
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

const endedThrice = (): GenerationError =>
  new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message:
      'Galley’s process ended three times while it worked on this job, so it is left aside and the others go on. Most likely an answer of a provider needs more memory than the process has. Ask for less in one job, or give the process more memory (NODE_OPTIONS=--max-old-space-size, in megabytes), then create the job again. The last lines of the process say how it ended.',
  })

const waitedTooLong = ({ waitsFor }: Pause): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `The provider ${waitsFor}, and every other that could do this, has been in trouble for a day. Check its settings and its own status page, then create the job again.`,
  })

/** Why a job has failed that was tried often enough. */
function lastWord(error: unknown): GenerationError {
  if (error instanceof Blamed) return error.failure
  if (error instanceof GenerationError) return error
  const said = saidByDatabase(error)
  return new GenerationError({
    reason: 'INVALID_OUTPUT',
    of: 'job',
    message: said
      ? `Galley’s database rejected what was to be stored about this job: ${said}. Something unusual is in an answer of a provider: create the job again.`
      : `Galley itself failed over this job, ${MOST_ATTEMPTS} times; its log has the reason. Create the job again, and report it if that happens again.`,
    cause: error,
  })
}
