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

/** One claim of a job, as its steps see it; see {@link JobRun}. */
export class ClaimedRun<Kind extends JobKind = JobKind> implements JobRun<Kind> {
  readonly ledger: JobLedger
  readonly warnings: Warning[] = []
  readonly #context: JobContext
  readonly #row: JobRow<Kind>
  readonly #asking: CallEnvironment
  /** What is under way for it. */
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

  /** Why it must not go on, whatever its steps made of that; undefined where it may. */
  get over(): unknown {
    return this.#over
  }

  /** Never back: a step that is repeated from the store is one that the job has behind it. */
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

  /** Where it failed, as its status tells it. */
  error({ reason, message }: GenerationError): JobError {
    return { step: this.#row.status, code: reason, message }
  }

  /** Resolves when nothing of it is under way any more: what was paid for is stored by then. */
  async settled(): Promise<void> {
    while (this.#parts.size > 0) await Promise.allSettled(this.#parts)
  }

  /** One that must end ends all that its steps do after it, be it that they caught what was thrown. */
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

/** What no step can make up for. What a step's own function threw, it may. */
const isClaimEnd = (error: unknown): boolean =>
  error instanceof ClaimLost ||
  error instanceof JobPaused ||
  error instanceof AttemptFailed ||
  databaseFailure(error) !== undefined

/** What makes each kind of job, from its first step to its result; what was made before comes out of the store. */
export type JobSteps = { [Kind in JobKind]: (run: JobRun<Kind>) => Promise<ResultByKind[Kind]> }

/** The way of a finished document to its site: its event is stored in the transaction that ends the job. */
export type DeliverDocument = (
  database: Queryable,
  event: { accountId: string; body: Buffer },
) => Promise<{ refusal: string | null; stored(): void }>

/** What one job may have at most. */
export interface JobBudget {
  /** Calls to providers, those left out that made nothing. */
  calls: number
  /** What they cost by the prices in the settings, in millionths of their currency. */
  micros: number
}

/** What a process works on jobs with. */
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
  /** Aborted when the process is asked to stop. */
  stopping: AbortSignal
}

/** How a step of a document is named in its events. */
const stepEvents = {
  researching: 'research',
  generating: 'text',
  images: 'image',
  audio: 'audio',
} as const satisfies Record<GenerationStep, string>

/** What a job came to, as its notification tells it. */
export type JobOutcome = { status: 'completed'; data: unknown } | { status: 'failed'; error: JobError }

/** The event at the end of a job, as it goes over the wire; with `delivery` where the request says where a document goes. */
export function jobEvent({ id, kind, request }: JobRow, ending: JobOutcome): { event: string; body: string } {
  const event = `${kind}.${ending.status}`
  const delivery = 'delivery' in request && ending.status === 'completed' ? request.delivery : null
  return { event, body: storableJson({ event, id, ...ending, ...(delivery !== null && { delivery }) }) }
}

/** The same as a notification to whoever asked for it; null where nobody did. */
export function jobNotification(row: JobRow, ending: JobOutcome): JobNotification | null {
  const url = row.request.webhook_url
  return url === null ? null : { url, ...jobEvent(row, ending) }
}

/** The event at the end of a step, where the account asks for those; only documents have steps of their own. */
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
