import type { JobKind, RequestByKind } from '../../contract/generation/requests.ts'
import type { GenerationStep, JobError, ResultByKind } from '../../contract/generation/results.ts'
import { databaseFailure } from '../../database/errors.ts'
import { storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Warning } from '../../errors.ts'
import type { Heartbeat } from '../../jobs/heartbeat.ts'
import type { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import { type RatedWarning, type WarningCode, withSeverity } from '../../warnings.ts'
import { GenerationError, jobFailure } from '../failure.ts'
import type { CallContext, Provider, RawAnswer } from '../providers/types.ts'
import { type JobRow, LEFT_OUT, MAX_ATTEMPTS, type PartName, resumableSteps, stepsOf } from './job.ts'
import {
  AttemptFailed,
  ClaimLost,
  JobLedger,
  type JobNotification,
  JobPaused,
  readAnswerBody,
  readRawAnswer,
  type StoredAnswer,
  storeAnswer,
} from './ledger.ts'
import { type CallEnvironment, type CallNeeds, callWithFallback } from './provider-call.ts'

/** One claim of a job. Its steps do all through it, so that nothing is made twice when they are repeated. */
export class ClaimedRun<Kind extends JobKind = JobKind> {
  readonly id: string
  readonly accountId: string
  readonly kind: Kind
  readonly request: RequestByKind[Kind]
  readonly mostCalls: number
  readonly ledger: JobLedger
  /** Aborted when the claim is lost or the process stops. */
  readonly signal: AbortSignal
  readonly createdAt: Date
  readonly warnings: RatedWarning[] = []
  /** As claimed, and as the run has changed it. */
  readonly row: JobRow<Kind>
  readonly #context: JobContext
  readonly #asking: CallEnvironment
  readonly #parts = new Set<Promise<unknown>>()
  /** Why the run must stop, whatever its steps caught; undefined where it may go on. */
  over: unknown

  constructor(context: JobContext, row: JobRow<Kind>) {
    this.#context = context
    this.row = row
    this.id = row.id
    this.accountId = row.account_id
    this.kind = row.kind
    this.request = row.request
    this.mostCalls = context.budgetOfJob.calls
    this.createdAt = new Date(Date.now() - row.age * 1000)
    this.ledger = new JobLedger(context.pool, row, context.timing.leaseS)
    this.signal = this.ledger.lost
    this.#asking = { ...context, ledger: this.ledger, row, claimedAt: performance.now() }
  }

  get callsLeft(): number {
    return Math.max(0, this.mostCalls - this.row.calls)
  }

  /** Sets the step that the status shows. Never goes back: a step repeated from the store is already behind the job. */
  async enter(step: GenerationStep): Promise<void> {
    this.#assertGoesOn()
    const { status, kind } = this.row
    const order: readonly GenerationStep[] = stepsOf[kind]
    if (order.indexOf(step) <= order.indexOf(status)) return
    const notification = stepNotification(this.row, { step: status })
    await this.#end(() => this.ledger.enterStep(step, notification))
  }

  /** @param parts how many more parts the step has, for `progress` */
  async expect(step: GenerationStep, parts: number): Promise<void> {
    this.#assertGoesOn()
    this.ledger.expectParts(step, parts)
  }

  /**
   * The answer for this part, from the store or a provider: stores the intent, sends the request, stores the answer. Asks the
   * first candidate not in trouble, and the next after a failure that made nothing.
   * @param candidates of one tier, the preferred first
   * @throws GalleyError of `failure.ts`
   */
  async answer<Candidate extends Provider>(
    part: PartName,
    candidates: readonly Candidate[],
    call: (provider: Candidate, context: CallContext) => Promise<RawAnswer>,
  ): Promise<RawAnswer> {
    this.#assertGoesOn()
    return this.#end(async () => {
      const stored = await this.#storedPart(part)
      if (stored !== undefined) return readRawAnswer(this.#context.storage, stored)
      return callWithFallback(this.#asking, part, candidates, call)
    })
  }

  /** A part that needs no provider, a value of JSON: from the store, or made. Made again if the process ended meanwhile. */
  async keep<Made>(part: PartName, make: () => Promise<Made>): Promise<Made> {
    this.#assertGoesOn()
    return this.#end(async () => {
      const { storage } = this.#context
      const stored = await this.#storedPart(part)
      if (stored !== undefined) return JSON.parse(String(await readAnswerBody(storage, stored))) as Made
      if (this.#context.stopping.aborted) throw new JobPaused({ waitsFor: '' })
      const made = await make()
      const body = JSON.stringify(made)
      await this.ledger.storePart(part, await storeAnswer(storage, this.accountId, { body }))
      return made
    })
  }

  /** Makes something optional; where that fails for good, it is left out with a warning until a resume. */
  async makeOrLeaveOut<Made>(
    { step, name }: PartName,
    { code, what }: { code: WarningCode; what: string },
    make: () => Promise<Made>,
  ): Promise<Made | undefined> {
    const leftOut = { step, name: `${name}${LEFT_OUT}` }
    let why = await this.#whyLeftOut(leftOut)
    try {
      if (why === undefined) return await make()
    } catch (error) {
      // In the last attempt it alone is left out, where the job would end or go on without the rest of its step.
      const isLast = this.row.attempts + 1 >= MAX_ATTEMPTS
      if (!(error instanceof GenerationError) || (error.of !== 'job' && !isLast)) throw error
      why = error.message
      await this.#end(() => this.ledger.storePart(leftOut, { text: error.message }))
    }
    this.warn({ code, message: `${what} was left out. ${why}` })
    return undefined
  }

  /** Lets later claims do without the rest of the step. @returns false where they do, or none can */
  async leaveOutRest({ message }: GenerationError): Promise<boolean> {
    const rest = restOf(this.row.status)
    if (!resumableSteps.includes(rest.step) || (await this.#whyLeftOut(rest)) !== undefined) return false
    await this.ledger.storePart(rest, { text: message })
    return true
  }

  /** A warning shown with the result; the same code and message count once. */
  warn({ code, message }: Warning): void {
    if (!this.warnings.some((other) => other.code === code && other.message === message))
      this.warnings.push(...withSeverity([{ code, message }]))
  }

  error({ reason, message }: GenerationError): JobError {
    return { step: this.row.status, code: reason, message }
  }

  /** Resolves when nothing is under way; what was paid for is stored by then. */
  async settled(): Promise<void> {
    while (this.#parts.size > 0) await Promise.allSettled(this.#parts)
  }

  /** @throws GenerationError where it is not stored, and its step goes on without */
  async #storedPart(part: PartName): Promise<StoredAnswer | undefined> {
    const stored = await this.ledger.storedPart(part)
    const why = stored === undefined ? await this.#whyLeftOut(restOf(part.step)) : undefined
    if (why !== undefined) throw jobFailure('PROVIDER_UNAVAILABLE', why)
    return stored
  }

  async #whyLeftOut(part: PartName): Promise<string | undefined> {
    const stored = await this.ledger.storedPart(part)
    return stored && String(await readAnswerBody(this.#context.storage, stored))
  }

  /** A run that must end also ends steps that caught the error. */
  #assertGoesOn(): void {
    if (this.over !== undefined) throw this.over
    this.signal.throwIfAborted()
  }

  #end<Result>(work: () => Promise<Result>): Promise<Result> {
    const part = work().catch((error: unknown) => {
      if (isClaimEnd(error)) this.over ??= error
      throw error
    })
    this.#parts.add(part)
    const done = () => this.#parts.delete(part)
    part.then(done, done)
    return part
  }
}

const restOf = (step: GenerationStep): PartName => ({ step, name: `rest${LEFT_OUT}` })

/** Errors that no step may handle; it may handle those of its own functions. */
const isClaimEnd = (error: unknown): boolean =>
  error instanceof ClaimLost ||
  error instanceof JobPaused ||
  error instanceof AttemptFailed ||
  databaseFailure(error) !== undefined

/** A claim as the steps of its job see it. */
export type JobRun<Kind extends JobKind = JobKind> = Omit<
  ClaimedRun<Kind>,
  'row' | 'ledger' | 'warnings' | 'over' | 'leaveOutRest' | 'error' | 'settled'
>

export type JobSteps = { [Kind in JobKind]: (run: JobRun<Kind>) => Promise<ResultByKind[Kind]> }

/** Delivers a finished document: its event is stored in the transaction that ends the job. */
export type DeliverDocument = (
  database: Queryable,
  event: { accountId: string; body: Buffer },
) => Promise<{ refusal: string | null; stored(): void }>

export interface JobContext extends CallNeeds {
  heartbeat: Heartbeat
  lock: SharedExclusiveLock
  steps: JobSteps
  deliver: DeliverDocument
}

const stepEvents = {
  researching: 'research',
  generating: 'text',
  images: 'image',
  audio: 'audio',
} as const satisfies Record<GenerationStep, string>

export type JobOutcome = { status: 'completed'; data: unknown } | { status: 'failed'; error: JobError }

type ToldJob = Pick<JobRow, 'id' | 'kind' | 'request'>
type ToldOutcome = JobOutcome | { status: 'cancelled'; refunded: number }

/** The final event of a job, as sent; with `delivery` where the request says where a document goes. */
export function jobEvent({ id, kind, request }: ToldJob, ending: ToldOutcome) {
  const event = `${kind}.${ending.status}`
  const delivery = 'delivery' in request && ending.status === 'completed' ? request.delivery : null
  return { event, body: storableJson({ event, id, ...ending, ...(delivery !== null && { delivery }) }) }
}

export function jobNotification(row: ToldJob, ending: ToldOutcome): JobNotification | null {
  const url = row.request.webhook_url
  return url === null ? null : { url, ...jobEvent(row, ending) }
}

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
