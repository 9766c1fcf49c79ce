import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import type { SiteId } from './site-id.ts'

/**
 * Gives a site labels and takes others from it, whatever else it has, in one statement.
 *
 * @returns whether there is such a site
 */
export async function relabel(
  database: Queryable,
  { accountId, id }: SiteId,
  { add, remove }: { add: string[]; remove: string[] },
): Promise<boolean> {
  const { rowCount } = await database.query(
    named(
      `UPDATE site SET updated_at = now(), labels = ARRAY(
         SELECT label FROM unnest(labels || :add::text[]) WITH ORDINALITY AS given (label, place)
         WHERE label <> ALL (:remove::text[]) GROUP BY label ORDER BY min(place))
       WHERE account_id = :accountId AND id = :id`,
      { accountId, id, add, remove },
    ),
  )
  return rowCount === 1
}
