import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { storableJson } from '../../database/storable.ts'
import type { GenerationError } from '../failure.ts'
import type { PartName } from './run.ts'

/** Milliseconds for which a provider is left alone at most, unless it says so itself. */
const LONGEST_PAUSE_MS = 15 * 60_000

/** And then: whatever its `Retry-After` says. */
const LONGEST_REQUESTED_MS = 3_600_000

/** Milliseconds that a probe has, before another may be sent: the process that sent it may have died. */
const PROBE_MS = 60_000

/** Milliseconds for which one is left alone after so many failures before, in SQL; `:firstMs` after none. */
export const STANDARD_PAUSE = (failures: string): string =>
  `least(:firstMs::float8 * 2 ^ least(${failures}, 20), ${LONGEST_PAUSE_MS})`

/** Milliseconds that are still to be waited, of a row of `generation_provider`. */
const REMAINING = 'greatest(extract(epoch FROM paused_until - now()) * 1000, 0)::float8 AS remaining'

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
      ${STANDARD_PAUSE(failures)} * (1 + random() / 10))`
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
       RETURNING ${REMAINING}`,
      {
        name,
        firstMs,
        probing,
        requested:
          failure.retryAfterMs === undefined ? null : Math.min(failure.retryAfterMs, LONGEST_REQUESTED_MS),
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
export async function askToProbe(pool: Pool, name: string): Promise<'probe' | 'clear' | number> {
  const { rowCount } = await pool.query(
    named(
      `UPDATE generation_provider SET paused_until = now() + ${PROBE_MS} * interval '1 millisecond'
       WHERE name = :name AND trouble IS NOT NULL AND (paused_until IS NULL OR paused_until <= now())`,
      { name },
    ),
  )
  if (rowCount === 1) return 'probe'
  const { rows } = await pool.query<{ remaining: number }>(
    named(`SELECT ${REMAINING} FROM generation_provider WHERE name = :name AND trouble IS NOT NULL`, {
      name,
    }),
  )
  return rows[0]?.remaining ?? 'clear'
}

/** A provider answered. Where that was the probe, it is in trouble no more: what was under way before proves nothing. */
export async function providerServed(pool: Pool, name: string, probing: boolean): Promise<void> {
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
export async function servedSince(
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
