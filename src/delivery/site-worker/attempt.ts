import { databaseFailure } from '../../database/errors.ts'
import { inTransaction, retryUntilStored } from '../../database/transaction.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Heartbeat } from '../../jobs/heartbeat.ts'
import type { SharedExclusiveLock } from '../../jobs/shared-exclusive-lock.ts'
import type { Logger } from '../../log/log.ts'
import { countAttempt, countDelivered, countFailure, countLoss } from '../../observe/metrics.ts'
import { addSpanAttributes, withSpan } from '../../observe/trace.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { lossesOf } from '../../warnings.ts'
import { directTraffic } from '../../wordpress/client/client.ts'
import { fetchCurrentUser } from '../../wordpress/discover/current-user.ts'
import { type Judgement, judge } from '../../wordpress/failures/judge.ts'
import { asGalleyError, databaseRefused, MAX_HICCUPS, type Progress } from '../ledger/failure.ts'
import { LeaseLostError, Ledger } from '../ledger/ledger.ts'
import { type HeldLogEntry, logHeldDeliveries } from '../ledger/notifications.ts'
import { lockSite, recordOutage } from '../ledger/outage.ts'
import { resumeIfSourceRecovered } from '../ledger/resume.ts'
import { type SettleResult, settleDone, settleFailed } from '../ledger/settle.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import type { Delivering, DeliveryServices } from '../steps/context.ts'
import { deliver, type PrepareContext, prepare } from '../steps/deliver.ts'
import { isUndo, undo } from '../steps/undo.ts'
import { withdraw } from '../steps/withdraw.ts'

export interface AttemptResult {
  settled: SettleResult
  /** The site has answered as one that works, be it only that it refuses this document. */
  answered: boolean
}

export interface AttemptStart {
  /** The site is in trouble, and this delivery is to show whether it works again. */
  probing: boolean
  /** The failure since its claim that persists, because of which nothing is sent; null where there is none. */
  justFailed: () => GalleyError | null
  /** Writes down that others were delivered to the site meanwhile, where any were. */
  writeServed: () => Promise<void>
}

interface AttemptContext {
  step: string
  warnings: Warning[]
  probing: boolean
  /** It has met a time-out, and the site does not answer a light question either. */
  siteHangs: boolean
}

/**
 * Delivers one claimed row and settles how it ended. The heartbeat keeps the lease meanwhile, and the settlement outlasts a database
 * that is away. A delivery that ended is one line in the log; its time is that of its last attempt.
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
  return withSpan('attempt', { facts, parent: row.traceparent }, async () => {
    const ledger = new Ledger(context.pool, row, context.timing.leaseS)
    const release = context.heartbeat.hold(ledger)
    const began = performance.now()
    const attempts = row.attempts + 1
    try {
      const attempted = await attemptWithLease(context, site, row, ledger, start)
      if (attempted.settled === 'fenced_off') return attempted
      countAttempt(row.status)
      const durationMs = Math.round(performance.now() - began)
      const ended = { ...logFacts(site, row), outcome: row.status, attempts, durationMs }
      if (row.status !== 'queued') context.log.info(ended, 'delivery ended')
      return attempted
    } finally {
      addSpanAttributes({ 'galley.outcome': row.status, 'galley.attempts': attempts })
      release()
    }
  })
}

const logFacts = (site: DeliverySite, row: DeliveryRow) => ({
  delivery: row.id,
  event: row.wanted_event_id,
  document: row.document_id,
  site: site.id,
  post: row.post_id,
})

async function attemptWithLease(
  context: SiteWorkerContext,
  site: DeliverySite,
  row: DeliveryRow,
  ledger: Ledger,
  start: AttemptStart,
): Promise<AttemptResult> {
  const { log } = context
  const progress: Progress = { step: 'prepare' }
  const warnings: Warning[] = []
  const settling = { database: context.pool, timing: context.timing }
  const claimed = { row, ledger, warnings }
  const services = { ...context, ...start, progress, warnings }
  try {
    const end: Pick<Parameters<typeof settleDone>[1], 'canonical' | 'undone'> = {}
    if (row.withdraw_to !== null) await withdraw(services, { row, ledger, site }, row.withdraw_to)
    else if (isUndo(row)) end.undone = await undo(services, { row, ledger, site })
    else end.canonical = await prepareAndDeliver(services, row, ledger, site)
    const settled = await retryUntilStored(context, () => settleDone(settling, { ...claimed, ...end }))
    if (row.status === 'delivered' && row.delivered_event_id !== row.wanted_event_id) {
      countDelivered(row.wanted_event_id, row.attempts === 0 && row.site_failures === 0)
      if (lossesOf(warnings).length > 0) countLoss('delivered')
    }
    return { settled, answered: true }
  } catch (thrown) {
    if (thrown instanceof LeaseLostError) return { settled: 'fenced_off', answered: false }
    const { step } = progress
    const siteWasAsked = step !== 'prepare' && step !== 'confirm'
    const failure = await reclassifyAsOwner(site, step, asGalleyError(thrown))
    log.warn({ ...logFacts(site, row), step, code: failure.code, err: thrown }, failure.message)
    countFailure(failure.code)
    if (failure.code === 'content_lost') countLoss('held')
    addSpanAttributes({ 'error.type': failure.code, 'galley.step': step })
    const siteHangs = failure.code === 'site_timeout' && !start.probing && (await hangs(site))
    const met = { step, warnings, probing: start.probing, siteHangs }
    // Before the site is paused for it: it may be the document.
    if (row.site_failures >= MAX_HICCUPS) await retryUntilStored(context, start.writeServed)
    const settled = await fail(context, site, { row, ledger }, met, failure)
    if (failure.code === 'upstream_refused')
      await retryUntilStored(context, () => resumeIfSourceRecovered(context.pool, row))
    return { settled, answered: judge(failure).site === 'works' && siteWasAsked }
  }
}

async function prepareAndDeliver(
  context: PrepareContext,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
): Promise<Delivering['canonical']> {
  const delivering = await prepare(context, row, ledger, site)
  try {
    await deliver(delivering)
    return delivering.canonical
  } finally {
    delivering.room.release()
  }
}

/** What a site refuses of a delivery while it knows who asks: plugins refuse visitors without naming the reason. */
async function reclassifyAsOwner({ client }: DeliverySite, step: Progress['step'], failure: GalleyError) {
  if (failure.fault !== 'delivery' || step !== 'reserve') return failure
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

/** How the delivery ended and what that says of its site, stored together so that neither stands without the other. */
async function failOnce(
  { pool, timing, log }: SiteWorkerContext,
  site: DeliverySite,
  claimed: { row: DeliveryRow; ledger: Ledger },
  met: AttemptContext,
  failure: GalleyError,
): Promise<SettleResult> {
  const { row } = claimed
  const judged = judge(failure, { ofPost: row.post_id !== null })
  const { site: ofSite } = judged
  if (ofSite !== 'fails' && ofSite !== 'refuses')
    return settleFailed({ database: pool, timing }, claimed, { ...met, failure, judged })
  const hiccup = isHiccup(site, row, met, judged)
  let held: HeldLogEntry[] = []
  const settled = await inTransaction(pool, async (database) => {
    const context = { database, timing }
    const servedAt = await lockSite(database, site)
    const { site_failed_at: failedAt } = row
    const servedSince = ofSite === 'fails' && failedAt !== null && servedAt !== null && servedAt > failedAt
    const settled = await settleFailed(context, claimed, { ...met, failure, judged, servedSince })
    if (settled !== 'site_trouble') return settled
    if (hiccup) return 'delivery_stopped'
    held = await recordOutage(context, site, failure, judged)
    return settled
  })
  if (settled === 'site_trouble') site.client.traffic.paused()
  logHeldDeliveries(log, held)
  return settled
}

/**
 * Asks a site in trouble whether it works again, with a read that only whoever may write gets. A failure prolongs the outage.
 * @returns whether a delivery may be tried, which has the last word
 */
export async function answersAgain(context: OutageRecording, site: DeliverySite): Promise<boolean> {
  const failure = await askLightly(site)
  if (failure === null) return true
  const judged = judge(failure)
  if (judged.site !== 'fails' && !judged.ofCredentials) return true
  await recordSiteFailure(context, site, failure, judged)
  return false
}

type OutageRecording = Pick<SiteWorkerContext, 'pool' | 'timing' | 'log'> & { stopping?: AbortSignal }

/** Records that a site failed when no delivery was under way. */
export async function recordSiteFailure(
  { pool, timing, log, stopping = AbortSignal.abort() }: OutageRecording,
  site: Parameters<typeof recordOutage>[1],
  failure: GalleyError,
  judged: Judgement,
): Promise<void> {
  log.info({ site: site.id, code: failure.code }, failure.message)
  const held = await retryUntilStored({ log, stopping }, () =>
    inTransaction(pool, async (database) => {
      await lockSite(database, site)
      return recordOutage({ database, timing }, site, failure, judged)
    }),
  )
  logHeldDeliveries(log, held)
}

/** Milliseconds that a site has to answer a light question after a time-out: it has hung for a while already. */
const HANGS_AFTER_MS = 10_000

/** After a time-out: whether the site hangs, and not that one request alone. Who asks in the same moment asks together. */
const hangs = (site: DeliverySite): Promise<boolean> =>
  site.client.traffic.gather('hangs', site, async (sites) => {
    const failure = await askLightly(site, HANGS_AFTER_MS)
    return sites.map(() => failure !== null && judge(failure).site === 'fails')
  })

/** @returns the failure that a light question meets; null where it is answered */
const askLightly = ({ client, settings }: DeliverySite, timeoutMs?: number): Promise<GalleyError | null> =>
  client
    .with({ traffic: directTraffic })
    .request({
      path: `/wp/v2/${settings.post_type}`,
      query: { context: 'edit', per_page: 1, _fields: 'id' },
      doing: 'asking whether it works',
      subject: 'post',
      ...(timeoutMs !== undefined && { timeoutMs }),
    })
    .then(() => null, asGalleyError)

/** A failure of a site that else works: the delivery alone waits a moment, at no cost, and the others go on. */
const isHiccup = (
  { client }: DeliverySite,
  { site_failures }: DeliveryRow,
  { probing, siteHangs }: AttemptContext,
  { site, passes }: Judgement,
): boolean =>
  site === 'fails' &&
  passes &&
  !probing &&
  !siteHangs &&
  site_failures < MAX_HICCUPS &&
  !client.traffic.persists()

export interface SiteWorkerContext extends DeliveryServices {
  log: Logger
  /** Of this process: its id stands in leases, and it renews them. */
  heartbeat: Heartbeat
  lock: SharedExclusiveLock
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is claimed. */
  stopping: AbortSignal
}
