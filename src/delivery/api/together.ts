import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import { addSiteWorker, siteWorkerWaits } from '../jobs.ts'
import { mayTransition, transition } from '../ledger/transition.ts'
import type { DeliveryScope } from './filter.ts'
import { HAS_DOCUMENT, LET_PROBE, REQUEUED } from './requeued.ts'

// Many deliveries in one statement and one commit. Each is moved under the same conditions as alone; why one was not, the
// call for a single one says. Rows are locked in the order of lockSite.

type Together = DeliveryScope & { ids: readonly string[] }

/**
 * Queues deliveries again, as `retryDelivery` does.
 *
 * @returns the ids of those that were
 */
export async function retryTogether(
  database: Queryable,
  { accountId, siteIds, ids, overwrite }: Together & { overwrite: boolean },
): Promise<ReadonlySet<string>> {
  const note = overwrite ? 'overwriting changes' : null
  return moved(database, RETRY, { accountId, siteIds, ids, overwrite, statusOnly: false, note })
}

/** Cancels deliveries, as `cancelDelivery` does. @returns the ids of those that were */
export const cancelTogether = (
  database: Queryable,
  { accountId, siteIds, ids }: Together,
): Promise<ReadonlySet<string>> => moved(database, CANCEL, { accountId, siteIds, ids })

async function moved(
  database: Queryable,
  statement: string,
  values: Record<string, unknown>,
): Promise<ReadonlySet<string>> {
  const { rows } = await database.query<{ id: string }>(named(statement, values))
  return new Set(rows.map(({ id }) => id))
}

const GIVEN = `d.account_id = :accountId AND d.id = ANY (:ids::uuid[])
  AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))`

const RETRY = `
  WITH target AS (
    SELECT site.account_id, site.id FROM site
    WHERE site.account_id = :accountId AND site.id = ANY (ARRAY(SELECT d.site_id FROM delivery d WHERE ${GIVEN}))
    ORDER BY site.id FOR UPDATE
  ), locked AS (
    SELECT d.id FROM delivery d
    WHERE ${GIVEN} AND d.site_id = ANY (ARRAY(SELECT id FROM target)) AND ${mayTransition('retry', 'd')} AND ${HAS_DOCUMENT}
    ORDER BY d.site_id, d.document_id FOR UPDATE OF d
  ), retried AS (
    UPDATE delivery d SET ${REQUEUED} FROM locked WHERE d.id = locked.id
    RETURNING d.id, d.account_id, d.site_id
  ), probed AS (
    ${LET_PROBE}
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'retried', :note FROM retried
  ), site_jobs AS (
    SELECT ${addSiteWorker('account_id', 'site_id')}
    FROM (SELECT DISTINCT account_id, site_id FROM retried ORDER BY account_id, site_id) AS due
    WHERE NOT ${siteWorkerWaits('due.account_id', 'due.site_id')}
  )
  SELECT id FROM retried, (SELECT count(*) FROM site_jobs) AS queued`

const CANCEL = `
  WITH locked AS (
    SELECT d.id FROM delivery d WHERE ${GIVEN} AND ${mayTransition('cancel', 'd')}
    ORDER BY d.site_id, d.document_id FOR UPDATE
  ), cancelled AS (
    UPDATE delivery d SET ${transition('cancel', { to: 'cancelled' })}, error = NULL FROM locked WHERE d.id = locked.id
    RETURNING d.id
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail) SELECT id, 'plan', 'cancelled', NULL FROM cancelled
  )
  SELECT id FROM cancelled`
