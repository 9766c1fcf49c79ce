import { setTimeout as sleep } from 'node:timers/promises'
import { GalleyError } from '../../errors.ts'
import { countBatch } from '../../observe/metrics.ts'
import { currentSpan } from '../../observe/trace.ts'
import { type Answer, exchangeOnce, type PreparedRequest } from '../client/client.ts'
import { judge } from '../failures/judge.ts'
import type { BatchRoute } from './batch-route.ts'
import { BatchSender } from './batch-sender.ts'
import { type ConcurrencyControl, unsentFailure } from './concurrency.ts'
import { type FailedRequest, isRepeatable, type QueuedRequest, toBatchMember } from './queued-request.ts'

/** Sends requests as places become free, alone or in batches; a failure is told once it is to be believed. */
export class Dispatcher {
  readonly batches: BatchSender
  readonly #control: ConcurrencyControl
  readonly #route: BatchRoute
  readonly #queue = new RequestQueue()
  /** Some that go first and alone; the others wait for what they are told. */
  #goingFirst = 0
  #starting = false

  constructor(control: ConcurrencyControl, route: BatchRoute, now: () => number) {
    this.#control = control
    this.#route = route
    this.batches = new BatchSender(route, this, control, now)
  }

  send(outgoing: PreparedRequest): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const member = toBatchMember(outgoing)
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
      void this.batches
        .send(party)
        .catch((error: unknown) => {
          for (const one of party) one.reject(error)
        })
        .finally(() => {
          window.release()
          this.startSoon()
        })
    }
  }

  async alone(waiting: QueuedRequest): Promise<void> {
    const { outgoing, member } = waiting
    if (member !== null) countBatch(1)
    try {
      const answer = await exchangeOnce(outgoing)
      this.#control.succeeded()
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
  comeBack(waiting: QueuedRequest[]): void {
    this.#queue.unshift(...waiting)
    this.startSoon()
  }

  /** After a short wait for those whose failure may pass, who come back together; the others are told theirs. */
  again(failures: FailedRequest[]): void {
    const again: FailedRequest[] = []
    for (const [one, error] of failures) {
      one.tries += 1
      if (this.#mayGoAgain(one, error)) again.push([one, error])
      else one.reject(error)
    }
    if (again.length > 0) void this.#comeBackLater(again)
  }

  async #comeBackLater(again: FailedRequest[]): Promise<void> {
    await backoff(Math.max(...again.map(([{ tries }]) => tries)))
    if (this.#control.health.hopeful) this.comeBack(again.map(([one]) => one))
    else for (const [one, error] of again) one.reject(error)
  }

  #mayGoAgain(waiting: QueuedRequest, error: unknown): boolean {
    if (!(error instanceof GalleyError) || !judge(error).passes) return false
    if (waiting.tries >= MAX_TRIES || !this.#control.health.hopeful) return false
    if (error.code === 'site_timeout' && waiting.tries > 1) return false
    // An answer that took its time: somebody may have done something meanwhile.
    if (waiting.outgoing.holds?.() === false) return false
    return isRepeatable(waiting) || error.action === 'retry'
  }

  failed(error: unknown): void {
    if (!this.#control.failed(error)) return
    for (const waiting of this.#queue.drain()) waiting.reject(unsentFailure(error))
  }
}

/** A batch smaller than this pays more for another start of WordPress than going together saves. */
const MIN_WORTHWHILE_BATCH = 5

/** First come, first served, but before all those who may not be late; who fits goes in the first's batch. */
class RequestQueue {
  #waiting: QueuedRequest[] = []

  get length(): number {
    return this.#waiting.length
  }

  push(waiting: QueuedRequest): void {
    if (!mayBeLate(waiting))
      this.#waiting.splice(this.#waiting.findLastIndex((one) => !mayBeLate(one)) + 1, 0, waiting)
    else this.#waiting.push(waiting)
  }

  unshift(...again: QueuedRequest[]): void {
    this.#waiting.unshift(...again)
  }

  drain(): QueuedRequest[] {
    return this.#waiting.splice(0)
  }

  /** Takes out who goes next: one, or a batch. @param free places, over which those who wait are spread */
  next(route: BatchRoute, free: number): QueuedRequest[] {
    const first = this.#waiting.shift()
    if (first === undefined) return []
    if (!route.takes(first)) return [first]
    const fit = this.#waiting.filter((one) => route.takes(one))
    const share = Math.max(MIN_WORTHWHILE_BATCH, Math.ceil((fit.length + 1) / free))
    const party = route.party(first, fit, share)
    const going = new Set(party)
    this.#waiting = this.#waiting.filter((one) => !going.has(one))
    return party
  }
}

const mayBeLate = ({ outgoing: { holds } }: QueuedRequest): boolean => holds === undefined

/** How often a request is made before its failure is believed. */
export const MAX_TRIES = 3

const FIRST_BACKOFF_MS = 150

/** 75 to 225 ms, then 150 to 450, so that failures side by side do not come back together. */
const backoff = (tries: number): Promise<void> =>
  sleep(FIRST_BACKOFF_MS * 2 ** (tries - 1) * (0.5 + Math.random()))

/** For those who failed in one request: they come back in one moment, and look in one request again. */
export class SharedBackoff {
  readonly #underWay = new WeakMap<object, Map<number, Promise<void>>>()

  /** @param origin what all of them have in common */
  pause(origin: object, tries: number): Promise<void> {
    const pauses = this.#underWay.get(origin) ?? new Map<number, Promise<void>>()
    this.#underWay.set(origin, pauses)
    const shared = pauses.get(tries) ?? backoff(tries)
    pauses.set(tries, shared)
    return shared
  }
}
