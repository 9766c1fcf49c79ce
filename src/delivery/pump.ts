import type { Pool } from 'pg'
import type { Warning } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { Outbound } from '../outbound/index.ts'
import { claimNext } from './claim.ts'
import { deliver, prepare } from './deliver.ts'
import type { DeliverySite } from './delivering.ts'
import type { DeliveryRow } from './row.ts'
import {
  asGalleyError,
  isFencedOff,
  isSiteWide,
  type Settled,
  settleDelivered,
  settleFailed,
} from './settle.ts'
import { pauseSite, servedSince, siteServed, stopForOwner } from './site-trouble.ts'

/** How long a pump moves one site before the others have their turn, in milliseconds. */
const SLICE_MS = 5_000

export interface PumpContext {
  pool: Pool
  outbound: Outbound
  log: Logger
  /** Identifies this process in leases. */
  worker: string
  /** Aborted when the process is asked to stop: what is under way finishes, nothing new is claimed. */
  stopping: AbortSignal
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
  const { pool, stopping } = context
  const deadline = Date.now() + SLICE_MS
  const slice = { trouble: false, empty: false, served: 0 }

  const next = async (): Promise<Settled | null> => {
    const row = await claimNext(pool, { siteId: site.id, accountId: site.accountId, worker: context.worker })
    if (row === null) {
      slice.empty = true
      return null
    }
    const settled = await move(context, site, row)
    if (settled === 'site_trouble') slice.trouble = true
    if (settled === 'delivered') slice.served += 1
    return settled
  }

  if (probing) {
    const settled = await next()
    if (settled === null || slice.trouble) return false
    // Even a document of its own trouble proves that the site answers.
    await siteServed(pool, site.id)
  }
  const line = async () => {
    while (!slice.trouble && !slice.empty && !stopping.aborted && Date.now() < deadline) await next()
  }
  await Promise.all(Array.from({ length: site.settings.concurrency }, line))
  if (slice.served > 0 && !slice.trouble) await siteServed(pool, site.id)
  return !slice.trouble && !slice.empty
}

/** Delivers one claimed row and settles how it ended. */
async function move(context: PumpContext, site: DeliverySite, row: DeliveryRow): Promise<Settled> {
  const { pool, log } = context
  const progress: { step: string; warnings: Warning[] } = { step: 'prepare', warnings: [] }
  try {
    const delivering = await prepare(context, row, site)
    Object.assign(progress, delivering)
    try {
      await deliver(delivering)
    } finally {
      progress.step = delivering.step
    }
    return await settleDelivered(pool, delivering)
  } catch (thrown) {
    if (isFencedOff(thrown)) return 'fenced_off'
    const failure = asGalleyError(thrown)
    log.warn(
      { delivery: row.id, site: site.id, step: progress.step, code: failure.code, err: thrown },
      failure.message,
    )
    const siteServedSince = failure.whose === 'site' && (await servedSince(pool, site.id, row.site_failed_at))
    const settled = await settleFailed(pool, row, progress, failure, siteServedSince)
    if (settled === 'site_trouble') {
      if (isSiteWide(failure, row)) await stopForOwner(pool, site.id, failure)
      else await pauseSite(pool, site.id, failure)
    }
    return settled
  }
}
