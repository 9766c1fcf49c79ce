import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import type { Answer, Outgoing, Traffic, Unjudged } from '../client/index.ts'
import { refusesCredentials } from '../failures/index.ts'
import { answersIn } from './batch/answers.ts'
import { asMember, type Member } from './batch/member.ts'
import { batchOf } from './batch/request.ts'
import { BatchRoute } from './batch/route.ts'
import { failureOf, noOwnAnswer, verdictOf } from './batch/verdict.ts'
import { Gatherer } from './gatherer.ts'
import { Health } from './health.ts'
import { Line } from './line.ts'
import { Memory } from './memory.ts'
import { notSent, passes, saidOfSite } from './passing.ts'
import { pause, TRIES } from './patience.ts'
import { isRepeatable, type Waiting } from './waiting.ts'
import { Window } from './window.ts'

export interface SiteTrafficOptions {
  /** Most requests to the site at once; a batch is one. */
  concurrency: number
  /** Whether several requests may go as one through `/batch/v1`, where the site takes that. */
  batch: 'auto' | 'off'
  /** Milliseconds on a clock that never goes back; the process' own unless given. */
  now?: () => number
}

/** The traffic of one site in this process, whoever sends it. */
export const createSiteTraffic = (options: SiteTrafficOptions): SiteTraffic => new SiteTraffic(options)

/**
 * How the requests of many deliveries go out to their one site: never more at once than it takes, in batches where they
 * wait for each other, and again where a failure may pass. No request is made twice that may have changed something.
 */
export class SiteTraffic implements Traffic {
  readonly #window: Window
  readonly #health: Health
  readonly #route: BatchRoute
  readonly #line = new Line()
  readonly #memory = new Memory()
  readonly #gatherer = new Gatherer()
  /** Failures for which a batch is to blame, and not the site. */
  readonly #ofBatches = new WeakSet<object>()
  readonly #now: () => number
  /** One goes first and alone; the others wait for what it is told. */
  #oneFirst = false
  #starting = false

  constructor({ concurrency, batch, now = () => performance.now() }: SiteTrafficOptions) {
    this.#now = now
    this.#window = new Window(concurrency)
    this.#health = new Health(now)
    this.#route = new BatchRoute(batch, now)
  }

  get concurrency(): number {
    return this.#window.ceiling
  }

  set concurrency(concurrency: number) {
    this.#window.ceiling = concurrency
    this.#startSoon()
  }

  get batch(): 'auto' | 'off' {
    return this.#route.mode
  }

  set batch(mode: 'auto' | 'off') {
    this.#route.mode = mode
  }

  /**
   * Whether failures of the site persist, so that it is to be paused: several in a row, half of the latest, one that does
   * not pass by itself, or any where nothing has succeeded lately. False after a hiccup.
   */
  persists(): boolean {
    return this.#health.persists
  }

  send(outgoing: Outgoing): Promise<Answer> {
    return new Promise((resolve, reject) => {
      this.#line.push({
        outgoing,
        member: asMember(outgoing),
        tries: 0,
        most: Number.POSITIVE_INFINITY,
        resolve,
        reject,
      })
      this.#startSoon()
    })
  }

  gather<Item, Found>(
    name: string,
    item: Item,
    many: (items: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<Found> {
    return this.#gatherer.gather(name, item, many)
  }

  remember<Value>(key: string, learn: () => Promise<Value>): Promise<Value> {
    return this.#memory.remember(key, learn)
  }

  forget(prefix: string): void {
    this.#memory.forget(prefix)
  }

  async again(error: unknown, tries: number): Promise<boolean> {
    if (tries >= TRIES || !(error instanceof GalleyError)) return false
    // The next one goes by itself.
    if (this.#ofBatches.has(error)) return true
    // What took too long may still be under way.
    if (!passes(error) || error.code === 'site_timeout' || !this.#health.hopeful) return false
    await pause(tries)
    return this.#health.hopeful
  }

  /** Those who ask in the same moment are all there when the first of them goes. */
  #startSoon(): void {
    if (this.#starting) return
    this.#starting = true
    setImmediate(() => {
      this.#starting = false
      this.#start()
    })
  }

  #start(): void {
    while (!this.#oneFirst && this.#window.free > 0 && this.#line.length > 0) {
      const party = this.#line.next(this.#route, this.#window.free)
      this.#window.take()
      void this.#go(party)
        .catch((error: unknown) => {
          for (const one of party) one.reject(error)
        })
        .finally(() => {
          this.#window.release()
          this.#startSoon()
        })
    }
  }

  async #go(party: Waiting[]): Promise<void> {
    const [first] = party
    if (first === undefined) return
    if (party.length === 1) return this.#alone(first)
    if (this.#route.isKnown) return this.#together(party)
    // Who else waits is put into batches when the site has said how much it takes.
    this.#line.unshift(...party)
    await this.#first(() => this.#learn(first.outgoing))
  }

  async #first(work: () => Promise<void>): Promise<void> {
    this.#oneFirst = true
    try {
      await work()
    } finally {
      this.#oneFirst = false
    }
  }

  async #learn(outgoing: Outgoing): Promise<void> {
    try {
      await this.#route.learn(outgoing)
      this.#succeeded()
    } catch (error) {
      this.#route.rest(passes(error))
      // A firewall that refuses this need not refuse the others.
      if (passes(error)) this.#failed(error)
    }
  }

  async #alone(waiting: Waiting): Promise<void> {
    const { outgoing } = waiting
    try {
      const answer = await outgoing.exchange(outgoing.request, outgoing.beforeSend)
      this.#succeeded()
      waiting.resolve(answer)
    } catch (error) {
      this.#failed(error)
      this.#againOrReject([[waiting, error]])
    }
  }

  async #together(party: Waiting[]): Promise<void> {
    const [first] = party
    if (first === undefined) return
    if (party.length === 1) return this.#alone(first)
    const kept = new Map<Waiting, unknown>()
    const beforeSend = () => {
      for (const one of party) {
        try {
          one.outgoing.beforeSend()
        } catch (error) {
          kept.set(one, error)
        }
      }
      if (kept.size > 0) throw new Error('not all of them may leave')
    }
    const members = party.map(({ member }) => member as Member)
    const began = this.#now()
    let answered: Unjudged
    try {
      answered = await first.outgoing.unjudged(batchOf(members), beforeSend)
    } catch (error) {
      if (kept.size === 0) return this.#failedTogether(party, error)
      for (const [one, why] of kept) one.reject(why)
      return this.#together(party.filter((one) => !kept.has(one)))
    }
    const answers = answersIn(answered, members)
    if (answers === null) return this.#unanswered(party, answered)
    this.#route.answered(party.length, this.#now() - began)
    this.#answered(party, answers)
  }

  /** Each answer is judged by itself, as that of a single request. */
  #answered(party: Waiting[], answers: (Unjudged | null)[]): void {
    const failures: [Waiting, unknown][] = []
    for (const [at, one] of party.entries()) {
      const answer = answers[at] ?? null
      try {
        if (answer === null) throw noOwnAnswer(one)
        one.resolve(one.outgoing.judge(answer, one.outgoing.request))
      } catch (error) {
        failures.push([one, error])
      }
    }
    const [failed] = failures.map(([, error]) => error).filter((error) => saidOfSite(error) === 'failed')
    if (failures.length === party.length && failed !== undefined) this.#failed(failed)
    else this.#succeeded()
    for (const [one, error] of failures) {
      one.most = 1
      if (isBatchNotAllowed(error)) {
        this.#route.leaveOut(one.member as Member)
        this.#line.unshift(one)
      } else this.#againOrReject([[one, error]])
    }
  }

  /** The batch was answered as a whole, and none of its members by itself. */
  async #unanswered(party: Waiting[], answered: Unjudged): Promise<void> {
    const failures = party.map((one): [Waiting, GalleyError] => [one, failureOf(one, answered)])
    const [[, failure] = []] = failures
    if (failure === undefined) return
    const verdict = verdictOf(answered, failure)
    if (verdict === 'failed') {
      if (answered.status >= 500) this.#route.halve()
      this.#failed(failure)
      this.#againInLess(failures)
      return
    }
    const tooBig = verdict === 'too_big'
    if (tooBig) this.#route.tooBig(party.map(({ member }) => member as Member))
    else this.#route.rest()
    const [first, ...others] = this.#blameBatch(failures)
    if (first === undefined) return
    this.#line.unshift(...others)
    if (tooBig) this.#line.unshift(first)
    // Whoever refused the batch may refuse all of them: one finds out.
    else await this.#first(() => this.#alone(first))
  }

  /** Those who may go again because only the batch is to blame; the others look for what it may have left. */
  #blameBatch(failures: [Waiting, GalleyError][]): Waiting[] {
    const again: Waiting[] = []
    for (const [one, error] of failures) {
      this.#ofBatches.add(error)
      if (isRepeatable(one) || error.action !== 'ambiguous') again.push(one)
      else one.reject(error)
    }
    return again
  }

  /** The batch was not answered at all. */
  #failedTogether(party: Waiting[], error: unknown): void {
    const code = error instanceof GalleyError ? error.code : ''
    if (code === 'site_timeout' || code === 'answer_too_big') this.#route.halve()
    if (error instanceof GalleyError && code === 'answer_too_big') {
      for (const one of party) one.most = Math.ceil(party.length / 2)
      this.#line.unshift(...this.#blameBatch(party.map((one) => [one, error])))
      return
    }
    this.#failed(error)
    this.#againInLess(party.map((one) => [one, error]))
  }

  /** One of them may be the cause: in smaller company it takes fewer along, and at last it is alone. */
  #againInLess(failures: [Waiting, unknown][]): void {
    for (const [one] of failures) one.most = one.tries === 0 ? Math.ceil(failures.length / 2) : 1
    this.#againOrReject(failures)
  }

  /** Those who failed together come back together. */
  #againOrReject(failures: [Waiting, unknown][]): void {
    const again: [Waiting, unknown][] = []
    for (const [one, error] of failures) {
      one.tries += 1
      if (this.#mayGoAgain(one, error)) again.push([one, error])
      else one.reject(error)
    }
    if (again.length > 0) void this.#comeBack(again)
  }

  async #comeBack(again: [Waiting, unknown][]): Promise<void> {
    await pause(Math.max(...again.map(([{ tries }]) => tries)))
    if (this.#health.hopeful) this.#line.unshift(...again.map(([one]) => one))
    else for (const [one, error] of again) one.reject(error)
    this.#startSoon()
  }

  #mayGoAgain(waiting: Waiting, error: unknown): boolean {
    if (waiting.tries >= TRIES || !passes(error) || !this.#health.hopeful) return false
    if (error.code === 'site_timeout' && waiting.tries > 1) return false
    return isRepeatable(waiting) || error.action === 'retry'
  }

  #succeeded(): void {
    this.#health.succeeded()
    this.#window.widen()
  }

  #failed(error: unknown): void {
    const said = saidOfSite(error)
    if (said === 'answered') this.#succeeded()
    if (said === 'failed') {
      this.#health.failed(passes(error))
      this.#window.narrow()
      if (this.#health.persists) this.#window.shut()
    }
    if (!(error instanceof GalleyError)) return
    // A dead site is not asked once more by everybody who waits, nor is it told a wrong password so often.
    if ((said === 'failed' && this.#health.persists) || refusesCredentials(error))
      for (const waiting of this.#line.drain()) waiting.reject(notSent(error))
  }
}

/** WordPress says that of a route whose controller has not declared that it takes batches. */
function isBatchNotAllowed(error: unknown): boolean {
  return error instanceof GalleyError && notAllowedSchema.safeParse(error.details).success
}

const notAllowedSchema = z.object({ wordpress: z.object({ code: z.literal('rest_batch_not_allowed') }) })
