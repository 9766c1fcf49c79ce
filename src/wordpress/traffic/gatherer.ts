/** Items asked for in one request: beyond these, addresses grow longer than some servers take. */
const MOST = 20

interface Asked {
  item: unknown
  found: (value: unknown) => void
  failed: (error: unknown) => void
}

interface Group {
  many: (items: readonly never[]) => Promise<readonly unknown[]>
  asked: Asked[]
}

/** Asks at once for what many ask for in the same moment. Nothing is kept: the next moment asks anew. */
export class Gatherer {
  readonly #groups = new Map<string, Group>()

  gather<Item, Found>(
    name: string,
    item: Item,
    many: (items: readonly Item[]) => Promise<readonly Found[]>,
  ): Promise<Found> {
    return new Promise((resolve, reject) => {
      const group = this.#groups.get(name) ?? this.#open(name, many)
      // Whoever uses a name asks for one kind of item.
      group.asked.push({ item, found: resolve as Asked['found'], failed: reject })
    })
  }

  #open(name: string, many: Group['many']): Group {
    const group: Group = { many, asked: [] }
    this.#groups.set(name, group)
    setImmediate(() => {
      this.#groups.delete(name)
      for (let at = 0; at < group.asked.length; at += MOST)
        void answer(group.many, group.asked.slice(at, at + MOST))
    })
    return group
  }
}

async function answer(many: Group['many'], asked: Asked[]): Promise<void> {
  try {
    const found = await many(asked.map(({ item }) => item as never))
    if (found.length !== asked.length)
      throw new TypeError(`asked for ${asked.length} at once, and answered ${found.length}`)
    for (const [at, one] of asked.entries()) one.found(found[at])
  } catch (error) {
    for (const one of asked) one.failed(error)
  }
}
