import { LRUCache } from 'lru-cache'
import type { Waiting } from '../waiting.ts'

const HOUR_MS = 60 * 60_000
const MOST = 2_000

/**
 * Posts and slugs whose batch failed as a whole. One of them may be the cause, as a text that crashes a plugin: the next
 * time they go in a batch half as large, and then alone, also where another attempt asks for them anew.
 */
export class Suspects {
  readonly #most = new LRUCache<string, number>({ max: MOST, ttl: HOUR_MS })

  /** The largest batch that this member may be part of. */
  mostFor(member: Waiting['member']): number {
    return Math.min(...(member?.subjects ?? []).map((subject) => this.#most.get(subject) ?? Infinity))
  }

  /** The batch of so many has failed. */
  suspect(one: Waiting, size: number): void {
    one.most = one.most < Infinity ? 1 : Math.ceil(size / 2)
    for (const subject of one.member?.subjects ?? []) this.#most.set(subject, one.most)
  }

  clear({ member }: Waiting): void {
    for (const subject of member?.subjects ?? []) this.#most.delete(subject)
  }
}
