import type { Pool } from 'pg'
import { named } from '../database/named.ts'

/** Minutes for which a change is kept, so that a stream that broke goes on where it was. */
const KEPT_MINUTES = 15

const BATCH = 5_000

/** Forgets old changes, and notes of each account up to where: who was there last reads everything again. */
export async function purgeChanges(pool: Pool): Promise<void> {
  for (;;) {
    const { rows } = await pool.query<{ purged: number }>(named(PURGE, { minutes: KEPT_MINUTES }))
    if ((rows[0]?.purged ?? 0) < BATCH) return
  }
}

const PURGE = `
  WITH old AS (
    DELETE FROM change WHERE id = ANY (ARRAY(
      SELECT id FROM change WHERE at < now() - make_interval(mins => :minutes) ORDER BY at LIMIT ${BATCH}))
    RETURNING account_id, xid
  ), noted AS (
    UPDATE change_watch w SET purged = greatest(w.purged, o.xid)
    FROM (SELECT account_id, max(xid) AS xid FROM old GROUP BY 1) AS o WHERE o.account_id = w.account_id
  ), ended AS (
    DELETE FROM change_watch WHERE until < now() - interval '1 day'
  )
  SELECT count(*)::int AS purged FROM old`
