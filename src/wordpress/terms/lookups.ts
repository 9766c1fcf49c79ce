/**
 * The names of one document, while they are looked for. Those that are missing wait until all have been looked for, so
 * that they are asked for in one moment, and go together where the site takes that.
 */
export class Lookups {
  #looking = 0
  #waiting: (() => void)[] = []

  /** Looks for one. */
  async look<Found>(work: () => Promise<Found>): Promise<Found> {
    this.#looking += 1
    try {
      return await work()
    } finally {
      this.#looking -= 1
      if (this.#looking === 0) for (const go of this.#waiting.splice(0)) go()
    }
  }

  /** Resolves when none is looked for any more. */
  over(): Promise<void> {
    return this.#looking === 0
      ? Promise.resolve()
      : new Promise((resolve) => {
          this.#waiting.push(resolve)
        })
  }
}
