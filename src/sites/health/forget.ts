import type { Pool } from 'pg'
import { named } from '../../database/named.ts'

/** Rows a statement: short enough that nobody waits behind it. */
const BATCH = 2_000

/**
 * Removes the checks of many sites that were begun longer than `days` ago, their results in batches first. What a check has
 * found of a site stands in the site's own report.
 */
export async function forgetChecks(pool: Pool, days: number): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ id: string }>(named(OLDEST, { days }))
    const [oldest] = rows
    if (oldest === undefined) return
    const { rowCount } = await pool.query(named(FORGET_RESULTS, oldest))
    if (rowCount !== BATCH) await pool.query(named('DELETE FROM site_check WHERE id = :id', oldest))
  }
}

const OLDEST = `
  SELECT id FROM site_check WHERE created_at < now() - make_interval(days => :days) ORDER BY created_at LIMIT 1`

const FORGET_RESULTS = `
  DELETE FROM site_check_result WHERE check_id = :id AND site_id = ANY (ARRAY(
    SELECT site_id FROM site_check_result WHERE check_id = :id ORDER BY site_id LIMIT ${BATCH}))`
