import { Gauge, type Registry } from 'prom-client'
import { type GalleyError, tryLater } from '../errors.ts'

/** The bytes that this process may have in flight, by use. */
export type ByteBudget = Readonly<Record<ByteUse, Semaphore>>

/** 256 MiB. */
export const DEFAULT_BYTES_IN_FLIGHT = 256 * 1024 * 1024

/** Milliseconds to wait for a lease; far longer than a usual download or upload. */
const MAX_BYTE_WAIT_MS = 60_000

/** @param total bytes of all uses together */
export function createByteBudget(
  total = DEFAULT_BYTES_IN_FLIGHT,
  { waitMs = MAX_BYTE_WAIT_MS } = {},
): ByteBudget {
  const lanes = Object.entries(byteUses).map(([use, part]) => [
    use,
    new Semaphore(Math.floor(total * part), waitMs),
  ])
  return Object.fromEntries(lanes) as ByteBudget
}

/** Bytes held. The taker releases them, also on errors. */
export interface ByteLease {
  readonly bytes: number
  /** Returns all but `bytes`. */
  shrink(bytes: number): void
  /** Takes `by` more bytes now, or none. Never wait for bytes while holding some: see {@link byteUses}. */
  tryGrow(by: number): boolean
  /** Returns all bytes; further calls do nothing. */
  release(): void
}

interface ByteWaitOptions {
  /** Milliseconds; the lane's own where left out. */
  waitMs?: number
  signal?: AbortSignal | undefined
}

interface ByteWaiter {
  bytes: number
  grant(lease: ByteLease): void
}

/** A semaphore of bytes, or of places, with a first-come, first-served queue. */
export class Semaphore {
  readonly size: number
  readonly #waitMs: number
  #held = 0
  #queue: ByteWaiter[] = []

  /** @param waitMs a day unless given, which is longer than any work under way */
  constructor(size: number, waitMs = 24 * 60 * 60 * 1000) {
    this.size = size
    this.#waitMs = waitMs
  }

  get held(): number {
    return this.#held
  }

  get waiting(): number {
    return this.#queue.length
  }

  /** Takes bytes now, or returns null. Waiting requests go first so that large requests are not starved. */
  tryTake(bytes: number): ByteLease | null {
    const wanted = this.#clamp(bytes)
    return this.#queue.length === 0 && this.#fits(wanted) ? this.#lease(wanted) : null
  }

  /** Takes bytes as soon as they are free, at most `size`. @throws `memory_busy` after `waitMs`; the signal's reason */
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
        bytes: this.#clamp(bytes),
        grant(lease) {
          end()
          resolve(lease)
        },
      }
      const leave = (reason: unknown) => {
        end()
        this.#queue = this.#queue.filter((other) => other !== waiting)
        // A request behind a large one may fit now.
        this.#grantWaiting()
        reject(reason)
      }
      const onAbort = () => leave(signal?.reason)
      const timer = setTimeout(() => leave(byteBudgetBusyError(waitMs)), waitMs)
      signal?.addEventListener('abort', onAbort)
      this.#queue.push(waiting)
    })
  }

  #clamp(bytes: number): number {
    return Math.min(Math.max(Math.ceil(bytes), 0), this.size)
  }

  #fits(bytes: number): boolean {
    return this.#held + bytes <= this.size
  }

  #grantWaiting(): void {
    for (let next = this.#queue[0]; next !== undefined && this.#fits(next.bytes); next = this.#queue[0]) {
      this.#queue.shift()
      next.grant(this.#lease(next.bytes))
    }
  }

  #lease(bytes: number): ByteLease {
    this.#held += bytes
    let leased = bytes
    const set = (to: number) => {
      this.#held += to - leased
      leased = to
      this.#grantWaiting()
    }
    return {
      get bytes() {
        return leased
      },
      shrink: (to) => {
        if (to < leased) set(Math.max(Math.ceil(to), 0))
      },
      tryGrow: (by) => {
        if (this.#queue.length > 0 || !this.#fits(by)) return false
        set(leased + by)
        return true
      },
      release: () => {
        if (leased > 0) set(0)
      },
    }
  }
}

/** `Retry-After` of a request that found no room, in milliseconds. */
export const BUSY_RETRY_AFTER_MS = 5_000

const byteBudgetBusyError = (waitMs: number): GalleyError =>
  tryLater(
    'memory_busy',
    `Galley is handling as much data as its memory limit allows, and no room became free within ${waitMs / 1000} s. Try again in a moment; if this keeps happening, its operator can raise GALLEY_BYTES_IN_FLIGHT.`,
    { retryAfterMs: BUSY_RETRY_AFTER_MS },
  )

/**
 * The uses of the budget, and the part of the total that each has: images of a slow host must not block webhooks, and waiting
 * must not deadlock. A delivery holds its document while it waits for a file, and the file while it waits for the answer.
 */
export const byteUses = {
  /** Bodies of requests to this process until they are stored. No waiting: the answer is 503. */
  webhooks: 1 / 4,
  /** Documents being delivered or previewed, at their size in memory. */
  documents: 3 / 16,
  /** Stored webhooks that are read through the API, until the response is sent: a slow reader blocks no delivery. */
  events: 1 / 16,
  /** Images and narration, from download to the end of the upload. */
  files: 3 / 8,
  /** Long answers of sites (`outbound/body.ts`). */
  answers: 1 / 8,
} as const

type ByteUse = keyof typeof byteUses

/** Bytes of memory per byte of a document's JSON: the text, its tree, the rendered post and the request. */
export const DOCUMENT_MEMORY_FACTOR = 4

/** Estimates the bytes of a value's JSON. The value must be a tree, as parsed JSON is. */
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

/** Registers gauges of the budget: bytes held, limits and waiting requests, by use. */
export function registerByteMetrics(registry: Registry, budget: ByteBudget): void {
  const gauge = (name: string, help: string, value: (lane: ByteBudget[keyof ByteBudget]) => number) =>
    new Gauge({
      name,
      help,
      labelNames: ['use'],
      registers: [registry],
      collect() {
        for (const [use, lane] of Object.entries(budget)) this.set({ use }, value(lane))
      },
    })
  gauge('galley_bytes_in_flight', 'Bytes of bodies, documents and files held now.', ({ held }) => held)
  gauge('galley_bytes_in_flight_limit', 'Bytes that may be held at most.', ({ size }) => size)
  gauge('galley_bytes_in_flight_waiting', 'How many wait for bytes to become free.', ({ waiting }) => waiting)
}
