import { GalleyError } from '../errors.ts'

/** Bytes that somebody holds. Whoever took them releases them, whatever happens. */
export interface Share {
  readonly bytes: number
  /** Gives back what turned out not to be needed. */
  shrink(bytes: number): void
  /** Takes so many more at once, or none. Only where nobody waits while holding: see `uses.ts`. */
  tryGrow(by: number): boolean
  /** Gives all of it back; further calls do nothing. */
  release(): void
}

export interface Wait {
  /** Milliseconds; the lane's own where left out. */
  waitMs?: number
  signal?: AbortSignal | undefined
}

interface Waiting {
  bytes: number
  grant(share: Share): void
}

/** A number of bytes that many share: who comes when they are used up waits, in the order of coming. */
export class Lane {
  /** Bytes that there are. */
  readonly size: number
  readonly #waitMs: number
  #held = 0
  #queue: Waiting[] = []

  constructor(size: number, waitMs: number) {
    this.size = size
    this.#waitMs = waitMs
  }

  get held(): number {
    return this.#held
  }

  /** How many wait. */
  get waiting(): number {
    return this.#queue.length
  }

  /** So many bytes now, or null. Who waits comes first, lest the small always find room and the big never. */
  tryTake(bytes: number): Share | null {
    const wanted = this.#possible(bytes)
    return this.#queue.length === 0 && this.#fits(wanted) ? this.#share(wanted) : null
  }

  /**
   * So many bytes as soon as there are, first come, first served. More than there are at all counts as all of them,
   * and so is admitted alone.
   *
   * @throws GalleyError `memory_busy` when they did not come in time; the signal's reason when it is aborted
   */
  take(bytes: number, { waitMs = this.#waitMs, signal }: Wait = {}): Promise<Share> {
    const at = this.tryTake(bytes)
    if (at !== null) return Promise.resolve(at)
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const waiting: Waiting = {
        bytes: this.#possible(bytes),
        grant(share) {
          end()
          resolve(share)
        },
      }
      const leave = (reason: unknown) => {
        end()
        this.#queue = this.#queue.filter((other) => other !== waiting)
        // Whoever stood behind a big one may fit now.
        this.#serve()
        reject(reason)
      }
      const onAbort = () => leave(signal?.reason)
      const timer = setTimeout(() => leave(memoryBusy(waitMs)), waitMs)
      signal?.addEventListener('abort', onAbort)
      this.#queue.push(waiting)
    })
  }

  #possible(bytes: number): number {
    return Math.min(Math.max(Math.ceil(bytes), 0), this.size)
  }

  #fits(bytes: number): boolean {
    return this.#held + bytes <= this.size
  }

  #serve(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next.bytes); next = this.#queue[0]) {
      this.#queue.shift()
      next.grant(this.#share(next.bytes))
    }
  }

  #share(bytes: number): Share {
    this.#held += bytes
    let mine = bytes
    const set = (to: number) => {
      this.#held += to - mine
      mine = to
      this.#serve()
    }
    return {
      get bytes() {
        return mine
      },
      shrink: (to) => {
        if (to < mine) set(Math.max(Math.ceil(to), 0))
      },
      tryGrow: (by) => {
        if (this.#queue.length > 0 || !this.#fits(by)) return false
        set(mine + by)
        return true
      },
      release: () => {
        if (mine > 0) set(0)
      },
    }
  }
}

/** Milliseconds after which a sender that found no room is asked to come again. */
export const COME_AGAIN_MS = 5_000

const memoryBusy = (waitMs: number): GalleyError =>
  new GalleyError({
    code: 'memory_busy',
    message: `Galley is handling as much data as its memory limit allows, and no room became free within ${waitMs / 1000} s. Try again in a moment; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.`,
    fault: 'galley',
    action: 'retry',
    httpStatus: 503,
    retryAfterMs: COME_AGAIN_MS,
  })
