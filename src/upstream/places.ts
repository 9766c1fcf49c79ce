/** Lets so many at once do something for each of many names; who comes when they are taken waits in line. */
export class Places {
  readonly #most: number
  readonly #lines = new Map<string, { busy: number; waiting: (() => void)[] }>()

  constructor(most: number) {
    this.#most = most
  }

  /** What `work` comes to, done when there is a place. */
  async in<Result>(name: string, work: () => Promise<Result>): Promise<Result> {
    const line = this.#lines.get(name) ?? { busy: 0, waiting: [] }
    this.#lines.set(name, line)
    if (line.busy < this.#most) line.busy += 1
    else await new Promise<void>((resolve) => line.waiting.push(resolve))
    try {
      return await work()
    } finally {
      const next = line.waiting.shift()
      // The place is handed on.
      if (next !== undefined) next()
      else if (--line.busy === 0) this.#lines.delete(name)
    }
  }
}
