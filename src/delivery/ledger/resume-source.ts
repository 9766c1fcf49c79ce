import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { Rows } from '../../database/transaction.ts'
import { addSiteWorker } from '../jobs.ts'
import { mayTransition, transition } from './transition.ts'

/** Names one source of one account. */
interface SourceId {
  accountId: string
  id: string
}

/** That a delivery goes on, of rows that the relation `waiting` has. */
const RESUMED = `resumed AS (
  UPDATE delivery d SET ${transition('resume', { to: 'queued', due: 'now()' })}, error = NULL, attempts = 0
  FROM waiting WHERE d.id = waiting.id RETURNING d.id, d.account_id, d.site_id
), recorded AS (
  INSERT INTO delivery_step (delivery_id, step, outcome, detail)
  SELECT id, 'plan', 'queued', 'the upstream of its source has another address or key' FROM resumed
), site_jobs AS (
  SELECT ${addSiteWorker('account_id', 'site_id')}
  FROM (SELECT DISTINCT account_id, site_id FROM resumed ORDER BY account_id, site_id) AS due
)
SELECT (SELECT count(*)::int FROM resumed) AS resumed, (SELECT count(*) FROM site_jobs)`

const WAITS = `d.account_id = :accountId AND ${mayTransition('resume', 'd')} AND d.error ->> 'code' = 'upstream_refused'`

/**
 * Starts again what was held because the upstream of a source refused Galley: it has another address or key now.
 * In the transaction that stores those.
 *
 * @returns how many deliveries go on
 */
export async function resumeSource(database: Rows, { accountId, id }: SourceId): Promise<number> {
  const { rows } = await database.query<{ resumed: number }>(
    named(
      `WITH waiting AS (
         SELECT d.id FROM delivery d
         WHERE ${WAITS} AND (SELECT e.source_id FROM event e WHERE e.id = d.wanted_event_id) = :id::uuid
         ORDER BY d.site_id, d.document_id FOR UPDATE OF d
       ), ${RESUMED}`,
      { accountId, id },
    ),
  )
  return rows[0]?.resumed ?? 0
}

/**
 * Starts one again that was held in the moment in which its source got another address or key: what was held until then was
 * started without it. To be called once it is stored as held.
 */
export async function resumeIfMended(
  pool: Pool,
  { id, account_id: accountId }: { id: string; account_id: string },
): Promise<void> {
  // By a statement of its own, which waits for a change that is being stored: the next one then sees it.
  await pool.query(
    named(
      `SELECT FROM source WHERE id = (
         SELECT e.source_id FROM delivery d JOIN event e ON e.id = d.wanted_event_id WHERE d.id = :id) FOR SHARE`,
      { id },
    ),
  )
  await pool.query(
    named(
      `WITH waiting AS (
         SELECT d.id FROM delivery d
         WHERE d.id = :id AND ${WAITS} AND EXISTS (
           SELECT FROM event e JOIN source s ON s.id = e.source_id
           WHERE e.id = d.wanted_event_id AND s.upstream_trouble IS NULL)
         FOR UPDATE OF d
       ), ${RESUMED}`,
      { id, accountId },
    ),
  )
}
