import { GalleyError } from '../errors.ts'

/** The bytes that this process may have in flight, by what they are held for. */
export type ByteBudget = Readonly<Record<ByteUse, ByteSemaphore>>

/** Bytes, where nothing else is set. */
export const DEFAULT_BYTES_IN_FLIGHT = 256 * 1024 * 1024

/** Milliseconds that somebody waits for a share; far beyond what a download or an upload of usual size takes. */
const MAX_BYTE_WAIT_MS = 60_000

/** @param total bytes of all uses together */
export function createByteBudget(
  total = DEFAULT_BYTES_IN_FLIGHT,
  { waitMs = MAX_BYTE_WAIT_MS } = {},
): ByteBudget {
  const lane = (use: ByteUse) => new ByteSemaphore(Math.floor(total * byteUses[use]), waitMs)
  return {
    webhooks: lane('webhooks'),
    documents: lane('documents'),
    events: lane('events'),
    files: lane('files'),
    answers: lane('answers'),
  }
}

/** Bytes that somebody holds. Whoever took them releases them, whatever happens. */
export interface ByteLease {
  readonly bytes: number
  /** Gives back what turned out not to be needed. */
  shrink(bytes: number): void
  /** Takes so many more at once, or none. Only where nobody waits while holding: see `bytes/budget.ts`. */
  tryGrow(by: number): boolean
  /** Gives all of it back; further calls do nothing. */
  release(): void
}

interface ByteWaitOptions {
  /** Milliseconds; the lane's own where left out. */
  waitMs?: number
  signal?: AbortSignal | undefined
}

interface ByteWaiter {
  bytes: number
  grant(share: ByteLease): void
}

/** A number of bytes that many share: who comes when they are used up waits, in the order of coming. */
export class ByteSemaphore {
  /** Bytes that there are. */
  readonly size: number
  readonly #waitMs: number
  #held = 0
  #queue: ByteWaiter[] = []

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
  tryTake(bytes: number): ByteLease | null {
    const wanted = this.#possible(bytes)
    return this.#queue.length === 0 && this.#fits(wanted) ? this.#share(wanted) : null
  }

  /**
   * So many bytes as soon as there are, first come, first served. More than there are at all counts as all of them,
   * and so is admitted alone.
   *
   * @throws GalleyError `memory_busy` when they did not come in time; the signal's reason when it is aborted
   */
  take(bytes: number, { waitMs = this.#waitMs, signal }: ByteWaitOptions = {}): Promise<ByteLease> {
    const at = this.tryTake(bytes)
    if (at !== null) return Promise.resolve(at)
    if (signal?.aborted) return Promise.reject(signal.reason)
    return new Promise((resolve, reject) => {
      const end = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const waiting: ByteWaiter = {
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
      const timer = setTimeout(() => leave(byteBudgetBusyError(waitMs)), waitMs)
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

  #share(bytes: number): ByteLease {
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
export const BUSY_RETRY_AFTER_MS = 5_000

const byteBudgetBusyError = (waitMs: number): GalleyError =>
  new GalleyError({
    code: 'memory_busy',
    message: `Galley is handling as much data as its memory limit allows, and no room became free within ${waitMs / 1000} s. Try again in a moment; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.`,
    fault: 'galley',
    action: 'retry',
    httpStatus: 503,
    retryAfterMs: BUSY_RETRY_AFTER_MS,
  })

/**
 * What bytes are held for, and the part of the whole that each has for itself. The parts are apart for two reasons:
 * pictures of a slow host must not keep webhooks out, and nobody may wait in a circle. A delivery holds its document
 * while it waits for a file, and the file while it waits to read the site's answer, never the other way round; within
 * one use, all is taken at once. So whoever is first in line gets its turn when those before it end, and they do not
 * wait for it.
 */
export const byteUses = {
  /** Bodies of requests to this process, webhooks above all, until they are stored. Nobody waits: it is 503. */
  webhooks: 1 / 4,
  /** Documents that are being delivered or previewed, as they become in memory. */
  documents: 3 / 16,
  /** Webhooks that somebody reads again, until the answer is out: who reads slowly keeps nobody from delivering. */
  events: 1 / 16,
  /** Pictures and narration, from their download to the end of their upload. */
  files: 3 / 8,
  /** Answers of sites that are longer than most (`outbound/body.ts`). */
  answers: 1 / 8,
} as const

type ByteUse = keyof typeof byteUses

/** Bytes that a document takes in memory for each that its JSON has: read, made into a tree, rendered, and sent. */
export const DOCUMENT_MEMORY_FACTOR = 4

/** Bytes of the JSON that a value would be, about; for a value that was JSON once, and so has an end. */
export function estimateJsonBytes(value: unknown): number {
  let bytes = 0
  const open = [value]
  while (open.length > 0) {
    const next = open.pop()
    if (typeof next === 'string') bytes += next.length + 2
    else if (typeof next !== 'object' || next === null) bytes += 4
    else
      for (const [name, inner] of Object.entries(next)) {
        bytes += name.length + 4
        open.push(inner)
      }
  }
  return bytes
}
