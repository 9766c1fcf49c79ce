import type { Pool } from 'pg'
import { GalleyError, type Warning } from '../errors.ts'
import { deliveryBackoff, MOST_ATTEMPTS } from './backoff.ts'
import type { Delivering } from './delivering.ts'
import { FencedOff } from './ledger.ts'
import type { DeliveryRow, DeliveryStatus } from './row.ts'

/** How a claim ended, for the pump to act on. */
export type Settled = 'delivered' | 'delivery_stopped' | 'site_trouble' | 'fenced_off'

interface End {
  status: DeliveryStatus
  /** Milliseconds until it is due again; null where it is not. */
  dueInMs: number | null
  attempts: number
  error: { code: string; message: string; step: string } | null
  warnings: Warning[]
  siteFailed: boolean
  ambiguous: boolean
  delivered: boolean
  timeline: { step: string; outcome: string; detail: string | null }
}

/** Ends a claim whose document stands on the site. */
export const settleDelivered = (pool: Pool, { row, warnings }: Delivering): Promise<Settled> =>
  settle(pool, row, 'delivered', {
    status: 'delivered',
    dueInMs: null,
    attempts: 0,
    error: null,
    warnings,
    siteFailed: false,
    ambiguous: false,
    delivered: true,
    timeline: { step: 'deliver', outcome: 'delivered', detail: null },
  })

/**
 * Ends a claim that something stopped. A failure of the site costs the delivery no attempt, unless the site
 * has served others since it last failed this one: then the document is to blame.
 */
export function settleFailed(
  pool: Pool,
  row: DeliveryRow,
  { step, warnings }: { step: string; warnings: Warning[] },
  thrown: unknown,
  siteServedSince: boolean,
): Promise<Settled> {
  const failure = asGalleyError(thrown)
  const { code, message, action, whose } = failure
  const ofSite = (whose === 'site' || isSiteWide(failure, row)) && !siteServedSince
  const attempts = row.attempts + (ofSite ? 0 : 1)
  const status = endOf(failure, ofSite, attempts)
  const wait = ofSite
    ? SITE_FAILURE_SPACING_MS
    : Math.max(deliveryBackoff(attempts), failure.retryAfterMs ?? 0)
  return settle(pool, row, ofSite ? 'site_trouble' : 'delivery_stopped', {
    status,
    dueInMs: status === 'queued' ? wait : null,
    attempts,
    error: { code, message, step },
    warnings,
    siteFailed: whose === 'site',
    ambiguous: action === 'ambiguous',
    delivered: false,
    timeline: { step, outcome: outcomeOf(status), detail: `${code}: ${message}` },
  })
}

/** Puts a delivery that met its site's trouble behind the others, so that the next probe is another document. */
const SITE_FAILURE_SPACING_MS = 1_000

/**
 * Trouble that stops every delivery of a site until its owner acts. Missing rights on a post that stands
 * already concern that post alone: another user may have made it.
 */
export const isSiteWide = ({ whose, code }: GalleyError, { post_id }: DeliveryRow): boolean =>
  whose === 'owner' && (code !== 'rights_missing' || post_id === null)

function endOf({ action, whose }: GalleyError, ofSite: boolean, attempts: number): DeliveryStatus {
  if (whose === 'owner') return 'held'
  if (ofSite) return 'queued'
  if (action === 'owner') return 'held'
  if (action === 'permanent' && whose === 'delivery') return 'failed'
  return attempts >= MOST_ATTEMPTS ? 'failed' : 'queued'
}

const outcomeOf = (status: DeliveryStatus): string => (status === 'queued' ? 'will_retry' : status)

/** Every error has a code and a sentence, those of our own making too. */
export function asGalleyError(thrown: unknown): GalleyError {
  if (thrown instanceof GalleyError) return thrown
  return new GalleyError({
    code: 'internal_error',
    message: 'Galley itself failed here. It tries again; if this stays, its log has the reason.',
    whose: 'galley',
    action: 'retry',
    cause: thrown,
  })
}

/** Nothing to settle: whoever holds the delivery now does. */
export const isFencedOff = (thrown: unknown): boolean => thrown instanceof FencedOff

/**
 * Writes the end of a claim, fenced. A newer event that came meanwhile makes the delivery due again at once,
 * whatever this end was: it waited behind this one.
 */
async function settle(pool: Pool, row: DeliveryRow, settled: Settled, end: End): Promise<Settled> {
  const { rowCount } = await pool.query(
    `WITH ended AS (
       UPDATE delivery SET
         status = CASE WHEN wanted_event_id = $3 THEN $4 ELSE 'queued' END,
         due_at = CASE WHEN wanted_event_id = $3 THEN now() + $5::float8 * interval '1 millisecond' ELSE now() END,
         attempts = CASE WHEN wanted_event_id = $3 THEN $6 ELSE 0 END,
         error = $7::jsonb, warnings = $8::jsonb, leased_by = NULL, updated_at = now(),
         site_failed_at = CASE WHEN $9 THEN now() ELSE site_failed_at END,
         ambiguous_at = CASE WHEN $10 THEN now() ELSE ambiguous_at END,
         delivered_event_id = CASE WHEN $11 THEN $3 ELSE delivered_event_id END
       WHERE id = $1 AND fence = $2 AND status = 'delivering' RETURNING id
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, $12, $13, $14 FROM ended`,
    [
      row.id,
      row.fence,
      row.wanted_event_id,
      end.status,
      end.dueInMs,
      end.attempts,
      end.error === null ? null : JSON.stringify(end.error),
      JSON.stringify(end.warnings),
      end.siteFailed,
      end.ambiguous,
      end.delivered,
      end.timeline.step,
      end.timeline.outcome,
      end.timeline.detail,
    ],
  )
  return rowCount === 0 ? 'fenced_off' : settled
}
