import { LRUCache } from 'lru-cache'

/** Milliseconds that something is remembered; what people change in WordPress meanwhile is noticed then at the latest. */
const AGE_MS = 10 * 60_000
/** Things remembered of one site: names of its terms, mostly. */
const MOST = 2_000

/** What a process knows of a site for a while. */
export class Memory {
  readonly #known = new LRUCache<string, Promise<unknown>>({ max: MOST, ttl: AGE_MS })

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
