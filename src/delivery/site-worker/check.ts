import type { Pool } from 'pg'
import { standardTiming, type Timing } from '../../jobs/heartbeat.ts'
import type { Logger } from '../../log/log.ts'
import type { SiteId } from '../../sites/connection.ts'
import { checkSite } from '../../sites/health/check-site.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import type { SiteReport } from '../../sites/health/report.ts'
import type { SiteRegistry } from '../../sites/registry.ts'
import { judge } from '../../wordpress/failures/judge.ts'
import { resumeSite } from '../ledger/outage.ts'
import { answersAgain, recordSiteFailure } from './attempt.ts'

type CheckContext = SiteRegistry & { pool: Pool; log: Logger; timing?: Timing }

/**
 * Checks a site. Where the check does not get in, the site is in trouble as after a failed delivery. One that fails has to fail once
 * more, as a user’s request, since firewalls refuse visitors alone; where that is answered, it is checked once again.
 * @throws GalleyError as checkSite
 */
export async function checkAndRecord(
  { timing = standardTiming, ...context }: CheckContext,
  site: SiteId,
): Promise<SiteReport> {
  const { report, failure, connectedAs } = await checkSite(context, site)
  if (failure === null) return report
  const judged = judge(failure)
  const recording = { ...context, timing }
  if (judged.ofCredentials) await recordSiteFailure(recording, { ...site, connectedAs }, failure, judged)
  else if (judged.site === 'fails') {
    const found = await loadSite(context, site)
    // One in trouble is asked already.
    const answers = found?.readiness === 'open' && (await answersAgain(recording, found.open()))
    if (answers && judged.passes) return (await checkSite(context, site)).report
  }
  return report
}

/** Checks a site because a person asks: if nothing is in the way, what waited for it goes on. */
export async function checkByHand(context: CheckContext, site: SiteId): Promise<SiteReport> {
  const report = await checkAndRecord(context, site)
  if (report.level !== 'problem') await resumeSite(context.pool, site)
  return report
}
