import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { SiteId } from '../../sites/site-id.ts'
import { addSiteWorker } from '../jobs.ts'

/**
 * Pauses a site because a person wants it: from the moment that this is stored no delivery of it is claimed (claim.ts), and
 * what is under way comes to its end. Its health has no part in it. One that is paused already keeps its time.
 *
 * @returns whether there is such a site
 */
export async function pauseByHand(
  database: Queryable,
  { accountId, id }: SiteId,
  reason: string | null,
): Promise<boolean> {
  const { rowCount } = await database.query(
    named(
      `UPDATE site SET stopped_at = coalesce(stopped_at, now()), stop_reason = :reason, updated_at = now()
       WHERE account_id = :accountId AND id = :id`,
      { accountId, id, reason },
    ),
  )
  return rowCount !== 0
}

/**
 * Ends the pause of {@link pauseByHand}, and starts what has waited. A site in trouble, or one that waits for its owner,
 * stays that.
 *
 * @returns whether there is such a site
 */
export async function resumeByHand(database: Queryable, { accountId, id }: SiteId): Promise<boolean> {
  const { rowCount } = await database.query(
    named(
      `WITH resumed AS (
         UPDATE site SET stopped_at = NULL, stop_reason = NULL, updated_at = now()
         WHERE account_id = :accountId AND id = :id RETURNING account_id, id
       )
       SELECT ${addSiteWorker('account_id', 'id')} FROM resumed`,
      { accountId, id },
    ),
  )
  return rowCount !== 0
}
