import type { Pool } from 'pg'
import { named } from '../database/named.ts'

/** Which sites of an account a request is about: those it names, those with one of the labels, or all. */
export interface Choice {
  accountId: string
  /** The only ones that the caller sees; null for all. */
  seen: string[] | null
  siteIds?: string[] | undefined
  labels?: string[] | undefined
}

/**
 * The sites that are meant, by their ids: of those that are named the ones that there are and the caller sees.
 *
 * @param limit finds no more than so many
 */
export async function chosenSites(
  pool: Pool,
  { accountId, seen, siteIds, labels }: Choice,
  limit: number,
): Promise<string[]> {
  const { rows } = await pool.query<{ id: string }>(
    named(
      `SELECT id FROM site
       WHERE account_id = :accountId AND (:seen::uuid[] IS NULL OR id = ANY (:seen))
         AND (:siteIds::uuid[] IS NULL OR id = ANY (:siteIds)) AND (:labels::text[] IS NULL OR labels && :labels)
       ORDER BY id LIMIT :limit`,
      { accountId, seen, siteIds: siteIds ?? null, labels: labels ?? null, limit },
    ),
  )
  return rows.map(({ id }) => id)
}
