import type { JobKind, Requests } from '../../contract/generation/requests.ts'
import type { JobError, Step } from '../../contract/generation/results.ts'
import { databaseFailure } from '../../database/sqlstates.ts'
import type { Warning } from '../../errors.ts'
import { GenerationError } from '../failure.ts'
import type { RawAnswer } from '../providers/answer.ts'
import type { CallContext, Provider } from '../providers/types.ts'
import { type Asking, ask } from './ask.ts'
import type { JobContext } from './context.ts'
import { Blamed, FencedOff, Paused } from './interruptions.ts'
import { JobLedger } from './ledger.ts'
import { stepNotification } from './notifications.ts'
import { type JobRow, stepsOf } from './row.ts'
import type { JobRun, PartName } from './run.ts'
import { bodyOf, rawAnswer, storeAnswer } from './stored-answer.ts'

/** One claim of a job, as its steps see it; see {@link JobRun}. */
export class ClaimedRun<Kind extends JobKind = JobKind> implements JobRun<Kind> {
  readonly ledger: JobLedger
  readonly warnings: Warning[] = []
  readonly #context: JobContext
  readonly #row: JobRow<Kind>
  readonly #asking: Asking
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

  get request(): Requests[Kind] {
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
  async enter(step: Step): Promise<void> {
    this.#assertGoesOn()
    const { status, kind } = this.#row
    const order: readonly Step[] = stepsOf[kind]
    if (order.indexOf(step) <= order.indexOf(status)) return
    const notification = stepNotification(this.#row, { step: status })
    await this.#end(() => this.ledger.enter(step, notification))
  }

  async expect(step: Step, parts: number): Promise<void> {
    this.#assertGoesOn()
    this.ledger.expect(step, parts)
  }

  async answer<Candidate extends Provider>(
    part: PartName,
    candidates: readonly Candidate[],
    call: (provider: Candidate, context: CallContext) => Promise<RawAnswer>,
  ): Promise<RawAnswer> {
    this.#assertGoesOn()
    return this.#end(async () => {
      const stored = await this.ledger.stored(part)
      if (stored !== undefined) return rawAnswer(this.#context.storage, stored)
      return ask(this.#asking, part, candidates, call)
    })
  }

  async keep(part: PartName, make: () => Promise<string | Buffer>): Promise<string | Buffer> {
    this.#assertGoesOn()
    return this.#end(async () => {
      const { storage } = this.#context
      const stored = await this.ledger.stored(part)
      if (stored !== undefined) return bodyOf(storage, stored)
      if (this.#context.stopping.aborted) throw new Paused({ waitsFor: '' })
      const body = await make()
      await this.ledger.store(part, await storeAnswer(storage, this.accountId, { body }))
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
      if (endsClaim(error)) this.#over ??= error
      throw error
    })
    this.#parts.add(part)
    const done = () => this.#parts.delete(part)
    part.then(done, done)
    return part
  }

  #spend(): void {
    const { calls, micros } = this.#context.budgetOfJob
    if (this.#row.calls >= calls) throw spent(`${calls} calls to providers`, 'GALLEY_JOB_CALLS')
    if (this.#row.micros >= micros)
      throw spent(`${micros} millionths of money at providers`, 'GALLEY_JOB_MICROS')
    this.#row.calls += 1
  }
}

const spent = (what: string, setting: string): GenerationError =>
  new GenerationError({
    reason: 'PROVIDER_UNAVAILABLE',
    of: 'job',
    message: `This job has reached its limit, ${what} (${setting}), and is not finished. Ask for less in one job, or raise the setting.`,
  })

/** What no step can make up for. What a step's own function threw, it may. */
const endsClaim = (error: unknown): boolean =>
  error instanceof FencedOff ||
  error instanceof Paused ||
  error instanceof Blamed ||
  databaseFailure(error) !== undefined
