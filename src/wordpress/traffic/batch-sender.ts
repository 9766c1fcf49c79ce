import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { countBatch } from '../../observe/metrics.ts'
import { addSpanAttributes, withSpan } from '../../observe/trace.ts'
import type { PreparedRequest, UnclassifiedAnswer } from '../client/client.ts'
import { judge } from '../failures/judge.ts'
import { batchVerdict, memberFailure, missingAnswerFailure, splitBatchAnswers } from './batch-answers.ts'
import { type BatchRoute, BatchSuspects } from './batch-route.ts'
import type { ConcurrencyControl } from './concurrency.ts'
import type { Dispatcher } from './dispatcher.ts'
import {
  type BatchMember,
  buildBatchRequest,
  type FailedRequest,
  isRepeatable,
  type QueuedRequest,
} from './queued-request.ts'

/** Several requests as one, each of which leaves, is answered and is made again as it would be alone. */
export class BatchSender {
  readonly #route: BatchRoute
  readonly #hands: Dispatcher
  readonly #control: ConcurrencyControl
  readonly #now: () => number
  readonly #suspects = new BatchSuspects()
  /** Failures for which a batch is to blame, and not the site. */
  readonly #failures = new WeakSet<object>()
  /** Failures of several at once, by the batch that they were in. */
  readonly #common = new WeakMap<object, object>()

  constructor(route: BatchRoute, hands: Dispatcher, control: ConcurrencyControl, now: () => number) {
    this.#route = route
    this.#hands = hands
    this.#control = control
    this.#now = now
  }

  mostFor(member: BatchMember | null): number {
    return this.#suspects.mostFor(member)
  }

  /** Whether a failure came of being one of several. */
  isToBlame(error: GalleyError): boolean {
    return this.#failures.has(error)
  }

  /** Whether several had this failure, and any of them may be its cause. */
  failedTogether(error: unknown): boolean {
    return typeof error === 'object' && error !== null && this.#common.has(error)
  }

  /** The same for all whose failures came of one request: the batch, or the failure itself. */
  originOf(error: GalleyError): object {
    return this.#common.get(error) ?? error
  }

  async send(party: QueuedRequest[]): Promise<void> {
    const [first, ...others] = party
    if (first === undefined) return
    if (others.length === 0) return this.#hands.alone(first)
    if (this.#route.isKnown) return this.#together(first.outgoing, party)
    // They are put into batches anew when the site has said how much it takes.
    this.#hands.comeBack(party)
    await this.#hands.first(() => this.#learn(first.outgoing))
  }

  async #learn(outgoing: PreparedRequest): Promise<void> {
    try {
      await this.#route.learn(outgoing)
      this.#control.succeeded()
    } catch (error) {
      const refused = error instanceof GalleyError && batchVerdict(error) === 'refused'
      this.#route.rest(!refused)
      // Who refuses this need not refuse the others.
      if (!refused) this.#hands.failed(error)
    }
  }

  async #together(outgoing: PreparedRequest, party: QueuedRequest[]): Promise<void> {
    const members = party.map(({ member }) => member as BatchMember)
    const kept = new Map<QueuedRequest, unknown>()
    const began = this.#now()
    countBatch(party.length)
    let answered: UnclassifiedAnswer
    try {
      answered = await exchangeBatch(outgoing, party, kept)
    } catch (error) {
      if (kept.size === 0) return this.#failed(party, error)
      for (const [one, why] of kept) one.reject(why)
      return this.send(party.filter((one) => !kept.has(one)))
    }
    const answers = splitBatchAnswers(answered, members)
    if (answers === null) return this.#unanswered(party, answered)
    this.#route.answered(party.length, this.#now() - began)
    this.#answered(party, answers)
  }

  /** Each answer is judged by itself, as that of a single request. Where one has none, that is the batch's fault. */
  #answered(party: QueuedRequest[], answers: (UnclassifiedAnswer | null)[]): void {
    const failures: FailedRequest[] = []
    const unanswered: [QueuedRequest, GalleyError][] = []
    for (const [at, one] of party.entries()) {
      const answer = answers[at] ?? null
      this.#suspects.clear(one)
      try {
        if (answer === null) unanswered.push([one, missingAnswerFailure(one.outgoing)])
        else one.resolve(one.outgoing.judge(answer, one.outgoing.request))
      } catch (error) {
        failures.push([one, error])
      }
    }
    for (const [one] of [...failures, ...unanswered]) one.most = 1
    if (unanswered.length === party.length) this.#route.rest()
    else this.#judged(party.length - unanswered.length, failures)
    this.#hands.comeBack(this.#blame(unanswered))
    for (const [one, error] of failures) {
      if (isBatchNotAllowed(error)) {
        this.#route.leaveOut(one.member as BatchMember)
        this.#hands.comeBack([one])
      } else this.#hands.again([[one, error]])
    }
  }

  /** What so many answers, of which these are failures, say of the site. */
  #judged(answers: number, failures: FailedRequest[]): void {
    const [siteFailed] = failures.filter(([, error]) => judge(error).site === 'fails')
    if (failures.length === answers && siteFailed !== undefined) this.#hands.failed(siteFailed[1])
    else this.#control.succeeded()
  }

  /** The batch was answered as a whole, and none of its members by itself. */
  async #unanswered(party: QueuedRequest[], answered: UnclassifiedAnswer): Promise<void> {
    const failures = party.map((one): [QueuedRequest, GalleyError] => [one, memberFailure(one, answered)])
    const [[, failure] = []] = failures
    if (failure === undefined) return
    const verdict = batchVerdict(failure)
    if (verdict === 'failed') {
      this.#hands.failed(failure)
      if (answered.status >= 500 && !this.#control.health.isIsolated) this.#route.halve()
      return this.#againInLess(failures)
    }
    if (verdict === 'too_big') {
      this.#route.tooBig(party.map(({ member }) => member as BatchMember))
      return this.#hands.comeBack(this.#blame(failures))
    }
    this.#route.rest()
    const [first, ...others] = this.#blame(failures)
    if (first === undefined) return
    this.#hands.comeBack(others)
    // Whoever refused the batch may refuse all of them: one finds out.
    await this.#hands.first(() => this.#hands.alone(first))
  }

  #failed(party: QueuedRequest[], error: unknown): void {
    const isOurs = error instanceof GalleyError
    if (isOurs && (error.code === 'site_timeout' || error.code === 'answer_too_big')) this.#route.halve()
    if (isOurs && error.code === 'answer_too_big') {
      for (const one of party) this.#suspects.suspect(one, party.length)
      this.#hands.comeBack(this.#blame(party.map((one) => [one, error])))
    } else {
      this.#hands.failed(error)
      this.#againInLess(party.map((one) => [one, error]))
    }
  }

  #againInLess(failures: FailedRequest[]): void {
    for (const [one, error] of failures) {
      this.#suspects.suspect(one, failures.length)
      if (error instanceof GalleyError) this.#common.set(error, failures)
    }
    this.#hands.again(failures)
  }

  /** Those who may go at once because only the batch is to blame; the others look for what it may have left. */
  #blame(failures: [QueuedRequest, GalleyError][]): QueuedRequest[] {
    const again: QueuedRequest[] = []
    for (const [one, error] of failures) {
      this.#failures.add(error)
      if (isRepeatable(one) || error.action !== 'ambiguous') again.push(one)
      else one.reject(error)
    }
    return again
  }
}

/** One exchange with the site: a span of its own, which names those of the requests in it. */
function exchangeBatch(
  { site, unjudged }: PreparedRequest,
  party: QueuedRequest[],
  kept: Map<QueuedRequest, unknown>,
): Promise<UnclassifiedAnswer> {
  const batch = buildBatchRequest(party.map(({ member }) => member as BatchMember))
  const facts = { 'server.address': new URL(site.restRoot).hostname, 'galley.batch.size': party.length }
  const of = party.map(({ span }) => span)
  return withSpan(`${batch.method} ${batch.path}`, { kind: 'client', facts, of }, async () => {
    const answered = await unjudged(batch, () => recheckAll(party, kept))
    addSpanAttributes({ 'http.response.status_code': answered.status })
    return answered
  })
}

/** Asks each whether it may still leave; those that may not are kept, with their reason, and nothing is sent. */
function recheckAll(party: QueuedRequest[], kept: Map<QueuedRequest, unknown>): void {
  for (const one of party) {
    try {
      one.outgoing.beforeSend()
    } catch (error) {
      kept.set(one, error)
    }
  }
  if (kept.size > 0) throw Object.assign(new Error('not all of them may leave'), { code: 'NOT_SENT' })
}

/** WordPress says that of a route whose controller has not declared that it takes batches. */
const isBatchNotAllowed = (error: unknown): boolean =>
  error instanceof GalleyError && notAllowedSchema.safeParse(error.details).success

const notAllowedSchema = z.object({ wordpress: z.object({ code: z.literal('rest_batch_not_allowed') }) })
