import type { Pool } from 'pg'
import type { ByteBudget } from '../../bytes/index.ts'
import { databaseFailure } from '../../database/errors.ts'
import { inTransaction, retryUntilStored } from '../../database/transaction.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Heartbeat, Timing } from '../../jobs/heartbeat.ts'
import type { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { Logger } from '../../log/log.ts'
import { countAttempt, countDelivered, countFailure } from '../../observe/metrics.ts'
import { addSpanAttributes, withSpan } from '../../observe/trace.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { queueCheckAfterFailure } from '../../sites/health/check-site.ts'
import { lockSite, pauseSite, wasServedSince } from '../../sites/health/outage.ts'
import type { UpstreamClient } from '../../upstream/ask.ts'
import { fetchCurrentUser } from '../../wordpress/discover/index.ts'
import { refusesCredentials } from '../../wordpress/failures/index.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'
import { isTransient } from '../../wordpress/traffic/index.ts'
import { retractCrash } from '../ledger/claim.ts'
import {
  answeredBySite,
  asGalleyError,
  databaseRefused,
  isLeaseLost,
  isSiteWide,
  MAX_HICCUPS,
  type Phase,
  Progress,
} from '../ledger/failure.ts'
import { Ledger } from '../ledger/ledger.ts'
import { type HeldLogEntry, logHeldDeliveries } from '../ledger/notifications.ts'
import { resumeIfSourceRecovered, resumeLockedSite, stopForOwner } from '../ledger/pause-and-resume.ts'
import { type SettleResult, settleDelivered, settleFailed } from '../ledger/settle.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import { deliver, prepare } from '../steps/deliver.ts'

export interface AttemptResult {
  settled: SettleResult
  /** The site has answered as one that works, be it only that it refuses this document. */
  answered: boolean
}

/** What is known when an attempt begins. */
export interface AttemptStart {
  /** The site is in trouble, and this delivery is to show whether it works again. */
  probing: boolean
  /** The failure since its claim that persists, because of which nothing is sent; null where there is none. */
  justFailed: () => GalleyError | null
  /** Writes down that others were delivered to the site meanwhile, where any were. */
  writeServed: () => Promise<void>
}

/** What belongs to a failure besides itself: at which step it was, and what was noticed until then. */
interface AttemptContext {
  step: string
  warnings: Warning[]
  /** The site is in trouble, and this delivery was to show whether it works again. */
  probing: boolean
}

/**
 * Delivers one claimed row and settles how it ended. The lease is kept by the heartbeat meanwhile, and the settlement
 * outlasts a database that is away: what is known now would be asked of the site again. A delivery that ended, delivered,
 * held or failed, is one line in the log; its time is that of the attempt that ended it.
 */
export function attempt(
  context: SiteWorkerContext,
  site: DeliverySite,
  row: DeliveryRow,
  start: AttemptStart,
): Promise<AttemptResult> {
  const facts = {
    'galley.delivery': row.id,
    'galley.event': row.wanted_event_id,
    'galley.document': row.document_id,
    'galley.site': site.id,
  }
  return withSpan('attempt', { facts, parent: row.traceparent }, () =>
    attemptAndLog(context, site, row, start),
  )
}

async function attemptAndLog(
  context: SiteWorkerContext,
  site: DeliverySite,
  row: DeliveryRow,
  start: AttemptStart,
): Promise<AttemptResult> {
  const ledger = new Ledger(context.pool, row, context.timing.leaseS)
  const release = context.heartbeat.hold(ledger)
  const began = performance.now()
  const attempts = row.attempts + 1
  const anew = row.delivered_event_id !== row.wanted_event_id
  const first = row.attempts === 0 && row.site_failures === 0
  try {
    const attempted = await attemptWithLease(context, site, row, ledger, start)
    if (attempted.settled === 'fenced_off') await retractCrash(context.pool, row)
    else countAttempt(row.status)
    if (attempted.settled === 'delivered' && anew) countDelivered(row.wanted_event_id, first)
    if (attempted.settled !== 'fenced_off' && row.status !== 'queued')
      context.log.info(
        {
          delivery: row.id,
          event: row.wanted_event_id,
          document: row.document_id,
          site: site.id,
          post: row.post_id,
          outcome: row.status,
          attempts,
          durationMs: Math.round(performance.now() - began),
        },
        'delivery ended',
      )
    return attempted
  } finally {
    addSpanAttributes({ 'galley.outcome': row.status, 'galley.attempts': attempts })
    release()
  }
}

async function attemptWithLease(
  context: SiteWorkerContext,
  site: DeliverySite,
  row: DeliveryRow,
  ledger: Ledger,
  start: AttemptStart,
): Promise<AttemptResult> {
  const { log } = context
  const progress = new Progress()
  const warnings: Warning[] = []
  const settling = { database: context.pool, timing: context.timing }
  try {
    const delivering = await prepare({ ...context, ...start, progress, warnings }, row, ledger, site)
    try {
      await deliver(delivering)
    } finally {
      delivering.room.release()
    }
    return {
      settled: await retryUntilStored(context, () => settleDelivered(settling, delivering)),
      answered: true,
    }
  } catch (thrown) {
    if (isLeaseLost(thrown)) return { settled: 'fenced_off', answered: false }
    const { phase } = progress
    const failure = await reclassifyAsOwner(site, phase, asGalleyError(thrown))
    log.warn(
      {
        delivery: row.id,
        event: row.wanted_event_id,
        site: site.id,
        step: phase.step,
        code: failure.code,
        err: thrown,
      },
      failure.message,
    )
    countFailure(failure.code)
    addSpanAttributes({ 'error.type': failure.code, 'galley.step': phase.step })
    const met = { step: phase.step, warnings, probing: start.probing }
    // Before the site is paused for it: it may be the document.
    if (row.site_failures >= MAX_HICCUPS) await retryUntilStored(context, start.writeServed)
    const settled = await fail(context, site, { row, ledger }, met, failure)
    if (failure.code === 'upstream_refused')
      await retryUntilStored(context, () => resumeIfSourceRecovered(context.pool, row))
    return { settled, answered: answeredBySite(failure, phase) }
  }
}

/**
 * What a site refuses of a delivery, provided that it knows who asks: a visitor is refused in many ways, and what plugins
 * say to one need not name the reason. Later steps have been let in.
 */
async function reclassifyAsOwner(
  { client }: DeliverySite,
  phase: Phase,
  failure: GalleyError,
): Promise<GalleyError> {
  if (failure.fault !== 'delivery' || phase.step !== 'reserve') return failure
  try {
    await fetchCurrentUser(client)
    return failure
  } catch (error) {
    return error instanceof GalleyError && error.fault === 'owner' ? error : failure
  }
}

/** Settles a failure, and tells the site's part of it. What the database refuses of it is left out, and said instead. */
async function fail(
  context: SiteWorkerContext,
  site: DeliverySite,
  claimed: { row: DeliveryRow; ledger: Ledger },
  met: AttemptContext,
  failure: GalleyError,
): Promise<SettleResult> {
  try {
    return await retryUntilStored(context, () => failOnce(context, site, claimed, met, failure))
  } catch (error) {
    if (databaseFailure(error) !== 'refused') throw error
    context.log.error({ delivery: claimed.row.id, err: error }, 'the database refused how a delivery ended')
    claimed.ledger.forget()
    const bare = { ...met, step: 'store', warnings: [] }
    return retryUntilStored(context, () =>
      failOnce(context, site, claimed, bare, withoutSiteText(failure, error)),
    )
  }
}

/** A failure of the site stays one, or it would cost every delivery of the site in turn. */
const withoutSiteText = ({ code, fault, action }: GalleyError, refusal: unknown): GalleyError =>
  fault === 'site' || fault === 'owner'
    ? new GalleyError({
        code,
        fault,
        action,
        message: 'The site failed, and what it said has characters that the database cannot store.',
      })
    : databaseRefused(refusal)

/**
 * How the delivery ended and what that says about its site, in one transaction: where only the first were stored, a site
 * would stand as connected while its delivery waits for its owner.
 */
async function failOnce(
  { pool, timing, log }: SiteWorkerContext,
  site: DeliverySite,
  claimed: { row: DeliveryRow; ledger: Ledger },
  met: AttemptContext,
  failure: GalleyError,
): Promise<SettleResult> {
  const { row } = claimed
  if (failure.fault !== 'site' && !isSiteWide(failure, row))
    return settleFailed({ database: pool, timing }, claimed, met, failure, false)
  const hiccup = isHiccup(site, row, met, failure)
  /** What waits for the site beside this delivery, and now waits for its owner. */
  let held: HeldLogEntry[] = []
  const settled = await inTransaction(pool, async (database) => {
    const context = { database, timing }
    await lockSite(database, site)
    const blamed = failure.fault === 'site' && (await wasServedSince(database, site, row.site_failed_at))
    const settled = await settleFailed(context, claimed, met, failure, blamed)
    if (settled !== 'site_trouble') return settled
    if (hiccup) return 'delivery_stopped'
    // It could not get in either, and plugins count every try.
    if (!refusesCredentials(failure)) await queueCheckAfterFailure(context, site, failure)
    if (!isSiteWide(failure, row)) await pauseSite(context, site, failure)
    else {
      const stopped = await stopForOwner(database, site, site.connectedAs, failure)
      if (stopped === null) await resumeLockedSite(database, site)
      else held = stopped
    }
    return settled
  })
  if (settled === 'site_trouble') site.client.traffic.paused()
  logHeldDeliveries(log, held)
  return settled
}

/**
 * A failure of a site that else works, which its traffic has tried to get over in place: the delivery alone waits a moment,
 * at no cost to it, and the others go on. Whoever failed the last time has to show that it works.
 */
const isHiccup = (
  { client }: DeliverySite,
  { site_failures }: DeliveryRow,
  { probing }: AttemptContext,
  failure: GalleyError,
): boolean =>
  failure.fault === 'site' &&
  isTransient(failure) &&
  !probing &&
  site_failures < MAX_HICCUPS &&
  !client.traffic.persists()

export interface SiteWorkerContext {
  pool: Pool
  outbound: Outbound
  /** The files that Galley itself keeps. */
  findStored: FindStoredFile
  /** For sources that have their documents confirmed. */
  upstreams: UpstreamClient
  budget: ByteBudget
  log: Logger
  timing: Timing
  /** Of this process: its id stands in leases, and it renews them. */
  heartbeat: Heartbeat
  /** Who delivers beside whom in this process. */
  lock: SharedExclusiveLock
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is claimed. */
  stopping: AbortSignal
}
