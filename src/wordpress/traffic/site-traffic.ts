import { LRUCache } from 'lru-cache'
import { GalleyError } from '../../errors.ts'
import { Coalescer } from '../../lib/coalescer.ts'
import type { Traffic } from '../client/client.ts'
import { judge } from '../failures/judge.ts'
import { BatchRoute } from './batch-route.ts'
import { ConcurrencyControl } from './concurrency.ts'
import { Dispatcher, MAX_TRIES, SharedBackoff } from './dispatcher.ts'

interface SiteTrafficOptions {
  /** Most requests to the site at once; a batch is one. */
  concurrency: number
  /** Whether several requests may go as one through `/batch/v1`, where the site takes that. */
  batch: 'auto' | 'off'
  /** Milliseconds on a clock that never goes back; the process' own unless given. */
  now?: () => number
}

/** How many deliveries' requests go out to their one site; none is made twice that may have changed something. */
export type SiteTraffic = Traffic & Pick<SiteTrafficOptions, 'concurrency' | 'batch'>

export function createSiteTraffic(options: SiteTrafficOptions): SiteTraffic {
  const { now = () => performance.now() } = options
  const control = new ConcurrencyControl(options.concurrency, now)
  const route = new BatchRoute(options.batch, now)
  const dispatcher = new Dispatcher(control, route, now)
  const memory = new LRUCache<string, Known, () => Promise<Known>>({
    max: MAX_ENTRIES,
    ttl: TTL_MS,
    perf: { now },
    // Whoever waits for what is forgotten meanwhile gets it all the same.
    ignoreFetchAbort: true,
    fetchMethod: (_key, _stale, { context: learn }) => learn(),
  })
  const lookups = new Coalescer()
  const pauses = new SharedBackoff()
  return {
    get concurrency() {
      return control.window.ceiling
    },
    set concurrency(concurrency) {
      control.window.ceiling = concurrency
      dispatcher.startSoon()
    },
    get batch() {
      return route.mode
    },
    set batch(mode) {
      route.mode = mode
    },
    persists: () => control.health.persists,
    watch: () => control.watch(),
    paused: () => control.paused(),
    send: (outgoing) => dispatcher.send(outgoing),
    gather: (name, item, many) => lookups.ask(name, item, many, { most: MAX_ITEMS_PER_LOOKUP }),
    // Whoever uses a key uses it for one kind of thing. A failure is forgotten.
    remember<Value>(
      key: string,
      learn: () => Promise<Value>,
      suffices: (known: Value) => boolean = () => true,
    ) {
      const known = memory.get(key) as Value | undefined
      const isOld = memory.getRemainingTTL(key) < TTL_MS - RECENT_MS
      if (known !== undefined && isOld && !suffices(known)) memory.delete(key)
      return memory.forceFetch(key, { context: learn as () => Promise<Known> }) as Promise<Value>
    },
    recall: <Value>(key: string) => memory.get(key) as Value | undefined,
    forget(prefix) {
      for (const key of [...memory.keys()]) if (key.startsWith(prefix)) memory.delete(key)
    },
    isOfOne: (error) => !dispatcher.batches.failedTogether(error),
    async again(error, tries) {
      if (tries >= MAX_TRIES || !(error instanceof GalleyError)) return false
      if (dispatcher.batches.isToBlame(error)) return true
      // What took too long may still be under way.
      if (!judge(error).passes || error.code === 'site_timeout' || !control.health.hopeful) return false
      await pauses.pause(dispatcher.batches.originOf(error), tries)
      return control.health.hopeful
    },
  }
}

/** Items asked for in one request: beyond these, addresses grow longer than some servers take. */
const MAX_ITEMS_PER_LOOKUP = 20

/** Milliseconds that something is remembered; what people change in WordPress meanwhile is noticed then at the latest. */
const TTL_MS = 10 * 60_000
/** Milliseconds in which what a site lacks is not asked for again: many documents may want the same. */
const RECENT_MS = 10_000
/** Things remembered of one site: names of its terms, mostly. */
const MAX_ENTRIES = 2_000

type Known = NonNullable<unknown>
