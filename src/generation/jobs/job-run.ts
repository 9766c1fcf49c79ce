import type { Pool } from 'pg'
import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import type { GenerationStep, JobError, ResultByKind } from '../../contract/generation/results.ts'
import { databaseFailure } from '../../database/errors.ts'
import { storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Warning } from '../../errors.ts'
import type { Heartbeat, Timing } from '../../jobs/heartbeat.ts'
import type { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { Logger } from '../../log/log.ts'
import { GenerationError } from '../failure.ts'
import type { CallContext, Provider, RawAnswer } from '../providers/types.ts'
import type { Storage } from '../storage/types.ts'
import { type JobRow, type JobRun, type PartName, stepsOf } from './job.ts'
import { AttemptFailed, ClaimLost, JobLedger, type JobNotification, JobPaused } from './ledger.ts'
import { type CallEnvironment, callWithFallback } from './provider-call.ts'
import type { ProviderGate } from './provider-gate.ts'
import { readAnswerBody, readRawAnswer, storeAnswer } from './stored-answer.ts'

export class ClaimedRun<Kind extends JobKind = JobKind> implements JobRun<Kind> {
  readonly ledger: JobLedger
  readonly warnings: Warning[] = []
  readonly #context: JobContext
  readonly #row: JobRow<Kind>
  readonly #asking: CallEnvironment
  readonly #parts = new Set<Promise<unknown>>()
  #over: unknown

  constructor(context: JobContext, row: JobRow<Kind>) {
    this.#context = context
    this.#row = row
    this.ledger = new JobLedger(context.pool, row, context.timing.leaseS)
    this.#asking = {
      ...context,
      ledger: this.ledger,
      accountId: row.account_id,
      signal: this.ledger.lost,
      firstPauseMs: context.timing.firstPauseMs,
      claimedAt: performance.now(),
      unacknowledged: row.unacknowledged,
      spend: () => this.#spend(),
      unspent: () => {
        row.calls -= 1
      },
      paid: (micros) => {
        row.micros += micros
      },
    }
  }

  get id(): string {
    return this.#row.id
  }

  get accountId(): string {
    return this.#row.account_id
  }

  get kind(): Kind {
    return this.#row.kind
  }

  get request(): RequestByKind[Kind] {
    return this.#row.request
  }

  get signal(): AbortSignal {
    return this.ledger.lost
  }

  get mostCalls(): number {
    return this.#context.budgetOfJob.calls
  }

  get callsLeft(): number {
    return Math.max(0, this.mostCalls - this.#row.calls)
  }

  /** Why the run must stop, whatever its steps caught; undefined where it may go on. */
  get over(): unknown {
    return this.#over
  }

  /** Never goes back: a step repeated from the store is already behind the job. */
  async enter(step: GenerationStep): Promise<void> {
    this.#assertGoesOn()
    const { status, kind } = this.#row
    const order: readonly GenerationStep[] = stepsOf[kind]
    if (order.indexOf(step) <= order.indexOf(status)) return
    const notification = stepNotification(this.#row, { step: status })
    await this.#end(() => this.ledger.enterStep(step, notification))
  }

  async expect(step: GenerationStep, parts: number): Promise<void> {
    this.#assertGoesOn()
    this.ledger.expectParts(step, parts)
  }

  async answer<Candidate extends Provider>(
    part: PartName,
    candidates: readonly Candidate[],
    call: (provider: Candidate, context: CallContext) => Promise<RawAnswer>,
  ): Promise<RawAnswer> {
    this.#assertGoesOn()
    return this.#end(async () => {
      const stored = await this.ledger.storedPart(part)
      if (stored !== undefined) return readRawAnswer(this.#context.storage, stored)
      return callWithFallback(this.#asking, part, candidates, call)
    })
  }

  async keep(part: PartName, make: () => Promise<string | Buffer>): Promise<string | Buffer> {
    this.#assertGoesOn()
    return this.#end(async () => {
      const { storage } = this.#context
      const stored = await this.ledger.storedPart(part)
      if (stored !== undefined) return readAnswerBody(storage, stored)
      if (this.#context.stopping.aborted) throw new JobPaused({ waitsFor: '' })
      const body = await make()
      await this.ledger.storePart(part, await storeAnswer(storage, this.accountId, { body }))
      return body
    })
  }

  warn({ code, message }: Warning): void {
    if (!this.warnings.some((other) => other.code === code && other.message === message))
      this.warnings.push({ code, message })
  }

  error({ reason, message }: GenerationError): JobError {
    return { step: this.#row.status, code: reason, message }
  }

  /** Resolves when nothing is under way; what was paid for is stored by then. */
  async settled(): Promise<void> {
    while (this.#parts.size > 0) await Promise.allSettled(this.#parts)
  }

  /** A run that must end also ends steps that caught the error. */
  #assertGoesOn(): void {
    if (this.#over !== undefined) throw this.#over
    this.signal.throwIfAborted()
  }

  #end<Result>(work: () => Promise<Result>): Promise<Result> {
    const part = work().catch((error: unknown) => {
      if (isClaimEnd(error)) this.#over ??= error
      throw error
    })
    this.#parts.add(part)
    const done = () => this.#parts.delete(part)
    part.then(done, done)
    return part
  }

  #spend(): void {
    const { calls, micros } = this.#context.budgetOfJob
    if (this.#row.calls >= calls) throw budgetExceeded(`${calls} calls to providers`, 'GALLEY_JOB_CALLS')
    if (this.#row.micros >= micros)
      throw budgetExceeded(`${micros} millionths of money at providers`, 'GALLEY_JOB_MICROS')
    this.#row.calls += 1
  }
}

const budgetExceeded = (what: string, setting: string): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `This job has reached its limit, ${what} (${setting}), and is not finished. Ask for less in one job, or raise the setting.`,
  })

/** Errors that no step may handle; it may handle those of its own functions. */
const isClaimEnd = (error: unknown): boolean =>
  error instanceof ClaimLost ||
  error instanceof JobPaused ||
  error instanceof AttemptFailed ||
  databaseFailure(error) !== undefined

/** Makes each kind of job, from its first step to its result, reusing what is stored. */
export type JobSteps = { [Kind in JobKind]: (run: JobRun<Kind>) => Promise<ResultByKind[Kind]> }

/** Delivers a finished document: its event is stored in the transaction that ends the job. */
export type DeliverDocument = (
  database: Queryable,
  event: { accountId: string; body: Buffer },
) => Promise<{ refusal: string | null; stored(): void }>

export interface JobBudget {
  /** Calls to providers, except those that made nothing. */
  calls: number
  /** Cost by the prices in the settings, in millionths of their currency. */
  micros: number
}

export interface JobContext {
  pool: Pool
  log: Logger
  timing: Timing
  heartbeat: Heartbeat
  gate: ProviderGate
  lock: SharedExclusiveLock
  storage: Storage
  steps: JobSteps
  deliver: DeliverDocument
  budgetOfJob: JobBudget
  stopping: AbortSignal
}

const stepEvents = {
  researching: 'research',
  generating: 'text',
  images: 'image',
  audio: 'audio',
} as const satisfies Record<GenerationStep, string>

export type JobOutcome = { status: 'completed'; data: unknown } | { status: 'failed'; error: JobError }

/**
 * The final event of a job, as sent; with `delivery` where the request says where a document goes.
 */
export function jobEvent({ id, kind, request }: JobRow, ending: JobOutcome): { event: string; body: string } {
  const event = `${kind}.${ending.status}`
  const delivery = 'delivery' in request && ending.status === 'completed' ? request.delivery : null
  return { event, body: storableJson({ event, id, ...ending, ...(delivery !== null && { delivery }) }) }
}

/** The job's final notification; null where nobody wants it. */
export function jobNotification(row: JobRow, ending: JobOutcome): JobNotification | null {
  const url = row.request.webhook_url
  return url === null ? null : { url, ...jobEvent(row, ending) }
}

/** The notification at the end of a document's step, where the account wants those. */
export function stepNotification(
  row: JobRow,
  { step, error }: { step: GenerationStep; error?: JobError },
): JobNotification | null {
  const { id, kind, notify_steps, request } = row
  if (kind !== 'document' || !notify_steps || request.webhook_url === null) return null
  const parts = row.progress[step]
  const ending =
    error === undefined
      ? { status: 'completed', data: { step, ...(parts !== undefined && { parts }) } }
      : { status: 'failed', error }
  const event = `${stepEvents[step]}.${ending.status}`
  return { event, url: request.webhook_url, body: storableJson({ event, id, ...ending }) }
}
