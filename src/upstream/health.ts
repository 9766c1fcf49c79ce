import type { Pool } from 'pg'
import { pauseEnd } from '../database/pause.ts'
import { execute, queryRows, storableJson } from '../database/statement.ts'
import type { GalleyError } from '../errors.ts'
import type { SourceId } from '../sources/sources.ts'

/** Pause of an upstream that refuses the key; short, for a person who fixes it there and retries. */
const REFUSED_MS = 60_000

export interface UpstreamState {
  name: string
  baseUrl: string | null
  apiKey: string | null
  /** Why it is paused; null where it is not. */
  trouble: { code: string; message: string } | null
  /** Its last request failed. */
  failed: boolean
  pausedMs: number
}

/** The upstream of a source; null where there is no such source. */
export async function readUpstreamState(pool: Pool, source: SourceId): Promise<UpstreamState | null> {
  const rows = await queryRows<UpstreamState>(
    pool,
    `SELECT name, upstream_base_url AS "baseUrl", upstream_api_key AS "apiKey", upstream_trouble_count > 0 AS failed,
       CASE WHEN upstream_paused_until > now() THEN upstream_trouble END AS trouble,
       greatest(extract(epoch FROM upstream_paused_until - now()) * 1000, 0)::float8 AS "pausedMs"
     FROM source WHERE id = :id AND account_id = :accountId`,
    { ...source },
  )
  return rows[0] ?? null
}

/**
 * Pauses an upstream that failed twice in a row, for all processes: for `firstMs`, doubled with every further failure up to
 * 15 minutes. One that refuses, or requests a pause, is paused at once. Failures during a pause do not extend it.
 * @param asked the upstream as it was when it failed: its address and key may be others by now
 * @returns milliseconds until the next request; null where the source has another address or key by now
 */
export async function pauseUpstream(
  pool: Pool,
  source: SourceId,
  failure: GalleyError,
  asked: UpstreamState | null,
  firstMs: number,
): Promise<number | null> {
  const requestedMs = failure.code === 'upstream_refused' ? REFUSED_MS : (failure.retryAfterMs ?? null)
  const [stored] = await queryRows<{ remaining: number | null; changed: boolean }>(
    pool,
    `WITH paused AS (UPDATE source SET
       upstream_paused_until = CASE WHEN ${IS_TROUBLE} THEN ${pauseEnd('greatest(upstream_trouble_count - 1, 0)')} END,
       upstream_trouble_count = upstream_trouble_count + 1,
       upstream_trouble = CASE WHEN ${IS_TROUBLE} THEN :trouble::jsonb END
     WHERE id = :id AND account_id = :accountId AND NOT ${CONFIGURATION_CHANGED_SQL}
       AND coalesce(upstream_paused_until <= now(), true)
     RETURNING extract(epoch FROM upstream_paused_until - now())::float8 * 1000 AS remaining)
     SELECT ${CONFIGURATION_CHANGED_SQL} AS changed, (SELECT remaining FROM paused) AS remaining
     FROM source WHERE id = :id AND account_id = :accountId`,
    {
      ...{ ...source, requestedMs, firstMs },
      baseUrl: asked?.baseUrl ?? null,
      apiKey: asked?.apiKey ?? null,
      trouble: storableJson({ code: failure.code, message: failure.message }),
    },
  )
  return stored?.changed ? null : (stored?.remaining ?? firstMs)
}

/** SQL: the failure is not the first of a row, or not one that passes by itself. */
const IS_TROUBLE = '(upstream_trouble_count > 0 OR :requestedMs::float8 IS NOT NULL)'

const CONFIGURATION_CHANGED_SQL =
  '((upstream_base_url, upstream_api_key) IS DISTINCT FROM (:baseUrl::text, :apiKey::text))'

/** Ends the pause of an upstream that works again, and forgets its failures. */
export async function clearUpstreamTrouble(pool: Pool, { accountId, id }: SourceId): Promise<void> {
  await execute(
    pool,
    `UPDATE source SET upstream_paused_until = NULL, upstream_trouble = NULL, upstream_trouble_count = 0
     WHERE id = :id AND account_id = :accountId AND upstream_trouble_count > 0`,
    { id, accountId },
  )
}
