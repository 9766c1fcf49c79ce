import { setTimeout as wait } from 'node:timers/promises'
import type { Pool } from 'pg'
import { retryUntilStored } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import type { Logger } from '../../log/log.ts'
import { timeProviderCall } from '../../observe/metrics.ts'
import { withSpan } from '../../observe/trace.ts'
import { GenerationError, jobFailure, noProviderFailure } from '../failure.ts'
import type { CallContext, Provider, RawAnswer } from '../providers/types.ts'
import type { Storage } from '../storage/storage.ts'
import { blockOf, findBlockedProviders, throwIfBlockedForLong } from './blocked-providers.ts'
import type { JobRow, PartName } from './job.ts'
import { AttemptFailed, type JobLedger, JobPaused, storePaidAnswer } from './ledger.ts'
import {
  acquireProbe,
  hasServedSince,
  type ProviderGate,
  type ProviderPause,
  pauseProvider,
  recordProviderSuccess,
  returnProbe,
} from './provider-gate.ts'

export interface JobBudget {
  /** Calls to providers, except those that made nothing. */
  calls: number
  /** Cost by the prices in the settings, in millionths of their currency. */
  micros: number
}

export interface CallNeeds {
  pool: Pool
  log: Logger
  gate: ProviderGate
  storage: Storage
  stopping: AbortSignal
  timing: Timing
  budgetOfJob: JobBudget
}

export interface CallEnvironment extends CallNeeds {
  ledger: JobLedger
  /** The job as claimed; its calls and their cost are counted here. */
  row: JobRow
  /** Time of the claim, by `performance.now()`. */
  claimedAt: number
}

const RETRY_PAUSES_MS = [250, 1_000]

/** Lost answers of a provider to a part after which it is not asked for that part again: each may have been charged. */
const MOST_UNACKNOWLEDGED = 3

type Call<Candidate> = (provider: Candidate, context: CallContext) => Promise<RawAnswer>

/** One candidate's outcome. `made`: it may have made something; `blamed`: the job is at fault; `rejected`: another may do it. */
type CallOutcome =
  | { answer: RawAnswer }
  | { failure: GenerationError; blamed?: boolean }
  | { rejected: GenerationError }
  | { pause: ProviderPause; made?: boolean }

/**
 * Asks the first candidate not in trouble, and the next after a failure that made nothing, a refusal
 * of the request or an answer that cannot be used; where all refuse, the first refusal is thrown. Where
 * something may have been made, even by an earlier claim, only the same one is asked again, until it
 * refuses or three answers were lost. Where all are in trouble, the job is released and waits for the
 * one to be tried first, unless one fails this job alone.
 */
export async function callWithFallback<Candidate extends Provider>(
  asking: CallEnvironment,
  part: PartName,
  candidates: readonly Candidate[],
  call: Call<Candidate>,
): Promise<RawAnswer> {
  if (candidates.length === 0) throw noProviderFailure()
  let willing = candidates
  let able = possiblyChargedProviders(asking, part, candidates)
  let blamed: GenerationError | undefined
  let rejected: GenerationError | undefined
  for (let round = 0; ; round += 1) {
    const paused: { provider: Candidate; pause: ProviderPause }[] = []
    let failure: GenerationError | undefined
    for (const provider of able) {
      const took = await callCandidate(asking, part, provider, call)
      if ('answer' in took) return took.answer
      if ('rejected' in took) {
        rejected ??= took.rejected
        willing = willing.filter((other) => other !== provider)
        continue
      }
      if ('pause' in took) {
        const { pause, made } = took
        // It may have been made and paid: only the same provider is asked again.
        if (made) throw new JobPaused({ waitsFor: pause.name, inMs: 0, trouble: true })
        paused.push({ provider, pause })
      } else failure = took.failure
      if ('blamed' in took && took.blamed) blamed = took.failure
      if (failure?.made) {
        able = [provider]
        break
      }
    }
    able = able.filter((provider) => willing.includes(provider))
    if (able.length === 0 && rejected !== undefined) {
      if (willing.length === 0) throw rejected
      return callWithFallback(asking, part, willing, call)
    }
    if (failure === undefined) {
      if (blamed !== undefined) throw new AttemptFailed(blamed)
      const blocked = await findBlockedProviders(asking.pool)
      const open = paused.filter(({ provider }) => blockOf(blocked, provider) === undefined)
      if (open.length === 0) throwIfBlockedForLong(able, blocked)
      const [first] = (open.length > 0 ? open : paused).toSorted(
        ({ pause: one }, { pause: other }) => one.remaining - other.remaining,
      )
      throw new JobPaused({ waitsFor: first?.pause.name ?? '', inMs: 0, trouble: true })
    }
    const pauseMs = RETRY_PAUSES_MS[round]
    if (pauseMs === undefined) throw new AttemptFailed(blamed ?? failure)
    await wait(pauseMs, undefined, { signal: asking.ledger.lost })
  }
}

/** Candidates that may have been paid for this part; all where none was, or none is configured any more. */
function possiblyChargedProviders<Candidate extends Provider>(
  { row }: CallEnvironment,
  { step, name }: PartName,
  candidates: readonly Candidate[],
): readonly Candidate[] {
  const asked = row.unacknowledged.filter(([ofStep, part]) => ofStep === step && part === name)
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
  const place = await asking.gate.acquire(provider, asking.ledger.lost)
  if (place === 'full') throw new JobPaused({ waitsFor: provider.name })
  if ('remaining' in place) return { pause: place }
  return callThroughGate(asking, part, provider, call).finally(() => place.release())
}

async function callThroughGate<Candidate extends Provider>(
  asking: CallEnvironment,
  part: PartName,
  provider: Candidate,
  call: Call<Candidate>,
): Promise<CallOutcome> {
  const { ledger, row, gate, pool, stopping } = asking
  const signal = ledger.lost
  // Running calls finish; no new ones start.
  if (stopping.aborted) throw new JobPaused({ waitsFor: '' })
  countCall(asking)
  const { name, model } = provider
  let probing = false
  const begin = () => ledger.beginCall(part, { provider: name, model, probing })
  let intent = await begin()
  while (intent === undefined) {
    const asked = await acquireProbe(pool, provider)
    if (typeof asked === 'object') {
      row.calls -= 1
      if (asked.name === name) gate.pause(name, asked.remaining)
      return { pause: asked }
    }
    probing = asked === 'probe'
    intent = await begin().catch(async (error: unknown) => {
      if (probing) await returnProbe(pool, provider)
      throw error
    })
  }
  if (intent.unacknowledged >= MOST_UNACKNOWLEDGED) {
    const failure = jobFailure(
      'PROVIDER_UNAVAILABLE',
      `The provider ${name} was asked ${MOST_UNACKNOWLEDGED} times for the same part, and gave no answer that can be used${intent.said && `: ${intent.said.replace(/\.$/, '')}`}. It may have charged for each. Look at what it logged, then try again.`,
    )
    await ledger.endCall(intent.id, 'failed', failure)
    if (probing) await returnProbe(pool, provider)
    row.calls -= 1
    return { rejected: failure }
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
    return recordFailure(asking, { id: intent.id, part, provider, probing }, error)
  }
  await reportServed(asking, provider, probing)
  const { id } = intent
  const { usage, costMicros } = answer
  try {
    const patience = { signal, firstMs: asking.timing.firstPauseMs / 20 }
    const stored = await storePaidAnswer(asking.storage, row.account_id, answer, patience)
    // Paid for: retry until the database is back.
    await retryUntilStored(asking, () => ledger.storePart(part, stored, { id, usage, costMicros }))
  } catch (error) {
    if (error instanceof GenerationError) await ledger.endCall(id, 'lost', error)
    throw error
  }
  row.micros += costMicros ?? 0
  return { answer }
}

/** Counts a call about to leave; uncounted where it did not leave, or made nothing. @throws GenerationError */
function countCall({ row, budgetOfJob: { calls, micros } }: CallEnvironment): void {
  if (row.calls >= calls) throw budgetExceeded(`${calls} calls to providers`, 'GALLEY_JOB_CALLS')
  if (row.micros >= micros)
    throw budgetExceeded(`${micros} millionths of money at providers`, 'GALLEY_JOB_MICROS')
  row.calls += 1
}

const budgetExceeded = (what: string, setting: string): GenerationError =>
  jobFailure(
    'BUDGET_EXCEEDED',
    `This job has reached its limit, ${what} (${setting}), and is not finished. Ask for less in one job, or raise the setting.`,
  )

async function recordFailure(
  asking: CallEnvironment,
  { id, part, provider, probing }: { id: string; part: PartName; provider: Provider; probing: boolean },
  error: unknown,
): Promise<CallOutcome> {
  const { ledger, row, gate, pool, claimedAt } = asking
  const { name } = provider
  if (!(error instanceof GenerationError)) {
    const code = error instanceof GalleyError ? error.code : 'internal_error'
    await ledger.endCall(id, 'lost', { code, message: String(error) })
    throw error
  }
  // What the operator must fix does not pass by itself, nor blames the job.
  const passes =
    error.reason === 'PROVIDER_UNAVAILABLE' && error.action !== 'owner' && error.retryAfterMs === undefined
  const blamed =
    error.of === 'provider' &&
    passes &&
    (await hasServedSince(pool, name, part, { jobId: ledger.id, claimedMs: performance.now() - claimedAt }))
  const outcome = error.of === 'job' ? 'unusable' : 'lost'
  await ledger.endCall(id, error.made ? outcome : 'failed', error)
  if (!error.made) row.calls -= 1
  if (error.of === 'job') {
    await reportServed(asking, provider, probing)
    if (error.reason === 'PROVIDER_REJECTED' || error.reason === 'INVALID_OUTPUT') return { rejected: error }
    throw error
  }
  // It fails this job alone; others may go on.
  if (blamed && !probing) return { failure: error, blamed }
  if (gate.failed(name) || probing || !passes) {
    const pause = await pauseProvider(asking, provider, {
      failure: error,
      probing,
      firstMs: asking.timing.firstPauseMs,
    })
    if (pause.name === name) gate.pause(name, pause.remaining)
    return blamed ? { failure: error, blamed } : { pause, made: error.made }
  }
  return { failure: error }
}

/** A provider answered, if only to refuse this job. Reported to others now and then. */
async function reportServed({ gate, pool, log }: CallEnvironment, provider: Provider, probing: boolean) {
  const { name } = provider
  if (!gate.served(name, probing)) return
  const stored = recordProviderSuccess(pool, provider, probing).catch((err) =>
    log.warn({ provider: name, err }, 'that a provider serves could not be stored'),
  )
  if (probing) await stored
}
