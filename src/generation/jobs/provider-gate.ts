import type { Pool } from 'pg'
import { named, storableJson } from '../../database/statement.ts'
import type { GenerationError } from '../failure.ts'
import type { Provider } from '../providers/types.ts'
import type { PartName } from './job.ts'

/** Requests that one process has under way with a provider at once, where the settings do not say. */
const DEFAULT_CONCURRENCY = 4

/** Failures in a row after which a provider is in trouble, and no longer only shaky. */
const FAILURES_BEFORE_PAUSE = 3

/** Milliseconds for which a pause is known here, before the database is asked again: another process may have ended it. */
const PAUSE_CACHE_MS = 1_000

/** A place at a provider; to be left once. */
interface GateSlot {
  release(): void
}

/** Why there is none: its line is full, or it is paused for so many milliseconds. */
type GateRefusal = 'full' | { pausedMs: number }

interface GateWaiter {
  admit(place: GateSlot | GateRefusal): void
}

interface ProviderQueue {
  places: number
  taken: number
  waiting: GateWaiter[]
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
export class ProviderGate {
  readonly #lines = new Map<string, ProviderQueue>()

  /** Waits in line for a place. */
  async acquire(provider: Provider, signal: AbortSignal): Promise<GateSlot | GateRefusal> {
    const line = this.#line(provider.name)
    line.places = provider.concurrency ?? DEFAULT_CONCURRENCY
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
      const waiting: GateWaiter = {
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
    line.pausedUntil = Math.max(line.pausedUntil, performance.now() + Math.min(ms, PAUSE_CACHE_MS))
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
    return line.failures >= FAILURES_BEFORE_PAUSE
  }

  /** The providers for which no further job need be taken now: enough wait in line, or it is paused as far as is known here. */
  full(): string[] {
    const now = performance.now()
    const isFull = ({ waiting, places, pausedUntil }: ProviderQueue) =>
      waiting.length >= places || pausedUntil > now
    return [...this.#lines].flatMap(([name, line]) => (isFull(line) ? name : []))
  }

  #line(name: string): ProviderQueue {
    const line = this.#lines.get(name) ?? {
      places: DEFAULT_CONCURRENCY,
      taken: 0,
      waiting: [],
      failures: 0,
      pausedUntil: 0,
    }
    this.#lines.set(name, line)
    return line
  }

  #take(line: ProviderQueue): GateSlot {
    line.taken += 1
    let left = false
    return {
      release: () => {
        if (left) return
        left = true
        line.taken -= 1
        const next = line.taken < line.places ? line.waiting.shift() : undefined
        next?.admit(this.#take(line))
      },
    }
  }
}

/** Milliseconds for which a provider is left alone at most, unless it says so itself. */
const MAX_PAUSE_MS = 15 * 60_000

/** And then: whatever its `Retry-After` says. */
const MAX_RETRY_AFTER_MS = 3_600_000

/** Milliseconds that a probe has, before another may be sent: the process that sent it may have died. */
const PROBE_TIMEOUT_MS = 60_000

/** Milliseconds for which one is left alone after so many failures before, in SQL; `:firstMs` after none. */
export const PAUSE_BACKOFF_MS = (failures: string): string =>
  `least(:firstMs::float8 * 2 ^ least(${failures}, 20), ${MAX_PAUSE_MS})`

/** Milliseconds that are still to be waited, of a row of `generation_provider`. */
const REMAINING_PAUSE_MS = 'greatest(extract(epoch FROM paused_until - now()) * 1000, 0)::float8 AS remaining'

/**
 * Pauses a provider that failed, for all processes: 5 s with the standard first pause, doubled with every further failure
 * up to 15 minutes, each up to a tenth longer, or as long as it asks for. Who comes while it is paused adds nothing.
 *
 * @returns milliseconds until it is tried again
 */
export async function pauseProvider(
  pool: Pool,
  name: string,
  { failure, probing, firstMs }: { failure: GenerationError; probing: boolean; firstMs: number },
): Promise<number> {
  const pause = (failures: string) =>
    `now() + interval '1 millisecond' * coalesce(:requested::float8,
      ${PAUSE_BACKOFF_MS(failures)} * (1 + random() / 10))`
  const { rows } = await pool.query<{ remaining: number }>(
    named(
      `INSERT INTO generation_provider AS p (name, paused_until, trouble_count, trouble)
       VALUES (:name, ${pause('0')}, 1, :trouble)
       ON CONFLICT (name) DO UPDATE SET
         paused_until = CASE WHEN p.trouble IS NULL OR p.paused_until <= now() OR :probing
           THEN ${pause('p.trouble_count')} ELSE p.paused_until END,
         trouble_count = CASE WHEN p.trouble IS NULL OR p.paused_until <= now() OR :probing
           THEN p.trouble_count + 1 ELSE p.trouble_count END,
         trouble = excluded.trouble
       RETURNING ${REMAINING_PAUSE_MS}`,
      {
        name,
        firstMs,
        probing,
        requested:
          failure.retryAfterMs === undefined ? null : Math.min(failure.retryAfterMs, MAX_RETRY_AFTER_MS),
        trouble: storableJson({ code: failure.code, message: failure.message }),
      },
    ),
  )
  return rows[0]?.remaining ?? firstMs
}

/**
 * Asks to be the one request that is sent to a provider in trouble once its pause is over.
 *
 * @returns `probe`: this one is; `clear`: it is in trouble no more; else milliseconds until it may be asked again
 */
export async function acquireProbe(pool: Pool, name: string): Promise<'probe' | 'clear' | number> {
  const { rowCount } = await pool.query(
    named(
      `UPDATE generation_provider SET paused_until = now() + ${PROBE_TIMEOUT_MS} * interval '1 millisecond'
       WHERE name = :name AND trouble IS NOT NULL AND (paused_until IS NULL OR paused_until <= now())`,
      { name },
    ),
  )
  if (rowCount === 1) return 'probe'
  const { rows } = await pool.query<{ remaining: number }>(
    named(
      `SELECT ${REMAINING_PAUSE_MS} FROM generation_provider WHERE name = :name AND trouble IS NOT NULL`,
      {
        name,
      },
    ),
  )
  return rows[0]?.remaining ?? 'clear'
}

/** A provider answered. Where that was the probe, it is in trouble no more: what was under way before proves nothing. */
export async function recordProviderSuccess(pool: Pool, name: string, probing: boolean): Promise<void> {
  const over = probing ? ', paused_until = NULL, trouble = NULL, trouble_count = 0' : ''
  await pool.query({
    name: `provider-served-${probing}`,
    ...named(
      `INSERT INTO generation_provider (name, served_at) VALUES (:name, now())
       ON CONFLICT (name) DO UPDATE SET served_at = now()${over}`,
      { name },
    ),
  })
}

/**
 * Whether this provider failed this part of a job in an earlier claim and has served others since the last time that it did:
 * then the job itself may be to blame.
 *
 * @param claimedMs milliseconds since this claim
 */
export async function hasServedSince(
  pool: Pool,
  name: string,
  part: PartName,
  { jobId, claimedMs }: { jobId: string; claimedMs: number },
): Promise<boolean> {
  const { rows } = await pool.query(
    named(
      `SELECT FROM generation_provider p
       WHERE p.name = :name AND p.served_at > (
         SELECT max(c.ended_at) FROM generation_call c
         WHERE c.job_id = :jobId AND c.step = :step AND c.part = :part AND c.provider = :name
           AND c.outcome IN ('failed', 'lost') AND c.intent_at < now() - :claimedMs::float8 * interval '1 millisecond')`,
      { name, jobId, step: part.step, part: part.name, claimedMs },
    ),
  )
  return rows.length > 0
}
