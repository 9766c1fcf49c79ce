import { randomUUID } from 'node:crypto'
import { openKeyring } from '../../src/secrets/index.ts'
import { parseKeys } from '../../src/secrets/keys.ts'
import { passwordIdentity } from '../../src/sites/connection.ts'
import type { Stage } from './stage.ts'

const SITES = 1_000

/**
 * So many deliveries that are held, over 1,000 sites which a person has paused: what is released stays there, so that the
 * job is measured and not what it starts.
 */
export async function fillHeld({ pool, bulkAccount, secretKeys }: Stage, count: number): Promise<void> {
  const keyring = openKeyring(parseKeys(secretKeys, 'the benchmark'))
  const ids = Array.from({ length: SITES }, () => randomUUID())
  // A Galley whose keys open none of them would not start again.
  const passwords = ids.map((id) =>
    keyring.encrypt('unused', passwordIdentity({ accountId: bulkAccount, id })),
  )
  const sourceId = randomUUID()
  await pool.query(
    `INSERT INTO source (id, account_id, name, token_hash) VALUES ($1, $2, 'benchmark', $1::uuid::text)`,
    [sourceId, bulkAccount],
  )
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, stopped_at, updated_at)
     SELECT id, $1, 'site', 'https://' || id || '.example', 'https://' || id || '.example/wp-json/', 'u', password, now(), now()
     FROM unnest($2::uuid[], $3::text[]) AS given (id, password)`,
    [bulkAccount, ids, passwords],
  )
  await pool.query(
    `WITH made AS MATERIALIZED (
       SELECT n, uuidv7() AS id, uuidv7() AS event_id, gen_random_uuid() AS document_id
       FROM generate_series(1, $4::int) AS n
     ), events AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
       SELECT event_id, $1, $2, 'document.completed', document_id, 'planned', sha256(event_id::text::bytea), '{}' FROM made
     )
     INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, error, title)
     SELECT id, $1, ($3::uuid[])[1 + n % ${SITES}], document_id, event_id, 'held',
       '{"code": "post_changed", "step": "fill", "message": ""}', 'Title ' || n FROM made`,
    [bulkAccount, sourceId, ids, count],
  )
  await pool.query('VACUUM ANALYZE event, delivery, site')
}

/** Holds all of them again, with nothing done to them. */
export async function holdAgain({ pool, bulkAccount }: Stage): Promise<void> {
  await pool.query(
    `DELETE FROM delivery_step WHERE delivery_id IN (SELECT id FROM delivery WHERE account_id = $1)`,
    [bulkAccount],
  )
  await pool.query(
    `UPDATE delivery SET status = 'held', due_at = NULL, error = '{"code": "post_changed", "step": "fill", "message": ""}'
     WHERE account_id = $1`,
    [bulkAccount],
  )
  await pool.query('VACUUM ANALYZE delivery, delivery_step')
}

/** How many of them were released, and how often in all. */
export async function released({ pool, bulkAccount }: Stage): Promise<{ times: number; deliveries: number }> {
  const { rows } = await pool.query(
    `SELECT count(*)::int AS times, count(DISTINCT s.delivery_id)::int AS deliveries
     FROM delivery_step s JOIN delivery d ON d.id = s.delivery_id WHERE d.account_id = $1 AND s.outcome = 'retried'`,
    [bulkAccount],
  )
  return rows[0]
}
