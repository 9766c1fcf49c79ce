interface Waiting {
  exclusive: boolean
  enter: () => void
}

/**
 * A lock of this process, held by many or by one alone. First come, first served, so that neither
 * kind starves.
 */
export class SharedExclusiveLock {
  #shared = 0
  #exclusive = false
  #waiting: Waiting[] = []

  /**
   * Waits for a shared hold.
   *
   * @returns the release, to be called once
   */
  async acquireShared(): Promise<() => void> {
    await new Promise<void>((enter) => {
      this.#waiting.push({ exclusive: false, enter })
      this.#admit()
    })
    return () => {
      this.#shared -= 1
      this.#admit()
    }
  }

  async shared<Result>(work: () => Promise<Result>): Promise<Result> {
    const leave = await this.acquireShared()
    try {
      return await work()
    } finally {
      leave()
    }
  }

  /**
   * Runs `work` alone.
   *
   * @param giveUp aborts the wait for current holders; nobody enters meanwhile
   * @returns false where they took longer: `work` was not run
   */
  async exclusive(work: () => Promise<unknown>, giveUp: AbortSignal): Promise<boolean> {
    if (giveUp.aborted || !(await this.#admittedExclusively(giveUp))) return false
    try {
      await work()
      return true
    } finally {
      this.#exclusive = false
      this.#admit()
    }
  }

  #admittedExclusively(giveUp: AbortSignal): Promise<boolean> {
    return new Promise((resolve) => {
      const leave = () => {
        this.#waiting = this.#waiting.filter((one) => one !== waiting)
        resolve(false)
        this.#admit()
      }
      const enter = () => {
        giveUp.removeEventListener('abort', leave)
        resolve(true)
      }
      const waiting = { exclusive: true, enter }
      giveUp.addEventListener('abort', leave, { once: true })
      this.#waiting.push(waiting)
      this.#admit()
    })
  }

  #admit(): void {
    for (let next = this.#waiting[0]; next !== undefined && !this.#exclusive; next = this.#waiting[0]) {
      if (next.exclusive && this.#shared > 0) return
      this.#waiting.shift()
      if (next.exclusive) this.#exclusive = true
      else this.#shared += 1
      next.enter()
    }
  }
}
