import { z } from 'zod'
import type { Database } from '../database/index.ts'
import { named } from '../database/named.ts'
import { type SiteScope, siteCondition } from './filter.ts'

/** A label, with how many sites have it. */
export const labelSchema = z
  .object({ label: z.string(), site_count: z.int() })
  .meta({ id: 'Label', description: 'A label, with how many sites have it.' })

/** Labels that are listed. */
const MOST_LISTED = 1_000

/**
 * The labels of the sites that may be seen, the most used first.
 *
 * @returns `more` where there are too many to list all
 */
export async function listLabels(
  { pool }: Pick<Database, 'pool'>,
  scope: SiteScope,
): Promise<{ labels: z.output<typeof labelSchema>[]; more: boolean }> {
  const { sql, values } = siteCondition(scope, {})
  const { rows } = await pool.query<z.output<typeof labelSchema>>(
    named(
      `SELECT label, count(*)::int AS site_count FROM site s, unnest(s.labels) AS label WHERE ${sql}
       GROUP BY label ORDER BY site_count DESC, label LIMIT ${MOST_LISTED + 1}`,
      values,
    ),
  )
  return { labels: rows.slice(0, MOST_LISTED), more: rows.length > MOST_LISTED }
}
