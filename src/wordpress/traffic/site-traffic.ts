import { GalleyError } from '../../errors.ts'
import type { Answer, Outgoing, Traffic } from '../client/index.ts'
import { BatchRoute } from './batch/route.ts'
import { ConcurrencyControl } from './concurrency.ts'
import { Dispatcher } from './dispatcher.ts'
import { Gatherer } from './gatherer.ts'
import { Memory } from './memory.ts'
import { passes } from './passing.ts'
import { SharedPauses, TRIES } from './patience.ts'

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
  readonly #control: ConcurrencyControl
  readonly #route: BatchRoute
  readonly #dispatcher: Dispatcher
  readonly #memory = new Memory()
  readonly #gatherer = new Gatherer()
  readonly #pauses = new SharedPauses()

  constructor({ concurrency, batch, now = () => performance.now() }: SiteTrafficOptions) {
    this.#control = new ConcurrencyControl(concurrency, now)
    this.#route = new BatchRoute(batch, now)
    this.#dispatcher = new Dispatcher(this.#control, this.#route, now)
  }

  get concurrency(): number {
    return this.#control.window.ceiling
  }

  set concurrency(concurrency: number) {
    this.#control.window.ceiling = concurrency
    this.#dispatcher.startSoon()
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
    return this.#control.health.persists
  }

  watch(): () => GalleyError | null {
    return this.#control.watch()
  }

  paused(): void {
    this.#control.paused()
  }

  send(outgoing: Outgoing): Promise<Answer> {
    return this.#dispatcher.send(outgoing)
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

  isOfOne(error: unknown): boolean {
    return !this.#dispatcher.batches.failedTogether(error)
  }

  async again(error: unknown, tries: number): Promise<boolean> {
    if (tries >= TRIES || !(error instanceof GalleyError)) return false
    if (this.#dispatcher.batches.isToBlame(error)) return true
    // What took too long may still be under way.
    if (!passes(error) || error.code === 'site_timeout' || !this.#control.health.hopeful) return false
    await this.#pauses.pause(this.#dispatcher.batches.originOf(error), tries)
    return this.#control.health.hopeful
  }
}
