import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { retryUntilStored } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import type { Logger } from '../../log/log.ts'
import { timeProviderCall } from '../../observe/metrics.ts'
import { withSpan } from '../../observe/trace.ts'
import { GenerationError } from '../failure.ts'
import type { CallContext, Provider, RawAnswer } from '../providers/types.ts'
import type { Storage } from '../storage/types.ts'
import type { JobRow, PartName } from './job.ts'
import { AttemptFailed, type JobLedger, JobPaused } from './ledger.ts'
import {
  acquireProbe,
  hasServedSince,
  type ProviderGate,
  pauseProvider,
  recordProviderSuccess,
} from './provider-gate.ts'
import { storePaidAnswer } from './stored-answer.ts'

export interface CallEnvironment {
  pool: Pool
  log: Logger
  gate: ProviderGate
  storage: Storage
  ledger: JobLedger
  accountId: string
  signal: AbortSignal
  stopping: AbortSignal
  firstPauseMs: number
  /** Counts a call about to leave. @throws GenerationError where the budget is used up */
  spend(): void
  /** Uncounts a call that did not leave or made nothing. */
  unspent(): void
  paid(micros: number): void
  /** Time of the claim, by `performance.now()`. */
  claimedAt: number
  /** Calls of earlier claims with lost answers. */
  unacknowledged: JobRow['unacknowledged']
}

/** Milliseconds between rounds over all candidates. */
const RETRY_PAUSES_MS = [250, 1_000]

/** Milliseconds between reports to others that a provider works. */
const REPORT_SERVED_EVERY_MS = 2_000

/** Lost answers of one part after which it is given up: each may have been charged. */
const MOST_UNACKNOWLEDGED = 3

const answerLost = (name: string): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `The provider ${name} was asked ${MOST_UNACKNOWLEDGED} times for the same part, and its answer never arrived. It may have charged for each. Look at what it logged, then create the job again.`,
  })

const lastServedReports = new WeakMap<ProviderGate, Map<string, number>>()

type Call<Candidate> = (provider: Candidate, context: CallContext) => Promise<RawAnswer>

/**
 * One candidate's outcome: an answer, a failure, or a pause of so many milliseconds; `made` where
 * it may have made something, `blamed` where the job is at fault because the provider serves
 * others.
 */
type CallOutcome =
  | { answer: RawAnswer }
  | { failure: GenerationError; blamed?: boolean }
  | { pausedMs: number; made?: boolean }

/**
 * Asks the first candidate not in trouble, and the next after a failure that made nothing. Where
 * something may have been made, even by an earlier claim, only the same one is asked again. Where
 * all are in trouble, the job is released and waits for the one to be tried first, unless one fails
 * this job alone.
 */
export async function callWithFallback<Candidate extends Provider>(
  asking: CallEnvironment,
  part: PartName,
  candidates: readonly Candidate[],
  call: Call<Candidate>,
): Promise<RawAnswer> {
  let able = possiblyChargedProviders(asking, part, candidates)
  let blamed: GenerationError | undefined
  for (const pauseMs of [...RETRY_PAUSES_MS, undefined]) {
    const paused: { name: string; ms: number }[] = []
    let failure: GenerationError | undefined
    for (const provider of able) {
      const took = await callCandidate(asking, part, provider, call)
      if ('answer' in took) return took.answer
      const { name } = provider
      // It may have been made and paid: only the same provider is asked again.
      if ('pausedMs' in took && took.made) throw new JobPaused({ waitsFor: name, inMs: 0, trouble: true })
      if ('pausedMs' in took) paused.push({ name, ms: took.pausedMs })
      else failure = took.failure
      if ('blamed' in took && took.blamed) blamed = took.failure
      if (failure?.made) {
        able = [provider]
        break
      }
    }
    if (failure === undefined) {
      if (blamed !== undefined) throw new AttemptFailed(blamed)
      const first = paused.reduce((one, other) => (other.ms < one.ms ? other : one))
      throw new JobPaused({ waitsFor: first.name, inMs: 0, trouble: true })
    }
    if (pauseMs === undefined) throw new AttemptFailed(blamed ?? failure)
    await wait(pauseMs, undefined, { signal: asking.signal })
  }
  throw new Error('the last round has no pause')
}

/**
 * Candidates that may have been paid for this part; all where none was, or none is configured any
 * more.
 */
function possiblyChargedProviders<Candidate extends Provider>(
  { unacknowledged }: CallEnvironment,
  { step, name }: PartName,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const asked = unacknowledged.filter(([ofStep, part]) => ofStep === step && part === name)
  const found = candidates.filter(({ name, model }) =>
    asked.some(([, , provider, its]) => provider === name && its === model),
  )
  return found.length > 0 ? found : candidates
}

async function callCandidate<Candidate extends Provider>(
  asking: CallEnvironment,
  part: PartName,
  provider: Candidate,
  call: Call<Candidate>,
): Promise<CallOutcome> {
  const place = await asking.gate.acquire(provider, asking.signal)
  if (place === 'full') throw new JobPaused({ waitsFor: provider.name })
  if ('pausedMs' in place) return place
  try {
    return await callThroughGate(asking, part, provider, call)
  } finally {
    place.release()
  }
}

async function callThroughGate<Candidate extends Provider>(
  asking: CallEnvironment,
  part: PartName,
  provider: Candidate,
  call: Call<Candidate>,
): Promise<CallOutcome> {
  const { ledger, gate, pool, signal, stopping } = asking
  // Running calls finish; no new ones start.
  if (stopping.aborted) throw new JobPaused({ waitsFor: '' })
  asking.spend()
  const { name, model } = provider
  let probing = false
  let intent = await ledger.beginCall(part, { provider: name, model, probing })
  while (intent === undefined) {
    const asked = await acquireProbe(pool, name)
    if (typeof asked === 'number') {
      asking.unspent()
      gate.pause(name, asked)
      return { pausedMs: asked }
    }
    probing = asked === 'probe'
    intent = await ledger.beginCall(part, { provider: name, model, probing })
  }
  if (intent.unacknowledged >= MOST_UNACKNOWLEDGED) {
    const failure = answerLost(name)
    await ledger.endCall(intent.id, 'failed', failure)
    throw failure
  }
  let answer: RawAnswer
  try {
    const { key: idempotencyKey } = intent
    const facts = { 'galley.step': part.step, 'galley.part': part.name, 'galley.call': intent.id }
    answer = await withSpan(`ask ${name}`, { kind: 'client', facts }, () =>
      timeProviderCall(name, () => call(provider, { idempotencyKey, signal })),
    )
  } catch (error) {
    // Whoever takes the job over treats the call as in flight.
    signal.throwIfAborted()
    return recordFailure(asking, { id: intent.id, part, name, probing }, error)
  }
  await reportServed(asking, name, probing)
  const { id } = intent
  const { usage, costMicros } = answer
  try {
    const patience = { signal, firstMs: asking.firstPauseMs / 20 }
    const stored = await storePaidAnswer(asking.storage, asking.accountId, answer, patience)
    // Paid for: retry until the database is back.
    await retryUntilStored(asking, () => ledger.storePart(part, stored, { id, usage, costMicros }))
  } catch (error) {
    if (error instanceof GenerationError) await ledger.endCall(id, 'lost', error)
    throw error
  }
  asking.paid(costMicros ?? 0)
  return { answer }
}

/** Handles a call that threw. */
async function recordFailure(
  asking: CallEnvironment,
  { id, part, name, probing }: { id: string; part: PartName; name: string; probing: boolean },
  error: unknown,
): Promise<CallOutcome> {
  const { ledger, gate, pool, log } = asking
  if (!(error instanceof GenerationError)) {
    const code = error instanceof GalleyError ? error.code : 'internal_error'
    await ledger.endCall(id, 'lost', { code, message: String(error) })
    throw error
  }
  // What the operator must fix does not pass by itself, nor blames the job.
  const passes =
    error.reason === 'PROVIDER_UNAVAILABLE' && error.action !== 'owner' && error.retryAfterMs === undefined
  const blamed =
    error.of === 'provider' && passes && (await hasServedSince(pool, name, part, claimReference(asking)))
  await ledger.endCall(id, error.made ? 'lost' : 'failed', error)
  if (!error.made) asking.unspent()
  if (error.of === 'job') {
    await reportServed(asking, name, probing)
    throw error
  }
  // It fails this job alone; others may go on.
  if (blamed && !probing) return { failure: error, blamed }
  if (gate.failed(name) || probing || !passes) {
    const ms = await pauseProvider(pool, name, { failure: error, probing, firstMs: asking.firstPauseMs })
    gate.pause(name, ms)
    log.warn(
      { provider: name, code: error.code, pausedMs: Math.round(ms) },
      `a provider is paused: ${error.message}`,
    )
    return blamed ? { failure: error, blamed } : { pausedMs: ms, made: error.made }
  }
  return { failure: error }
}

/** A provider answered, if only to refuse this job. Reported to others now and then. */
async function reportServed(
  { gate, pool, log }: CallEnvironment,
  name: string,
  probing: boolean,
): Promise<void> {
  gate.served(name, probing)
  const said = lastServedReports.get(gate) ?? new Map<string, number>()
  lastServedReports.set(gate, said)
  const now = performance.now()
  if (!probing && now - (said.get(name) ?? Number.NEGATIVE_INFINITY) < REPORT_SERVED_EVERY_MS) return
  said.set(name, now)
  const stored = recordProviderSuccess(pool, name, probing).catch((err) =>
    log.warn({ provider: name, err }, 'that a provider serves could not be stored'),
  )
  if (probing) await stored
}

const claimReference = ({ ledger, claimedAt }: CallEnvironment) => ({
  jobId: ledger.id,
  claimedMs: performance.now() - claimedAt,
})
