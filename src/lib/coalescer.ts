import { setImmediate as nextTurn } from 'node:timers/promises'

interface PendingItem {
  item: unknown
  resolve(found: unknown): void
  reject(error: unknown): void
}

/** Finds all of these, in their order; one that fails by itself is a rejected promise among them. */
type AskMany<Item, Found> = (items: readonly Item[]) => Promise<readonly (Found | Promise<Found>)[]>

interface CoalescingOptions {
  /** Items of one question. */
  most: number
  /** One question of this name is under way at a time. */
  oneAtATime?: boolean
}

/** Asks in one question for what is asked for under one name in the same moment. Nothing is kept. */
export class Coalescer {
  readonly #open = new Map<string, PendingItem[]>()
  readonly #newest = new Map<string, Promise<void>>()

  /** @param name whoever uses it asks for one kind of item */
  ask<Item, Found>(
    name: string,
    item: Item,
    many: AskMany<Item, Found>,
    { most, oneAtATime = false }: CoalescingOptions,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      const asked = { item, resolve: resolve as PendingItem['resolve'], reject }
      const others = this.#open.get(name)
      if (others !== undefined && others.length < most) return void others.push(asked)
      const all = [asked]
      this.#open.set(name, all)
      const answered = this.#ask(name, all, many as unknown as AskMany<unknown, unknown>)
      if (oneAtATime) this.#newest.set(name, answered)
    })
  }

  async #ask(name: string, all: PendingItem[], many: AskMany<unknown, unknown>): Promise<void> {
    await Promise.all([nextTurn(), this.#newest.get(name)])
    if (this.#open.get(name) === all) this.#open.delete(name)
    try {
      const found = await many(all.map(({ item }) => item))
      for (const [index, { resolve }] of all.entries()) resolve(found[index])
    } catch (error) {
      for (const { reject } of all) reject(error)
    }
  }
}
