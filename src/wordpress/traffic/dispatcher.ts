import { countBatch } from '../../observe/figures.ts'
import { currentSpan } from '../../observe/trace.ts'
import type { Answer, Outgoing } from '../client/index.ts'
import { Batches } from './batch/batches.ts'
import { asMember } from './batch/member.ts'
import type { BatchRoute } from './batch/route.ts'
import type { ConcurrencyControl } from './concurrency.ts'
import { notSent, passes } from './passing.ts'
import { pause, TRIES } from './patience.ts'
import { Queue } from './queue.ts'
import { type Failed, isRepeatable, type Waiting } from './waiting.ts'

/**
 * Lets requests go as places become free: one by itself, or several as a batch. Each is resolved with its own answer, or
 * rejected with its own failure once that is to be believed.
 */
export class Dispatcher {
  readonly batches: Batches
  readonly #control: ConcurrencyControl
  readonly #route: BatchRoute
  readonly #queue = new Queue()
  /** Some that go first and alone; the others wait for what they are told. */
  #goingFirst = 0
  #starting = false

  constructor(control: ConcurrencyControl, route: BatchRoute, now: () => number) {
    this.#control = control
    this.#route = route
    this.batches = new Batches(route, this, now)
  }

  send(outgoing: Outgoing): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const member = asMember(outgoing)
      const most = this.batches.mostFor(member)
      this.#queue.push({ outgoing, member, span: currentSpan(), most, tries: 0, resolve, reject })
      this.startSoon()
    })
  }

  /** Those who ask in the same moment are all there when the first of them goes. */
  startSoon(): void {
    if (this.#starting) return
    this.#starting = true
    setImmediate(() => {
      this.#starting = false
      this.#start()
    })
  }

  #start(): void {
    const { window } = this.#control
    while (this.#goingFirst === 0 && window.free > 0 && this.#queue.length > 0) {
      const party = this.#queue.next(this.#route, window.free)
      window.take()
      void this.#go(party)
        .catch((error: unknown) => {
          for (const one of party) one.reject(error)
        })
        .finally(() => {
          window.release()
          this.startSoon()
        })
    }
  }

  #go(party: Waiting[]): Promise<void> {
    const [first, ...others] = party
    return first === undefined || others.length > 0 ? this.batches.send(party) : this.alone(first)
  }

  async alone(waiting: Waiting): Promise<void> {
    const { outgoing, member } = waiting
    if (member !== null) countBatch(1)
    try {
      const answer = await outgoing.exchange(outgoing.request, outgoing.beforeSend)
      this.succeeded()
      waiting.resolve(answer)
    } catch (error) {
      this.failed(error)
      this.again([[waiting, error]])
    }
  }

  /** Nobody else begins until `work` is done: what it meets may be met by all of them. */
  async first(work: () => Promise<void>): Promise<void> {
    this.#goingFirst += 1
    try {
      await work()
    } finally {
      this.#goingFirst -= 1
    }
  }

  /** These wait once more, before all others. */
  comeBack(waiting: Waiting[]): void {
    this.#queue.unshift(...waiting)
    this.startSoon()
  }

  /** After a short wait for those whose failure may pass, who come back together; the others are told theirs. */
  again(failures: Failed[]): void {
    const again: Failed[] = []
    for (const [one, error] of failures) {
      one.tries += 1
      if (this.#mayGoAgain(one, error)) again.push([one, error])
      else one.reject(error)
    }
    if (again.length > 0) void this.#comeBackLater(again)
  }

  async #comeBackLater(again: Failed[]): Promise<void> {
    await pause(Math.max(...again.map(([{ tries }]) => tries)))
    if (this.#control.health.hopeful) this.comeBack(again.map(([one]) => one))
    else for (const [one, error] of again) one.reject(error)
  }

  #mayGoAgain(waiting: Waiting, error: unknown): boolean {
    if (waiting.tries >= TRIES || !passes(error) || !this.#control.health.hopeful) return false
    if (error.code === 'site_timeout' && waiting.tries > 1) return false
    // An answer that took its time: somebody may have done something meanwhile.
    if (waiting.outgoing.holds?.() === false) return false
    return isRepeatable(waiting) || error.action === 'retry'
  }

  succeeded(): void {
    this.#control.succeeded()
  }

  get failureIsIsolated(): boolean {
    return this.#control.health.isIsolated
  }

  failed(error: unknown): void {
    if (!this.#control.failed(error)) return
    for (const waiting of this.#queue.drain()) waiting.reject(notSent(error))
  }
}
