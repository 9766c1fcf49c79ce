import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { GalleyError } from '../../errors.ts'
import type { ConnectedAs } from '../../sites/connected-site.ts'
import { stopSite } from '../../sites/health/outage.ts'
import type { SiteId } from '../../sites/site-id.ts'
import type { HeldDelivery } from './log-held.ts'
import { mayTransition, transition } from './transition.ts'

/**
 * Stops a site until its owner acts, and holds all that waits for it, with the same words.
 *
 * @param connectedAs what the site was spoken to with when it failed
 * @returns what was held; null where it has been connected anew since, or what it refused is not its setting any more: then
 *   the failure says nothing about it
 */
export async function stopForOwner(
  database: Queryable,
  site: SiteId,
  connectedAs: ConnectedAs,
  failure: Pick<GalleyError, 'code' | 'message'>,
): Promise<HeldDelivery[] | null> {
  if (!(await stopSite(database, site, connectedAs, failure))) return null
  return holdForOwner(database, site)
}

/**
 * Holds what waits for a site that waits for its owner, with the words of the site's trouble: also what came in the moment
 * the site was stopped.
 */
export async function holdForOwner(database: Queryable, { accountId, id }: SiteId): Promise<HeldDelivery[]> {
  const { rows } = await database.query<HeldDelivery>(
    named(
      `WITH stopped AS (
         SELECT id, account_id, trouble FROM site
         WHERE id = :id AND account_id = :accountId AND trouble IS NOT NULL AND paused_until IS NULL FOR UPDATE
       ), waiting AS (
         SELECT d.id, stopped.trouble FROM stopped
         JOIN delivery d ON d.site_id = stopped.id AND d.account_id = stopped.account_id AND ${mayTransition('stop', 'd')}
         ORDER BY d.document_id FOR UPDATE OF d
       ), held AS (
         UPDATE delivery d SET ${transition('stop', { to: 'held' })}, error = waiting.trouble || '{"step": "plan"}'
         FROM waiting WHERE d.id = waiting.id
         RETURNING d.id, d.document_id, waiting.trouble
       ), recorded AS (
         INSERT INTO delivery_step (delivery_id, step, outcome, detail)
         SELECT id, 'plan', 'held', (trouble ->> 'code') || ': ' || (trouble ->> 'message') FROM held
       )
       SELECT id AS delivery, document_id AS document, :id::uuid AS site, trouble ->> 'code' AS code FROM held`,
      { id, accountId },
    ),
  )
  return rows
}
