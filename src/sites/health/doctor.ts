import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import { addJob } from '../../jobs/job.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Logger } from '../../log.ts'
import type { SiteRegistry } from '../registry.ts'
import type { SiteId } from '../site-id.ts'
import { checkSite } from './check-site.ts'
import { checkAfterFailureJob } from './jobs.ts'
import { sitePause } from './pause.ts'

/**
 * Sends the doctor to a site that is about to be in trouble, or in another trouble than before, as a job: what its owner
 * reads is then about this and not about the day of connecting. A report of a moment ago will do, and a site that asked
 * to be left alone is, until then.
 */
export async function sendDoctor(
  { database, timing }: { database: Queryable; timing: Pick<Timing, 'checkAgainAfterMs'> },
  { accountId, id }: SiteId,
  { code, retryAfterMs }: GalleyError,
): Promise<void> {
  if (!Number.isFinite(timing.checkAgainAfterMs)) return
  const rest = retryAfterMs === undefined ? 0 : sitePause(1, { firstMs: 0, retryAfterMs, random: 0 })
  await database.query(
    named(
      `SELECT ${addJob(checkAfterFailureJob, { accountId: 'account_id', siteId: 'id' }, ':rest')}
       FROM site
       WHERE id = :id AND account_id = :accountId AND trouble ->> 'code' IS DISTINCT FROM :code
         AND (report_at IS NULL OR report_at < now() - :gapMs::float8 * interval '1 millisecond')`,
      { id, accountId, code, gapMs: timing.checkAgainAfterMs, rest },
    ),
  )
}

/** The job itself; what got worse since the last report is in the log, too, for whoever watches all sites. */
export async function checkAfterFailure(
  registry: SiteRegistry & { pool: Queryable; log: Logger },
  site: SiteId,
): Promise<void> {
  const { log } = registry
  try {
    const { level, findings } = await checkSite(registry, site)
    const regressions = findings
      .filter(({ changed }) => changed)
      .map(({ check, seen }) => `${check}: ${seen}`)
    log.info({ site: site.id, level, regressions }, 'a site that had failed was checked')
  } catch (error) {
    // It was removed meanwhile, or its password cannot be read: there is nothing to check, and its trouble says why.
    if (!(error instanceof GalleyError)) throw error
    log.info(
      { site: site.id, code: error.code },
      `a site that had failed could not be checked: ${error.message}`,
    )
  }
}
