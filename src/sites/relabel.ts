import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'
import { MOST_LABELS } from './schema.ts'
import type { SiteId } from './site-id.ts'

/**
 * Gives a site labels and takes others from it, whatever else it has, in one statement.
 *
 * @returns whether there is such a site
 * @throws GalleyError 422 `TOO_MANY_LABELS` where it would have more than a site may have
 */
export async function relabel(
  database: Queryable,
  { accountId, id }: SiteId,
  { add, remove }: { add: string[]; remove: string[] },
): Promise<boolean> {
  const { rowCount } = await database.query(named(RELABEL, { accountId, id, add, remove, most: MOST_LABELS }))
  if (rowCount === 1) return true
  const { rowCount: there } = await database.query(
    named('SELECT FROM site WHERE account_id = :accountId AND id = :id', { accountId, id }),
  )
  if (there === 0) return false
  throw tooManyLabels()
}

const LABELS = `ARRAY(
  SELECT label FROM unnest(labels || :add::text[]) WITH ORDINALITY AS given (label, place)
  WHERE label <> ALL (:remove::text[]) GROUP BY label ORDER BY min(place))`

// Taking some away helps a site that has too many, though it may still have.
const RELABEL = `
  UPDATE site SET updated_at = now(), labels = ${LABELS}
  WHERE account_id = :accountId AND id = :id
    AND (cardinality(${LABELS}) <= :most::int OR cardinality(${LABELS}) <= cardinality(labels))`

const tooManyLabels = () =>
  new GalleyError({
    code: 'TOO_MANY_LABELS',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message: `A site may have ${MOST_LABELS} labels, and with these it would have more. Nothing was changed. Remove some of its labels first.`,
  })
