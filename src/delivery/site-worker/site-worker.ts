import pTimeout from 'p-timeout'
import type { Pool } from 'pg'
import type { DeliverySite } from '../../sites/connection.ts'
import { type ClaimRequest, COHORT_SIZE, claimNext, claimProbe, claimSolo } from '../ledger/claim.ts'
import { recordSiteServed, resumeIdleSite, resumeSite } from '../ledger/outage.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import {
  type AttemptResult,
  type AttemptStart,
  answersAgain,
  attempt,
  type SiteWorkerContext,
} from './attempt.ts'

/** What a site worker asks about its site, at its start and from time to time. */
export interface Checkpoint {
  /** The site as it stands now; null where nothing may be sent to it. */
  site(): Promise<DeliverySite | null>
  /** Whether another site's worker needs this one's place. */
  isWanted(): boolean
}

interface WorkerRun {
  site: DeliverySite
  trouble: boolean
  empty: boolean
  /** Deliveries that are claimed together at most: fewer where the site is so slow that a cohort takes too long. */
  cohort: number
  /** When a delivery last went through, as `performance.now()` counts, until it is written down. */
  servedAt: number | null
}

/** A site worker yields at last after this time, far within what graphile-worker allows a job: four hours. */
const MAX_RUN_MS = 10 * 60_000

/** Milliseconds between two looks for what has come while a slot is free; doubled while nothing comes. */
const POLL_DELAY_MS = { first: 500, last: 4_000 }

/** Milliseconds that a cohort may take: about what a process that is asked to stop gives it, or who must be alone waits. */
const COHORT_TARGET_MS = 20_000

/**
 * Moves one site’s due deliveries, a cohort in each of its `concurrency` slots; one alone while the site is probed. Ends when nothing is
 * due or under way, the site fails, or another needs its place. @returns whether the site worker must come round again
 */
export async function workSite(
  context: SiteWorkerContext,
  site: DeliverySite,
  { probing, checkpoint }: { probing: boolean; checkpoint: Checkpoint },
): Promise<boolean> {
  const { pool, stopping, timing } = context
  const run: WorkerRun = { site, trouble: false, empty: false, cohort: COHORT_SIZE, servedAt: null }
  let checkpointAt = performance.now() + timing.checkpointMs
  let pollDelayMs = POLL_DELAY_MS.first
  let yields = false
  /** Why it cannot go on, as where the database is away. */
  const failures: unknown[] = []
  const end = performance.now() + MAX_RUN_MS
  const shouldContinue = () =>
    failures.length === 0 &&
    !run.trouble &&
    !run.empty &&
    !yields &&
    !stopping.aborted &&
    performance.now() < end
  const passCheckpoint = async () => {
    const now = await checkpoint.site()
    // Another number of slots is another worker's to open.
    if (checkpoint.isWanted() || now?.settings.concurrency !== site.settings.concurrency) yields = true
    else run.site = now
    await writeServed(pool, run)
    checkpointAt = performance.now() + timing.checkpointMs
  }

  const inTime = () => shouldContinue() && performance.now() < checkpointAt
  if (probing && !(await probe(context, run, inTime))) return !run.trouble && !run.empty

  const slots = new Set<Promise<void>>()
  const fail = (error: unknown) => void failures.push(error)
  const open = (cohort: Promise<void>) => {
    const slot = cohort.catch(fail).finally(() => slots.delete(slot))
    slots.add(slot)
  }
  const turn = async () => {
    if (performance.now() >= checkpointAt) return passCheckpoint()
    if (slots.size === site.settings.concurrency)
      return anySettledWithin(slots, checkpointAt - performance.now())
    const cohort = await claimCohort(context, run, shouldContinue)
    if (cohort !== null) {
      pollDelayMs = POLL_DELAY_MS.first
      open(cohort.moved)
    } else if (slots.size > 0) {
      // What comes meanwhile does not wait for the end of what is under way.
      await anySettledWithin(slots, pollDelayMs)
      pollDelayMs = Math.min(pollDelayMs * 2, POLL_DELAY_MS.last)
    } else run.empty = shouldContinue()
  }
  while (shouldContinue()) await turn().catch(fail)
  // All of it: what goes on when another has failed would go on outside the job, and after the process' end.
  await Promise.all(slots)
  if (failures.length > 0) throw failures[0]
  await writeServed(pool, run)
  return !run.trouble && !run.empty
}

const anySettledWithin = (all: ReadonlySet<Promise<void>>, withinMs: number): Promise<void> =>
  pTimeout(Promise.race(all), { milliseconds: Math.max(withinMs, 1), message: false })

/**
 * Asks the site whether it works, then sends one delivery at a time until the site has answered one, which ends its trouble.
 * @returns whether the site works again
 */
async function probe(context: SiteWorkerContext, run: WorkerRun, shouldContinue: () => boolean) {
  const { pool, lock } = context
  if (!(await answersAgain(context, run.site))) {
    run.trouble = true
    return false
  }
  while (shouldContinue()) {
    const attempted = await lock.shared(async () => {
      // It may have waited for one that had to be alone.
      if (!shouldContinue()) return null
      const row = await claimProbe(pool, claimRequest(context, run.site))
      if (row === null) run.empty = true
      return row && attemptOne(context, run, row, { probing: true, justFailed: () => null })
    })
    if (!attempted?.answered) continue
    await writeServed(pool, run)
    await resumeSite(pool, run.site)
    return true
  }
  if (run.empty) await resumeIdleSite(pool, run.site)
  return false
}

async function writeServed(pool: Pool, run: WorkerRun): Promise<void> {
  if (run.servedAt === null) return
  const agoMs = performance.now() - run.servedAt
  run.servedAt = null
  await recordSiteServed(pool, run.site, agoMs)
}

const claimRequest = ({ heartbeat, timing }: SiteWorkerContext, site: DeliverySite): ClaimRequest => ({
  siteId: site.id,
  accountId: site.accountId,
  worker: heartbeat.id,
  leaseS: timing.leaseS,
})

/** Claims what may move together, and begins to move it; null where nothing is due. Where memory is short, one at a time. */
async function claimCohort(context: SiteWorkerContext, run: WorkerRun, shouldContinue: () => boolean) {
  const { pool, lock, budget } = context
  const leave = await lock.acquireShared()
  try {
    const most = budget.documents.waiting > 0 ? 1 : run.cohort
    // Before they are claimed: a pause that is stored while they are is not known to them.
    const justFailed = run.site.client.traffic.watch()
    // It may have waited for one that had to be alone.
    const rows = shouldContinue() ? await claimNext(pool, claimRequest(context, run.site), most) : []
    if (rows.length > 0) return { moved: attemptCohort(context, run, rows, justFailed).finally(leave) }
  } catch (error) {
    leave()
    throw error
  }
  leave()
  return null
}

async function attemptCohort(
  context: SiteWorkerContext,
  run: WorkerRun,
  rows: readonly DeliveryRow[],
  justFailed: AttemptStart['justFailed'],
): Promise<void> {
  const began = performance.now()
  const ends = await Promise.allSettled(
    rows.map((row) => attemptOne(context, run, row, { probing: false, justFailed })),
  )
  const took = performance.now() - began
  if (took > COHORT_TARGET_MS) run.cohort = Math.max(Math.floor(rows.length / 2), 1)
  else if (took < COHORT_TARGET_MS / 2 && rows.length >= run.cohort)
    run.cohort = Math.min(run.cohort * 2, COHORT_SIZE)
  const failed = ends.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
}

async function attemptOne(
  context: SiteWorkerContext,
  run: WorkerRun,
  row: DeliveryRow,
  start: Omit<AttemptStart, 'writeServed'>,
): Promise<AttemptResult> {
  const written = { ...start, writeServed: () => writeServed(context.pool, run) }
  const attempted = await attempt(context, run.site, row, written)
  // Fenced off: another process works on this site, or the database has kept the end of it and its answer was lost.
  if (attempted.settled === 'site_trouble' || attempted.settled === 'fenced_off') run.trouble = true
  if (attempted.settled === 'done') run.servedAt = performance.now()
  return attempted
}

/** Moves one delivery alone in this process: it was under way twice when its process ended, and may be the cause. */
export async function attemptSolo(
  context: SiteWorkerContext,
  site: DeliverySite,
  { probing }: { probing: boolean },
): Promise<void> {
  const { pool, stopping } = context
  if (stopping.aborted) return
  const justFailed = probing ? () => null : site.client.traffic.watch()
  const row = await claimSolo(pool, claimRequest(context, site))
  if (row === null) return
  const attempted = await attempt(context, site, row, {
    probing,
    justFailed,
    writeServed: async () => undefined,
  })
  if (attempted.settled === 'done') await recordSiteServed(pool, site, 0)
  if (probing && attempted.answered) await resumeSite(pool, site)
}
