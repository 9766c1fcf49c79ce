import type { Pool } from 'pg'
import { isForeignKeyViolation } from '../database/errors.ts'
import { batched, isoInstant, named, storableText } from '../database/statement.ts'
import { excerpt } from '../lib/text.ts'
import type { Logger } from '../log/log.ts'
import { eventLiteral, notifyReceivers } from '../notifications/notify.ts'
import { countUnusableWebhook } from '../observe/metrics.ts'
import { UNUSABLE_QUIET_DAYS, type UnusableReason } from '../sources/schema.ts'
import { ACK_TIMEOUT_MS, type KnownSource } from '../sources/sender.ts'

/** A webhook of a known source that is not used. */
export interface UnusableWebhook {
  reason: UnusableReason
  /** What was wrong, for a person. */
  message: string
}

type Counted = UnusableWebhook & { sourceId: string; accountId: string }

/**
 * Counts a webhook that is not used, and tells receivers when that begins and at most once a day after. Never fails.
 * @returns how many there were for this reason, with this one; 0 where the database does not say
 */
export type CountUnusable = (
  source: Pick<KnownSource, 'id' | 'accountId'>,
  webhook: UnusableWebhook,
) => Promise<number>

export const unusableCounter =
  (pool: Pool, log: Logger): CountUnusable =>
  async ({ id: sourceId, accountId }, { reason, message }) => {
    countUnusableWebhook(reason)
    const counted = { sourceId, accountId, reason, message: excerpt(storableText(message), MAX_MESSAGE) }
    log.info({ source: sourceId, reason }, 'webhook not used')
    try {
      return await batched(pool, 'unusable-webhooks', counted, (all) => countAll(pool, all), {
        most: MAX_BATCH,
        oneAtATime: true,
      })
    } catch (error) {
      // Its source was removed meanwhile.
      if (!isForeignKeyViolation(error))
        log.error({ source: sourceId, err: error }, 'could not count a webhook that is not used')
      return 0
    }
  }

const MAX_MESSAGE = 500

const MAX_BATCH = 500

/** One row for each source and reason, whatever was sent. */
async function countAll(pool: Pool, all: readonly Counted[]): Promise<number[]> {
  const { rows } = await pool.query<{ source_id: string; reason: string; count: number }>({
    ...named(COUNT, {
      accountIds: all.map(({ accountId }) => accountId),
      sourceIds: all.map(({ sourceId }) => sourceId),
      reasons: all.map(({ reason }) => reason),
      messages: all.map(({ message }) => message),
    }),
    query_timeout: ACK_TIMEOUT_MS,
  })
  const counts = new Map(rows.map(({ source_id, reason, count }) => [`${source_id} ${reason}`, count]))
  return all.map(({ sourceId, reason }) => counts.get(`${sourceId} ${reason}`) ?? 0)
}

const IS_QUIET = `u.last_at < now() - interval '${UNUSABLE_QUIET_DAYS} days'`

const IS_TOLD = "u.told_at < now() - interval '1 day'"

const COUNT = `
WITH given AS (
  SELECT source_id, reason, max(account_id::text)::uuid AS account_id, count(*)::int AS count, max(message) AS message
  FROM unnest(:accountIds::uuid[], :sourceIds::uuid[], :reasons::text[], :messages::text[])
    AS one (account_id, source_id, reason, message)
  GROUP BY source_id, reason ORDER BY source_id, reason
), counted AS (
  INSERT INTO unusable_webhook AS u (account_id, source_id, reason, count, message)
  SELECT account_id, source_id, reason, count, message FROM given
  ON CONFLICT (source_id, reason) DO UPDATE SET
    count = CASE WHEN ${IS_QUIET} THEN 0 ELSE u.count END + excluded.count,
    first_at = CASE WHEN ${IS_QUIET} THEN now() ELSE u.first_at END,
    told_at = CASE WHEN ${IS_TOLD} THEN now() ELSE u.told_at END,
    last_at = now(), message = excluded.message
  RETURNING u.*
), ${notifyReceivers({
  relation: 'counted',
  // Both are the time of this statement where it tells.
  event: `CASE WHEN told.told_at = told.last_at THEN ${eventLiteral('event.unusable')} END`,
  subject: 'told.source_id',
  site: 'NULL::uuid',
  data: `json_build_object('id', told.source_id, 'name', (SELECT name FROM source WHERE source.id = told.source_id),
    'reason', told.reason, 'count', told.count, 'since', ${isoInstant('told.first_at')}, 'message', told.message)`,
})}
SELECT source_id, reason, count FROM counted`
