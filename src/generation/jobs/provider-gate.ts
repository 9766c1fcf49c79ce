import type { Pool } from 'pg'
import { type ByteLease, Semaphore } from '../../bytes/budget.ts'
import { MAX_PAUSE_MS, pauseEnd } from '../../database/pause.ts'
import { execute, named, queryRows, storableJson } from '../../database/statement.ts'
import type { Logger } from '../../log/log.ts'
import type { GenerationError } from '../failure.ts'
import type { Provider } from '../providers/types.ts'
import type { PartName } from './job.ts'

/** Requests that one process has under way with a provider at once, where the settings do not say. */
const DEFAULT_CONCURRENCY = 4

const FAILURES_BEFORE_PAUSE = 3

/** Milliseconds for which a pause is known here, before the database is asked again: another process may have ended it. */
const PAUSE_CACHE_MS = 1_000

const REPORT_SERVED_EVERY_MS = 2_000

type Model = Pick<Provider, 'name' | 'model'>

/** The rows of a provider and of one model of it, each of which may be in trouble: `openai`, `openai/gpt-x`. */
export const troubleRows = ({ name, model }: Model) => [name, model ? `${name}/${model}` : name] as const

/** Of the provider that one of {@link troubleRows} is about; empty where there is none. */
export const nameOf = (row: string): string => row.replace(/\/.*/s, '')

export interface ProviderPause {
  /** The row that is in trouble. */
  name: string
  /** Milliseconds. */
  remaining: number
}

interface ProviderLine {
  places: Semaphore
  /** Aborted with the milliseconds of a pause, which whoever waits in line hears. */
  pause: AbortController
  failures: number
  /** As `performance.now()` counts; 0 where it is not known to be paused. */
  pausedUntil: number
  /** When other processes were last told that it serves. */
  reportedAt: number
}

/** Who speaks to which provider in this process; beyond `concurrency` and a line twice as long, jobs are given back. */
export class ProviderGate {
  readonly #lines = new Map<string, ProviderLine>()

  /** @returns a place, to be released; `full` where its line is */
  async acquire(
    { name, concurrency }: Provider,
    signal: AbortSignal,
  ): Promise<ByteLease | 'full' | ProviderPause> {
    const { places, pause, pausedUntil } = this.#line(name, concurrency)
    const remaining = pausedUntil - performance.now()
    if (remaining > 0) return { name, remaining }
    const place = places.tryTake(1)
    if (place !== null) return place
    if (places.waiting >= places.size * 2) return 'full'
    return places.take(1, { signal: AbortSignal.any([signal, pause.signal]) }).catch(() => {
      signal.throwIfAborted()
      return { name, remaining: Number(pause.signal.reason) }
    })
  }

  /** Nothing more is sent to it for so long; who waits in line is told. */
  pause(name: string, ms: number): void {
    const line = this.#line(name)
    line.pausedUntil = Math.max(line.pausedUntil, performance.now() + Math.min(ms, PAUSE_CACHE_MS))
    line.pause.abort(ms)
    line.pause = new AbortController()
  }

  /** It answered, be it as the probe that ends its pause. @returns whether other processes are to hear that */
  served(name: string, probing: boolean): boolean {
    const line = this.#line(name)
    line.failures = 0
    if (probing) line.pausedUntil = 0
    const now = performance.now()
    if (!probing && now - line.reportedAt < REPORT_SERVED_EVERY_MS) return false
    line.reportedAt = now
    return true
  }

  /** @returns whether that persists, so that it is to be paused */
  failed(name: string): boolean {
    const line = this.#line(name)
    line.failures += 1
    return line.failures >= FAILURES_BEFORE_PAUSE
  }

  /** The providers for which no further job need be taken now: enough wait in line, or it is paused as far as is known here. */
  full(): string[] {
    const now = performance.now()
    const isFull = ({ places, pausedUntil }: ProviderLine) =>
      places.waiting >= places.size || pausedUntil > now
    return [...this.#lines].flatMap(([name, line]) => (isFull(line) ? name : []))
  }

  #line(name: string, concurrency = DEFAULT_CONCURRENCY): ProviderLine {
    const line = this.#lines.get(name) ?? {
      places: new Semaphore(concurrency),
      pause: new AbortController(),
      failures: 0,
      pausedUntil: 0,
      reportedAt: Number.NEGATIVE_INFINITY,
    }
    this.#lines.set(name, line)
    return line
  }
}

/** Of one that only the operator can set right, whatever it asks for: a trial costs nothing, and a person waits for it. */
const MAX_BLOCKED_PAUSE_MS = 60_000

/** Milliseconds that a probe has, before another may be sent: the process that sent it may have died. */
const PROBE_TIMEOUT_MS = 60_000

const REMAINING_PAUSE_MS = 'greatest(extract(epoch FROM paused_until - now()) * 1000, 0)::float8 AS remaining'

/**
 * Pauses a provider that failed, for all processes: 5 s with the standard first pause, doubled with every further failure
 * up to 15 minutes, each up to a tenth longer, or as long as it asks for. Who comes while it is paused adds nothing. The
 * first failure that only the operator can end is logged as an error, once for all processes.
 */
export async function pauseProvider(
  { pool, log }: { pool: Pool; log: Logger },
  provider: Model,
  { failure, probing, firstMs }: { failure: GenerationError; probing: boolean; firstMs: number },
): Promise<ProviderPause> {
  const { code, message, action, ofModel } = failure
  const [ofAll, ofOne] = troubleRows(provider)
  const name = ofModel ? ofOne : ofAll
  // A provider that refuses one model works itself.
  if (ofModel && probing) await endTrouble(pool, [ofAll])
  const rows = await queryRows<{ remaining: number; began: boolean }>(
    pool,
    `INSERT INTO generation_provider AS p (name, paused_until, trouble_count, trouble, trouble_since)
     VALUES (:name, ${pauseEnd('0', ':mostMs::float8')}, 1, :trouble::jsonb || jsonb_build_object('since', now()), now())
     ON CONFLICT (name) DO UPDATE SET
       paused_until = CASE WHEN p.trouble IS NULL OR p.paused_until <= now() OR :probing
         THEN ${pauseEnd('p.trouble_count', ':mostMs::float8')} ELSE p.paused_until END,
       trouble_count = CASE WHEN p.trouble IS NULL OR p.paused_until <= now() OR :probing
         THEN p.trouble_count + 1 ELSE p.trouble_count END,
       trouble = excluded.trouble || CASE WHEN p.trouble ->> 'action' = excluded.trouble ->> 'action'
         THEN jsonb_strip_nulls(jsonb_build_object('since', p.trouble -> 'since')) ELSE '{}' END,
       trouble_since = coalesce(p.trouble_since, now())
     RETURNING ${REMAINING_PAUSE_MS}, trouble -> 'since' = to_jsonb(now()) AS began`,
    {
      name,
      firstMs,
      probing,
      mostMs: action === 'owner' ? MAX_BLOCKED_PAUSE_MS : MAX_PAUSE_MS,
      requestedMs: action === 'owner' ? null : (failure.retryAfterMs ?? null),
      trouble: storableJson({ code, message, action, model: provider.model }),
    },
  )
  const { remaining = firstMs, began = false } = rows[0] ?? {}
  if (began && action === 'owner')
    log.error({ provider: name, code }, `jobs are refused until the operator acts: ${message}`)
  else log.warn({ provider: name, code, pausedMs: Math.round(remaining) }, `a provider is paused: ${message}`)
  return { name, remaining }
}

/** Asks to probe a provider after its pause. @returns `probe`: do; `clear`: no trouble; else how long to wait */
export async function acquireProbe(pool: Pool, provider: Model): Promise<'probe' | 'clear' | ProviderPause> {
  const names = troubleRows(provider)
  const rowCount = await execute(
    pool,
    `UPDATE generation_provider p SET paused_until = now() + ${PROBE_TIMEOUT_MS} * interval '1 millisecond'
     WHERE name = ANY (:names) AND trouble IS NOT NULL AND NOT EXISTS (
       SELECT FROM generation_provider WHERE name = ANY (:names) AND trouble IS NOT NULL AND paused_until > now())`,
    { names },
  )
  if (rowCount > 0) return 'probe'
  const [pause] = await queryRows<ProviderPause>(
    pool,
    `SELECT name, ${REMAINING_PAUSE_MS} FROM generation_provider
     WHERE name = ANY (:names) AND trouble IS NOT NULL ORDER BY remaining DESC LIMIT 1`,
    { names },
  )
  return pause ?? 'clear'
}

/** Gives a probe back that was not sent: the next who comes sends one. */
export async function returnProbe(pool: Pool, provider: Model): Promise<void> {
  await execute(
    pool,
    'UPDATE generation_provider SET paused_until = now() WHERE name = ANY (:names) AND trouble IS NOT NULL',
    { names: troubleRows(provider) },
  )
}

/** A provider answered. Where that was the probe, it is in trouble no more: what was under way before proves nothing. */
export async function recordProviderSuccess(pool: Pool, provider: Model, probing: boolean): Promise<void> {
  if (probing) await endTrouble(pool, troubleRows(provider))
  await pool.query({
    name: 'provider-served',
    ...named(
      `INSERT INTO generation_provider (name, served_at) VALUES (:name, now())
       ON CONFLICT (name) DO UPDATE SET served_at = now()`,
      { name: provider.name },
    ),
  })
}

const endTrouble = (pool: Pool, names: readonly string[]) =>
  execute(
    pool,
    `UPDATE generation_provider SET paused_until = NULL, trouble = NULL, trouble_since = NULL, trouble_count = 0
     WHERE name = ANY (:names)`,
    { names },
  )

/** Whether it served others since it failed this part in an earlier claim: the job may be to blame. */
export async function hasServedSince(
  pool: Pool,
  name: string,
  part: PartName,
  { jobId, claimedMs }: { jobId: string; claimedMs: number },
): Promise<boolean> {
  const rows = await queryRows(
    pool,
    `SELECT FROM generation_provider p
     WHERE p.name = :name AND p.served_at > (
       SELECT max(c.ended_at) FROM generation_call c
       WHERE c.job_id = :jobId AND c.step = :step AND c.part = :part AND c.provider = :name
         AND c.outcome IN ('failed', 'lost') AND c.intent_at < now() - :claimedMs::float8 * interval '1 millisecond')`,
    { name, jobId, step: part.step, part: part.name, claimedMs },
  )
  return rows.length > 0
}
