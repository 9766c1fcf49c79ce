import { LRUCache } from 'lru-cache'
import { GalleyError } from '../../errors.ts'
import type { Answer, PreparedRequest, Traffic } from '../client/index.ts'
import { BatchRoute } from './batch-route.ts'
import { ConcurrencyControl } from './concurrency.ts'
import { Dispatcher, MAX_TRIES, SharedBackoff } from './dispatcher.ts'
import { isTransient } from './transient-failures.ts'

interface SiteTrafficOptions {
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
  readonly #memory = new TtlCache()
  readonly #gatherer = new LookupCoalescer()
  readonly #pauses = new SharedBackoff()

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

  send(outgoing: PreparedRequest): Promise<Answer> {
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
    if (tries >= MAX_TRIES || !(error instanceof GalleyError)) return false
    if (this.#dispatcher.batches.isToBlame(error)) return true
    // What took too long may still be under way.
    if (!isTransient(error) || error.code === 'site_timeout' || !this.#control.health.hopeful) return false
    await this.#pauses.pause(this.#dispatcher.batches.originOf(error), tries)
    return this.#control.health.hopeful
  }
}

/** Items asked for in one request: beyond these, addresses grow longer than some servers take. */
const MAX_ITEMS_PER_LOOKUP = 20

interface PendingLookup {
  item: unknown
  found: (value: unknown) => void
  failed: (error: unknown) => void
}

interface LookupGroup {
  many: (items: readonly never[]) => Promise<readonly unknown[]>
  asked: PendingLookup[]
}

/** Asks at once for what many ask for in the same moment. Nothing is kept: the next moment asks anew. */
class LookupCoalescer {
  readonly #groups = new Map<string, LookupGroup>()

  gather<Item, Found>(
    name: string,
    item: Item,
    many: (items: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      const group = this.#groups.get(name) ?? this.#open(name, many)
      // Whoever uses a name asks for one kind of item.
      group.asked.push({ item, found: resolve as PendingLookup['found'], failed: reject })
    })
  }

  #open(name: string, many: LookupGroup['many']): LookupGroup {
    const group: LookupGroup = { many, asked: [] }
    this.#groups.set(name, group)
    setImmediate(() => {
      this.#groups.delete(name)
      for (let at = 0; at < group.asked.length; at += MAX_ITEMS_PER_LOOKUP)
        void settleLookups(group.many, group.asked.slice(at, at + MAX_ITEMS_PER_LOOKUP))
    })
    return group
  }
}

async function settleLookups(many: LookupGroup['many'], asked: PendingLookup[]): Promise<void> {
  try {
    const found = await many(asked.map(({ item }) => item as never))
    if (found.length !== asked.length)
      throw new TypeError(`asked for ${asked.length} at once, and answered ${found.length}`)
    for (const [at, one] of asked.entries()) one.found(found[at])
  } catch (error) {
    for (const one of asked) one.failed(error)
  }
}

/** Milliseconds that something is remembered; what people change in WordPress meanwhile is noticed then at the latest. */
const TTL_MS = 10 * 60_000
/** Things remembered of one site: names of its terms, mostly. */
const MAX_ENTRIES = 2_000

/** What a process knows of a site for a while. */
class TtlCache {
  readonly #known = new LRUCache<string, Promise<unknown>>({ max: MAX_ENTRIES, ttl: TTL_MS })

  /** What is known under this key, or what `learn` finds, which everybody who asks meanwhile waits for. A failure is forgotten. */
  remember<Value>(key: string, learn: () => Promise<Value>): Promise<Value> {
    const known = this.#known.get(key)
    // Whoever uses a key uses it for one kind of thing.
    if (known !== undefined) return known as Promise<Value>
    const learning = learn()
    this.#known.set(key, learning)
    learning.catch(() => {
      if (this.#known.peek(key) === learning) this.#known.delete(key)
    })
    return learning
  }

  /** Forgets what is known under keys that begin so. */
  forget(prefix: string): void {
    for (const key of [...this.#known.keys()]) if (key.startsWith(prefix)) this.#known.delete(key)
  }
}
