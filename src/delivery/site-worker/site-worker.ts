import type { Pool } from 'pg'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { siteServed } from '../../sites/health/outage.ts'
import { claimAlone, claimNext, claimProbe } from '../ledger/claim.ts'
import { resumeSite } from '../ledger/resume.ts'
import { type Attempted, attempt } from './attempt.ts'
import type { SiteWorkerContext } from './context.ts'

/** What a site worker asks about its site, at its start and from time to time. */
export interface Checkpoint {
  /** The site as it stands now; null where nothing may be sent to it. */
  site(): Promise<DeliverySite | null>
  /** Whether another site's worker needs this one's place. */
  isWanted(): boolean
}

/** How a site worker stands. */
interface Run {
  site: DeliverySite
  /** When the site is looked at again, and whether this site worker must make way. */
  lookAt: number
  looking: Promise<void> | null
  makesWay: boolean
  /** A slot of it failed, as where the database is away. */
  failed: boolean
  trouble: boolean
  empty: boolean
  /** When a delivery last went through, as `performance.now()` counts, until it is written down. */
  servedAt: number | null
}

/** A site worker makes way at last after this time, far within what graphile-worker allows a job: four hours. */
const LONGEST_MS = 10 * 60_000

/**
 * Moves one site's due deliveries, as many at a time as the site allows; only one while the site is being probed
 * after a failure. Ends when none is due, when the site fails, or when another needs its place.
 *
 * @returns whether deliveries may still be due, so that the site worker must come round again
 */
export async function workSite(
  context: SiteWorkerContext,
  site: DeliverySite,
  { probing, checkpoint }: { probing: boolean; checkpoint: Checkpoint },
): Promise<boolean> {
  const { pool, stopping, timing } = context
  const run: Run = {
    site,
    lookAt: Date.now() + timing.lookMs,
    looking: null,
    makesWay: false,
    failed: false,
    trouble: false,
    empty: false,
    servedAt: null,
  }
  const end = Date.now() + LONGEST_MS
  const goesOn = () =>
    !run.failed && !run.trouble && !run.empty && !run.makesWay && !stopping.aborted && Date.now() < end
  const look = async () => {
    const now = await checkpoint.site()
    // Another number of slots is another worker's to open.
    if (checkpoint.isWanted() || now?.settings.concurrency !== site.settings.concurrency) run.makesWay = true
    else run.site = now
    await writeServed(pool, run)
    run.lookAt = Date.now() + timing.lookMs
  }

  const inTime = () => goesOn() && Date.now() < run.lookAt
  if (probing && !(await probe(context, run, inTime))) return !run.trouble && !run.empty
  const fail = (error: unknown) => {
    run.failed = true
    throw error
  }
  const slot = async () => {
    while (goesOn()) {
      if (Date.now() >= run.lookAt) {
        run.looking ??= look().finally(() => {
          run.looking = null
        })
        await run.looking
      } else await step(context, run, claimNext, goesOn)
    }
  }
  // Together: a slot that goes on when another has failed would go on outside the job, and after the process' end.
  const ends = await Promise.allSettled(
    Array.from({ length: site.settings.concurrency }, () => slot().catch(fail)),
  )
  const failed = ends.find(({ status }) => status === 'rejected')
  if (failed?.status === 'rejected') throw failed.reason
  await writeServed(pool, run)
  return !run.trouble && !run.empty
}

/**
 * One delivery at a time until one has an answer of the site to show, which ends the site's trouble and starts what
 * was held because of it. One that never got as far as the site proves nothing.
 *
 * @returns whether the site works again
 */
async function probe(context: SiteWorkerContext, run: Run, goesOn: () => boolean): Promise<boolean> {
  const { pool } = context
  while (goesOn()) {
    const attempted = await step(context, run, claimProbe, goesOn)
    if (!attempted?.answered) continue
    await writeServed(pool, run)
    await resumeSite(pool, run.site)
    return true
  }
  return false
}

async function writeServed(pool: Pool, run: Run): Promise<void> {
  if (run.servedAt === null) return
  const agoMs = performance.now() - run.servedAt
  run.servedAt = null
  await siteServed(pool, run.site, agoMs)
}

/** Claims one delivery and moves it; null where none is due, or where the site worker is to end meanwhile. */
function step(
  context: SiteWorkerContext,
  run: Run,
  claim: typeof claimNext,
  goesOn: () => boolean,
): Promise<Attempted | null> {
  const { pool, heartbeat, timing, company } = context
  const { site } = run
  return company.together(async () => {
    // It may have waited for one that had to be alone.
    if (!goesOn()) return null
    const { id: siteId, accountId } = site
    const row = await claim(pool, { siteId, accountId, worker: heartbeat.id, leaseS: timing.leaseS })
    if (row === null) {
      run.empty = true
      return null
    }
    const attempted = await attempt(context, site, row)
    // Fenced off: another process works on this site, or the database has kept the end of it and its answer was lost.
    if (attempted.settled === 'site_trouble' || attempted.settled === 'fenced_off') run.trouble = true
    if (attempted.settled === 'delivered') run.servedAt = performance.now()
    return attempted
  })
}

/**
 * Moves one delivery of a site that is to be done with no other beside it in this process: it was under way twice when its
 * process ended, and now it shows whether it was the cause.
 */
export async function attemptAlone(
  context: SiteWorkerContext,
  site: DeliverySite,
  { probing }: { probing: boolean },
): Promise<void> {
  const { pool, heartbeat, timing, stopping } = context
  if (stopping.aborted) return
  const { id: siteId, accountId } = site
  const row = await claimAlone(pool, { siteId, accountId, worker: heartbeat.id, leaseS: timing.leaseS })
  if (row === null) return
  const attempted = await attempt(context, site, row)
  if (attempted.settled === 'delivered') await siteServed(pool, site, 0)
  if (probing && attempted.answered) await resumeSite(pool, site)
}
