import { Pool } from 'pg'
import { batched, named, storableJson } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { GalleyError, Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { scalarText } from '../../lib/text.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { withSeverity } from '../../warnings.ts'
import type { Judgement } from '../../wordpress/failures/judge.ts'
import { addOrphanCheck } from '../jobs.ts'
import { deliveryBackoff, MAX_ATTEMPTS, MAX_SITE_FAILURES, SITE_FAILURE_SPACING_MS } from './failure.ts'
import { type Ledger, type LedgerWrite, ledgerWriteSql, type TimelineEntry, writeShape } from './ledger.ts'
import { deliveryNotifications, notifiedColumns } from './notifications.ts'
import {
  type DeliveryError,
  type DeliveryRow,
  type LedgerPatch,
  transition,
  type transitions,
} from './state.ts'

/** How a claim ended, for the site worker to act on. */
export type SettleResult = 'done' | 'delivery_stopped' | 'site_trouble' | 'fenced_off'

interface Settlement {
  status: (typeof transitions.settle.to)[number]
  due_in_ms: number | null
  attempts: number
  site_failures: number
  error: DeliveryError | null
  warnings: Warning[]
  site_failed: boolean
  ambiguous: boolean
  /** The process has survived all of an attempt: what was counted before was not this delivery's fault. */
  survived: boolean
  /** Nobody is told: all of its site stops, which is told; or its post was told of before. */
  untold: boolean
  /** Milliseconds until a stranger's look at its page; null where it has none. */
  public_check_in_ms: number | null
}

interface SettlementContext {
  line: TimelineEntry
  /** It is about this document and its post, and not about the site or an attempt that will be made again. */
  decided: boolean
  patch?: LedgerPatch
}

interface ClaimedDelivery {
  row: DeliveryRow
  ledger: Ledger
}

interface SettleContext {
  database: Queryable
  timing: Pick<Timing, 'orphansAfterMs' | 'firstBackoffMs' | 'publicCheckMs'>
}

/** Ends a claim of which all is done: its document stands on the site, its post is withdrawn, or what it replaced is back, or not. */
export const settleDone = (
  context: SettleContext,
  {
    row,
    ledger,
    warnings,
    canonical = row.canonical,
    undone = null,
  }: ClaimedDelivery & { warnings: Warning[]; canonical?: DeliveryRow['canonical']; undone?: boolean | null },
): Promise<SettleResult> => {
  const status = row.withdraw_to !== null ? 'withdrawn' : undone ? 'kept' : 'delivered'
  return settle(
    context,
    { row, ledger },
    'done',
    {
      status,
      due_in_ms: null,
      attempts: 0,
      site_failures: 0,
      error: null,
      warnings,
      site_failed: false,
      ambiguous: false,
      survived: true,
      untold: row.answered?.canonicalOnly === true || undone !== null,
      public_check_in_ms: publicCheckInMs(context.timing, ledger.now(), row, warnings),
    },
    {
      ...DONE_LINES[undone === false ? 'refused' : status],
      decided: true,
      patch: canonical === row.canonical ? {} : { canonical },
    },
  )
}

const DONE_LINES = {
  delivered: { line: { step: 'deliver', outcome: 'delivered', detail: null } },
  withdrawn: { line: { step: 'withdraw', outcome: 'withdrawn', detail: null } },
  kept: { line: { step: 'undo', outcome: 'kept', detail: null } },
  refused: { line: { step: 'undo', outcome: 'refused', detail: null } },
} as const

/** By then WordPress has published what was scheduled: WP-Cron may be five minutes late on a site without visitors. */
export const AFTER_SCHEDULE_MS = 6 * 60_000

/** A post that is public, or will be at a known time, unless it has a password. */
function publicCheckInMs(
  { publicCheckMs: { first } }: SettleContext['timing'],
  now: Date,
  { answered, post_status }: DeliveryRow,
  warnings: readonly Warning[],
): number | null {
  const { password, date_gmt } = answered?.members ?? {}
  if (password || warnings.some(({ code }) => code === 'password_set')) return null
  if (post_status === 'publish') return first
  const at = post_status === 'future' ? Date.parse(`${scalarText(date_gmt)}Z`) : Number.NaN
  return Number.isNaN(at) ? null : Math.max(at - now.getTime() + AFTER_SCHEDULE_MS, first)
}

interface StoppedClaim {
  step: string
  warnings: Warning[]
  failure: GalleyError
  judged: Judgement
  /** The site has served others since it last failed this delivery. */
  servedSince?: boolean
}

/**
 * Ends a claim that something stopped. Waiting for memory or the upstream costs no attempt, nor does a failure of the site, unless that
 * has served others since it last failed this one: then the document is to blame.
 */
export function settleFailed(
  context: SettleContext,
  { row, ledger }: ClaimedDelivery,
  { step, warnings, failure, judged, servedSince = false }: StoppedClaim,
): Promise<SettleResult> {
  const { code, message, action } = failure
  const { fault, site } = judged
  const ofSite = (site === 'fails' || site === 'refuses') && !servedSince
  const attempts = row.attempts + (ofSite || FREE_WAITS.has(code) ? 0 : 1)
  const siteFailures = site === 'fails' ? row.site_failures + 1 : 0
  const status = settlementOf(failure, ofSite, attempts, siteFailures)
  const wait = ofSite
    ? SITE_FAILURE_SPACING_MS
    : Math.max(deliveryBackoff(attempts, context.timing.firstBackoffMs), failure.retryAfterMs ?? 0)
  const end: Settlement = {
    status,
    due_in_ms: status === 'queued' ? wait : null,
    attempts,
    site_failures: siteFailures,
    error: { code, message, step, ...detailsOf(failure) },
    warnings,
    site_failed: site === 'fails',
    ambiguous: action === 'ambiguous',
    // Where the site failed, or there was no room, what ends the process may be yet to come.
    survived: !ofSite && !FREE_WAITS.has(code),
    untold: site === 'refuses',
    public_check_in_ms: null,
  }
  return settle(context, { row, ledger }, ofSite ? 'site_trouble' : 'delivery_stopped', end, {
    line: { step, outcome: status === 'queued' ? 'will_retry' : status, detail: `${code}: ${message}` },
    decided: status === 'failed' || (status === 'held' && fault !== 'owner' && fault !== 'site'),
    patch: REMOVED_POSTS[code] ?? {},
  })
}

const REMOVED_POSTS: Readonly<Record<string, LedgerPatch>> = {
  post_trashed: { post_status: 'trash' },
  post_deleted: { post_status: 'deleted' },
}

/** What is nobody's failure of the delivery: it waits for its turn. */
const FREE_WAITS: ReadonlySet<string> = new Set(['memory_busy', 'upstream_down', 'publish_time_near'])

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

/** A person's leave to overwrite is for the post as they saw it, so it ends with this claim. */
function withoutDecision({ answered }: DeliveryRow): LedgerPatch {
  if (!answered?.overwrite && !answered?.canonicalOnly) return {}
  const { overwrite: _, canonicalOnly: __, ...rest } = answered
  return { answered: rest }
}

const IS_NEWEST = 'd.wanted_event_id = asked.event_id'

/** The post stands as Galley left it. */
const WROTE = `asked.status IN ('delivered', 'withdrawn', 'kept')`

const SETTLED = transition(
  'settle',
  { when: IS_NEWEST, stateOf: 'asked.status', due: "now() + asked.due_in_ms * interval '1 millisecond'" },
  { to: 'queued', due: 'now()' },
)

const NOTIFICATIONS = notifyReceivers(deliveryNotifications('ended', 'NOT told.untold'))

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
  survived: 'bool',
  untold: 'bool',
  public_check_in_ms: 'float8',
}

/**
 * Writes the end of a claim, fenced, with all that was deferred. A newer event makes the delivery due at once, whatever this end was.
 * After a write without a clear answer, a search for what the site may have made is planned (maintenance/orphans.ts).
 */
async function settle(
  { database, timing }: SettleContext,
  { row, ledger }: ClaimedDelivery,
  settled: SettleResult,
  end: Settlement,
  { line, decided, patch: found }: SettlementContext,
): Promise<SettleResult> {
  const patch = { ...found, ...(decided && withoutDecision(row)) }
  const more: Record<keyof typeof CASTS, unknown> = {
    ...end,
    event_id: row.wanted_event_id,
    error: end.error && storableJson(end.error),
    warnings: storableJson(withSeverity(end.warnings)),
  }
  const writing: LedgerWrite = { ...ledger.ending({ ...line, patch }), more }
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
           delivered_event_id = CASE WHEN asked.status = 'delivered' THEN asked.event_id ELSE d.delivered_event_id END,
           public_check_at = now() + asked.public_check_in_ms * interval '1 millisecond', public_looks = 0,
           post_modified_at = CASE WHEN ${WROTE} THEN NULL ELSE d.post_modified_at END,
           post_modified_by = CASE WHEN ${WROTE} THEN NULL ELSE d.post_modified_by END,
           post_seen_at = CASE WHEN ${WROTE} THEN now() ELSE d.post_seen_at END,
           crashed = CASE WHEN asked.survived THEN '{}' ELSE d.crashed END, site_failures = asked.site_failures${learned}
         FROM mine JOIN asked USING (id) WHERE d.id = mine.id
         RETURNING ${notifiedColumns('d')}, d.ambiguous_at, asked.untold
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
