import type { Provider } from '../providers/types.ts'

/** Requests that one process has under way with a provider at once, where the settings do not say. */
const PLACES = 4

/** Failures in a row after which a provider is in trouble, and no longer only shaky. */
const PERSISTS = 3

/** Milliseconds for which a pause is known here, before the database is asked again: another process may have ended it. */
const KNOWN_MS = 1_000

/** A place at a provider; to be left once. */
export interface Place {
  leave(): void
}

/** Why there is none: its line is full, or it is paused for so many milliseconds. */
export type NoPlace = 'full' | { pausedMs: number }

interface Waiting {
  admit(place: Place | NoPlace): void
}

interface Line {
  places: number
  taken: number
  waiting: Waiting[]
  /** Failures in a row. */
  failures: number
  /** As `performance.now()` counts; 0 where it is not known to be paused. */
  pausedUntil: number
}

/**
 * Who speaks to which provider in this process. As many at once as its `concurrency`; twice as many wait in line, so that a
 * place that is left is taken at once; whoever comes then is sent away, and gives its job back. So jobs that wait for a
 * provider, however many they are, keep nobody from another one.
 */
export class Gate {
  readonly #lines = new Map<string, Line>()

  /** Waits in line for a place. */
  async enter(provider: Provider, signal: AbortSignal): Promise<Place | NoPlace> {
    const line = this.#line(provider.name)
    line.places = provider.concurrency ?? PLACES
    const pausedMs = line.pausedUntil - performance.now()
    if (pausedMs > 0) return { pausedMs }
    if (line.taken < line.places) return this.#take(line)
    if (line.waiting.length >= line.places * 2) return 'full'
    signal.throwIfAborted()
    return new Promise((resolve, reject) => {
      const leave = () => {
        line.waiting = line.waiting.filter((other) => other !== waiting)
        reject(signal.reason)
      }
      const waiting: Waiting = {
        admit(place) {
          signal.removeEventListener('abort', leave)
          resolve(place)
        },
      }
      signal.addEventListener('abort', leave, { once: true })
      line.waiting.push(waiting)
    })
  }

  /** Nothing more is sent to it for so long; who waits in line is told. */
  pause(name: string, ms: number): void {
    const line = this.#line(name)
    line.pausedUntil = Math.max(line.pausedUntil, performance.now() + Math.min(ms, KNOWN_MS))
    for (const { admit } of line.waiting.splice(0)) admit({ pausedMs: ms })
  }

  /** It answered, be it as the probe that ends its pause. */
  served(name: string, probing: boolean): void {
    const line = this.#line(name)
    line.failures = 0
    if (probing) line.pausedUntil = 0
  }

  /** It failed. @returns whether that persists, so that it is to be paused */
  failed(name: string): boolean {
    const line = this.#line(name)
    line.failures += 1
    return line.failures >= PERSISTS
  }

  /** The providers for which no further job need be taken now: enough wait in line, or it is paused as far as is known here. */
  full(): string[] {
    const now = performance.now()
    const isFull = ({ waiting, places, pausedUntil }: Line) => waiting.length >= places || pausedUntil > now
    return [...this.#lines].flatMap(([name, line]) => (isFull(line) ? name : []))
  }

  #line(name: string): Line {
    const line = this.#lines.get(name) ?? {
      places: PLACES,
      taken: 0,
      waiting: [],
      failures: 0,
      pausedUntil: 0,
    }
    this.#lines.set(name, line)
    return line
  }

  #take(line: Line): Place {
    line.taken += 1
    let left = false
    return {
      leave: () => {
        if (left) return
        left = true
        line.taken -= 1
        const next = line.taken < line.places ? line.waiting.shift() : undefined
        next?.admit(this.#take(line))
      },
    }
  }
}
