import type { Pool } from 'pg'
import type { Logger } from '../log.ts'
import type { Outbound } from '../outbound/index.ts'
import { claimNext, claimProbe } from './claim.ts'
import type { DeliverySite } from './delivering.ts'
import type { Heartbeat } from './heartbeat.ts'
import { type Moved, move } from './move.ts'
import { resumeSite } from './resume.ts'
import { siteAnswers, siteServed } from './site-trouble.ts'
import type { Timing } from './timing.ts'

export interface PumpContext {
  pool: Pool
  outbound: Outbound
  log: Logger
  timing: Timing
  /** Of this process: its id stands in leases, and it renews them. */
  heartbeat: Heartbeat
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is claimed. */
  stopping: AbortSignal
}

/** What has happened in this slice. */
interface Slice {
  deadline: number
  trouble: boolean
  empty: boolean
  served: boolean
}

/**
 * Moves one site's due deliveries for a bounded slice, as many at a time as the site allows; only one while
 * the site is being probed after a failure.
 *
 * @returns whether deliveries may still be due, so that the pump must come round again
 */
export async function pump(
  context: PumpContext,
  site: DeliverySite,
  { probing }: { probing: boolean },
): Promise<boolean> {
  const { pool, stopping, timing } = context
  const slice: Slice = { deadline: Date.now() + timing.sliceMs, trouble: false, empty: false, served: false }
  const goesOn = () => !slice.trouble && !slice.empty && !stopping.aborted && Date.now() < slice.deadline

  if (probing && !(await probe(context, site, slice, goesOn))) return !slice.trouble && !slice.empty
  const line = async () => {
    while (goesOn()) await step(context, site, slice, claimNext)
  }
  await Promise.all(Array.from({ length: site.settings.concurrency }, line))
  if (slice.served) await siteServed(pool, site.id)
  return !slice.trouble && !slice.empty
}

/**
 * One delivery at a time until one has an answer of the site to show, which ends the site's trouble and starts what
 * was held because of it. One that never got as far as the site proves nothing.
 *
 * @returns whether the site works again
 */
async function probe(
  context: PumpContext,
  site: DeliverySite,
  slice: Slice,
  goesOn: () => boolean,
): Promise<boolean> {
  const { pool } = context
  const { id: siteId, accountId } = site
  while (goesOn()) {
    const moved = await step(context, site, slice, claimProbe)
    if (moved?.settled === 'delivered') {
      await siteServed(pool, siteId)
      await resumeSite(pool, { accountId, siteId })
      return true
    }
    if (moved?.answered) {
      await siteAnswers(pool, siteId)
      return true
    }
  }
  return false
}

/** Claims one delivery and moves it; null where none is due. */
async function step(
  context: PumpContext,
  site: DeliverySite,
  slice: Slice,
  claim: typeof claimNext,
): Promise<Moved | null> {
  const { pool, heartbeat, timing } = context
  const { id: siteId, accountId } = site
  const row = await claim(pool, { siteId, accountId, worker: heartbeat.id, leaseS: timing.leaseS })
  if (row === null) {
    slice.empty = true
    return null
  }
  const moved = await move(context, site, row)
  if (moved.settled === 'site_trouble') slice.trouble = true
  if (moved.settled === 'delivered') slice.served = true
  return moved
}
