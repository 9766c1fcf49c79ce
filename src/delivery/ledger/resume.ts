import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import { inTransaction, type Rows } from '../../database/transaction.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import { transportFailures } from '../../outbound/catalogue.ts'
import { notifiedColumns, outageEnded } from '../../sites/health/notifications.ts'
import { lockSite } from '../../sites/health/outage.ts'
import type { SiteId } from '../../sites/site-id.ts'
import { catalogue } from '../../wordpress/failures/index.ts'
import { addSiteWorker } from '../jobs.ts'
import { mayTransition, transition } from './transition.ts'

/** Why a delivery may have been held that goes on once the site is connected, or serves again. */
export const waitsForSite = [
  'site_unknown',
  'secret_key_missing',
  'secret_unreadable',
  ...Object.entries({ ...catalogue, ...transportFailures })
    .filter(([, { fault }]) => fault === 'owner' || fault === 'site')
    .map(([code]) => code),
]

/**
 * Starts a site's deliveries again after it was connected or reconnected, or has served one again: forgets its
 * trouble, and queues what was held because of the site. Deliveries that a person trashed, deleted or changed stay
 * held.
 *
 * @returns how many deliveries go on
 */
export const resumeSite = (pool: Pool, site: SiteId): Promise<number> =>
  inTransaction(pool, async (database) => {
    // By a statement of its own: the next one then sees what others have held or queued until now.
    await lockSite(database, site)
    return resumeLocked(database, site)
  })

/** {@link resumeSite} in a transaction that has locked the site. */
export async function resumeLocked(database: Rows, { accountId, id }: SiteId): Promise<number> {
  const { rows } = await database.query<{ resumed: number }>(
    named(
      `WITH before AS (
         SELECT id, account_id, trouble FROM site WHERE id = :id AND account_id = :accountId
       ), cleared AS (
         UPDATE site SET trouble = NULL, trouble_count = 0, paused_until = NULL
         FROM before WHERE site.id = before.id AND site.account_id = before.account_id
         RETURNING ${notifiedColumns('site')}, before.trouble AS was
       ), ${notifyReceivers(outageEnded('cleared'))}, waiting AS (
         SELECT d.id FROM cleared
         JOIN delivery d ON d.site_id = cleared.id AND d.account_id = cleared.account_id AND ${mayTransition('resume', 'd')}
           AND d.error ->> 'code' = ANY (:waitsForSite)
         ORDER BY d.document_id FOR UPDATE OF d
       ), resumed AS (
         UPDATE delivery d SET ${transition('resume', { to: 'queued', due: 'now()' })}, error = NULL, attempts = 0,
           site_failures = 0
         FROM waiting WHERE d.id = waiting.id RETURNING d.id
       ), recorded AS (
         INSERT INTO delivery_step (delivery_id, step, outcome, detail)
         SELECT id, 'plan', 'queued', 'the site is connected and answers' FROM resumed
       ), site_job AS (
         SELECT ${addSiteWorker(':accountId::uuid', ':id::uuid')}
         WHERE EXISTS (SELECT 1 FROM resumed)
       )
       SELECT (SELECT count(*)::int FROM resumed) AS resumed, (SELECT count(*) FROM site_job)`,
      { id, accountId, waitsForSite },
    ),
  )
  return rows[0]?.resumed ?? 0
}
