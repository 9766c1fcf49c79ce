import { Pool } from 'pg'
import { batched } from '../../database/batched.ts'
import { named, storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { GalleyError, Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { addOrphanCheck } from '../jobs.ts'
import {
  deliveryBackoff,
  isSiteWide,
  MAX_ATTEMPTS,
  MAX_SITE_FAILURES,
  SITE_FAILURE_SPACING_MS,
} from './failure.ts'
import type { Ledger } from './ledger.ts'
import { deliveryNotifications, notifiedColumns } from './notifications.ts'
import {
  type DeliveryError,
  type DeliveryRow,
  type LedgerPatch,
  transition,
  type transitions,
} from './state.ts'
import { type LedgerWrite, ledgerWriteSql, type TimelineEntry, writeShape } from './statements.ts'

/** How a claim ended, for the site worker to act on. */
export type SettleResult = 'delivered' | 'delivery_stopped' | 'site_trouble' | 'fenced_off'

interface Settlement {
  status: (typeof transitions.settle.to)[number]
  /** Milliseconds until it is due again; null where it is not. */
  dueInMs: number | null
  attempts: number
  /** In a row. */
  siteFailures: number
  error: DeliveryError | null
  warnings: Warning[]
  siteFailed: boolean
  ambiguous: boolean
  delivered: boolean
  /** The process has survived all of an attempt: what was counted before was not this delivery's fault. */
  survived: boolean
  /** It is about this document and its post, and not about the site or an attempt that will be made again. */
  decided: boolean
  /** It stops with all of its site, and it is that which people are told of. */
  withSite: boolean
  line: TimelineEntry
}

/** A claim under way, and what its ledger still keeps. */
interface ClaimedDelivery {
  row: DeliveryRow
  ledger: Ledger
}

interface SettleContext {
  database: Queryable
  timing: Pick<Timing, 'orphansAfterMs' | 'firstBackoffMs'>
}

/** Ends a claim whose document stands on the site. */
export const settleDelivered = (
  context: SettleContext,
  { row, ledger, warnings }: ClaimedDelivery & { warnings: Warning[] },
): Promise<SettleResult> =>
  settle(context, { row, ledger }, 'delivered', {
    status: 'delivered',
    dueInMs: null,
    attempts: 0,
    siteFailures: 0,
    error: null,
    warnings,
    siteFailed: false,
    ambiguous: false,
    delivered: true,
    survived: true,
    decided: true,
    withSite: false,
    line: { step: 'deliver', outcome: 'delivered', detail: null },
  })

/**
 * Ends a claim that something stopped. A failure of the site costs the delivery no attempt, unless the site
 * has served others since it last failed this one: then the document is to blame. Nor does waiting for memory, or for the
 * upstream of its source.
 */
export function settleFailed(
  context: SettleContext,
  { row, ledger }: ClaimedDelivery,
  { step, warnings }: { step: string; warnings: Warning[] },
  failure: GalleyError,
  siteServedSince: boolean,
): Promise<SettleResult> {
  const { code, message, action, fault } = failure
  const ofSite = (fault === 'site' || isSiteWide(failure, row)) && !siteServedSince
  const attempts = row.attempts + (ofSite || FREE_WAITS.has(code) ? 0 : 1)
  const siteFailures = fault === 'site' ? row.site_failures + 1 : 0
  const status = settlementOf(failure, ofSite, attempts, siteFailures)
  const wait = ofSite
    ? SITE_FAILURE_SPACING_MS
    : Math.max(deliveryBackoff(attempts, context.timing.firstBackoffMs), failure.retryAfterMs ?? 0)
  return settle(context, { row, ledger }, ofSite ? 'site_trouble' : 'delivery_stopped', {
    status,
    dueInMs: status === 'queued' ? wait : null,
    attempts,
    siteFailures,
    error: { code, message, step, ...detailsOf(failure) },
    warnings,
    siteFailed: fault === 'site',
    ambiguous: action === 'ambiguous',
    delivered: false,
    // Where the site failed, or there was no room, what ends the process may be yet to come.
    survived: !ofSite && !FREE_WAITS.has(code),
    decided: status === 'failed' || (status === 'held' && fault !== 'owner' && fault !== 'site'),
    withSite: isSiteWide(failure, row),
    line: { step, outcome: outcomeOf(status), detail: `${code}: ${message}` },
  })
}

/** What is nobody's failure of the delivery: it waits for its turn. */
const FREE_WAITS: ReadonlySet<string> = new Set(['memory_busy', 'upstream_down'])

/** Facts for whoever decides about a held delivery; what a site answered to a failed request is for the log alone. */
const detailsOf = ({ fault, action, details }: GalleyError): { details?: unknown } =>
  fault === 'delivery' && action === 'owner' && details !== undefined ? { details } : {}

function settlementOf(
  { action, fault }: GalleyError,
  ofSite: boolean,
  attempts: number,
  siteFailures: number,
): Settlement['status'] {
  if (fault === 'owner') return 'held'
  if (ofSite) return siteFailures >= MAX_SITE_FAILURES ? 'held' : 'queued'
  if (action === 'owner') return 'held'
  if (action === 'permanent' && fault === 'delivery') return 'failed'
  return attempts >= MAX_ATTEMPTS ? 'failed' : 'queued'
}

/** Who let Galley write over what was changed had seen the post as it was then: the leave ends with what came of it. */
function withoutDecision({ answered }: DeliveryRow): LedgerPatch {
  if (!answered?.overwrite) return {}
  const { overwrite: _, ...rest } = answered
  return { answered: rest }
}

const outcomeOf = (status: Settlement['status']): string => (status === 'queued' ? 'will_retry' : status)

/** No newer version came while this one was under way. */
const IS_NEWEST = 'd.wanted_event_id = asked.event_id'

const SETTLED = transition(
  'settle',
  { when: IS_NEWEST, stateOf: 'asked.status', due: "now() + asked.due_in_ms * interval '1 millisecond'" },
  { to: 'queued', due: 'now()' },
)

const NOTIFICATIONS = notifyReceivers(deliveryNotifications('ended', 'NOT told.with_site'))

/** Columns of `asked` beside those of every write of the ledger. */
const CASTS = {
  event_id: 'uuid',
  status: 'text',
  due_in_ms: 'float8',
  attempts: 'int',
  site_failures: 'int',
  error: 'jsonb',
  warnings: 'jsonb',
  site_failed: 'bool',
  ambiguous: 'bool',
  delivered: 'bool',
  survived: 'bool',
  with_site: 'bool',
}

/**
 * Writes the end of a claim, fenced. A newer event that came meanwhile makes the delivery due again at once,
 * whatever this end was: it waited behind this one. Where a site may have made something that nobody heard of, the
 * same statement plans to look for it (maintenance/orphans.ts). What the ledger deferred until now is written with it.
 */
async function settle(
  { database, timing }: SettleContext,
  { row, ledger }: ClaimedDelivery,
  settled: SettleResult,
  end: Settlement,
): Promise<SettleResult> {
  const patch = end.decided ? withoutDecision(row) : {}
  const more: Record<keyof typeof CASTS, unknown> = {
    event_id: row.wanted_event_id,
    status: end.status,
    due_in_ms: end.dueInMs,
    attempts: end.attempts,
    site_failures: end.siteFailures,
    error: end.error === null ? null : storableJson(end.error),
    warnings: storableJson(end.warnings),
    site_failed: end.siteFailed,
    ambiguous: end.ambiguous,
    delivered: end.delivered,
    survived: end.survived,
    with_site: end.withSite,
  }
  const writing: LedgerWrite = { ...ledger.ending({ ...end.line, patch }), more }
  const name = `settle-${writeShape(writing.entries)}`
  const many = (all: readonly LedgerWrite[]) => settleAll(database, { name, timing }, all)
  // In a transaction it stands for itself.
  const [ended] =
    database instanceof Pool ? [await batched(database, name, writing, many)] : await many([writing])
  if (!ended) return 'fenced_off'
  row.status = end.status
  return settled
}

/** @returns of each whether its claim still counted; of one that did not, nothing is written */
async function settleAll(
  database: Queryable,
  { name, timing }: { name: string; timing: SettleContext['timing'] },
  all: readonly LedgerWrite[],
): Promise<boolean[]> {
  const { asked, mine, learned, lines, values } = ledgerWriteSql(all, CASTS)
  const { rows } = await database.query<{ id: string }>({
    name,
    ...named(
      `WITH asked AS (${asked}), mine AS (${mine}), ended AS (
         UPDATE delivery d SET ${SETTLED},
           attempts = CASE WHEN ${IS_NEWEST} THEN asked.attempts ELSE 0 END,
           error = asked.error, warnings = asked.warnings, leased_by = NULL,
           site_failed_at = CASE WHEN asked.site_failed THEN now() ELSE d.site_failed_at END,
           ambiguous_at = CASE WHEN asked.ambiguous THEN now() ELSE d.ambiguous_at END,
           delivered_event_id = CASE WHEN asked.delivered THEN asked.event_id ELSE d.delivered_event_id END,
           crashed = CASE WHEN asked.survived THEN '{}' ELSE d.crashed END, site_failures = asked.site_failures${learned}
         FROM mine JOIN asked USING (id) WHERE d.id = mine.id
         RETURNING ${notifiedColumns('d')}, d.ambiguous_at, asked.with_site
       ), recorded AS (${lines('ended')}), ${NOTIFICATIONS}, orphan_checks AS (
         SELECT ${addOrphanCheck('id', '0', ':orphansAfterMs')}
         FROM ended WHERE ambiguous_at IS NOT NULL
       )
       SELECT id, (SELECT count(*) FROM orphan_checks) FROM ended`,
      { orphansAfterMs: timing.orphansAfterMs, ...values },
    ),
  })
  const ended = new Set(rows.map(({ id }) => id))
  return all.map(({ id }) => ended.has(id))
}
