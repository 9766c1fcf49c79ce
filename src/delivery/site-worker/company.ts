interface Waiting {
  alone: boolean
  enter: () => void
}

/**
 * Who delivers beside whom in this process: many together, or one alone. First come, first served, so that neither those
 * who wait to be alone nor the others wait for ever.
 */
export class Company {
  #together = 0
  #alone = false
  #waiting: Waiting[] = []

  /**
   * Waits to be let in beside others.
   *
   * @returns to be called once, when all is done
   */
  async enter(): Promise<() => void> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ alone: false, enter })
      this.#admit()
    })
    return () => {
      this.#together -= 1
      this.#admit()
    }
  }

  /** Does `work` beside others. */
  async together<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.enter()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Does `work` while nobody else does anything.
   *
   * @param patienceMs milliseconds to wait for those inside; nobody enters meanwhile
   * @returns false where they took longer: `work` has not been done
   */
  async alone(work: () => Promise<unknown>, patienceMs: number): Promise<boolean> {
    if (!(await this.#admittedAlone(patienceMs))) return false
    try {
      await work()
      return true
    } finally {
      this.#alone = false
      this.#admit()
    }
  }

  #admittedAlone(patienceMs: number): Promise<boolean> {
    return new Promise((resolve) => {
      const giveUp = setTimeout(() => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        resolve(false)
        this.#admit()
      }, patienceMs)
      const enter = () => {
        clearTimeout(giveUp)
        resolve(true)
      }
      const waiting = { alone: true, enter }
      this.#waiting.push(waiting)
      this.#admit()
    })
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && !this.#alone; next = this.#waiting[0]) {
      if (next.alone && this.#together > 0) return
      this.#waiting.shift()
      if (next.alone) this.#alone = true
      else this.#together += 1
      next.enter()
    }
  }
}
