import type { Pool } from 'pg'
import { queryRows } from '../../database/statement.ts'
import { addSiteWorker, siteWorkerQueued } from '../jobs.ts'
import { type CanonicalRole, type DeliveryRow, transition, transitionAllowed } from './state.ts'

/** The address of the first public post of the document; or what this delivery is while there is none. */
export async function findFirstPublic(
  pool: Pool,
  { id, account_id, document_id, canonical }: DeliveryRow,
): Promise<{ url: string; role: null } | { url: null; role: CanonicalRole }> {
  if (canonical === 'first') return { url: null, role: canonical }
  const rows = await queryRows<{ post_url: string }>(
    pool,
    `SELECT post_url FROM delivery
     WHERE account_id = :account_id AND document_id = :document_id AND id <> :id
       AND canonical = 'first' AND post_status = 'publish' AND post_url IS NOT NULL LIMIT 1`,
    { id, account_id, document_id },
  )
  return rows[0] ? { url: rows[0].post_url, role: null } : { url: null, role: 'waits' }
}

/** Of several processes one at a time: two would choose two first posts. */
const LOCK = 0x67616c6c

/** Chooses the first public post of each document, and queues those delivered before it was known: within the hour, or public. */
const NAME_CANONICALS = `
  WITH turn AS MATERIALIZED (SELECT pg_try_advisory_xact_lock(${LOCK}) AS ours), waiting AS (
    SELECT d.id, d.account_id, d.document_id, d.post_status, d.post_url, d.updated_at FROM delivery d, turn
    WHERE turn.ours AND d.id IN (
      SELECT id FROM delivery WHERE canonical = 'waits' AND updated_at > now() - interval '1 hour'
      UNION ALL SELECT id FROM delivery WHERE canonical = 'waits' AND post_status = 'publish')
      AND ${transitionAllowed('nameCanonical', 'd')}
  ), known AS (
    SELECT d.account_id, d.document_id FROM delivery d
    WHERE d.canonical = 'first' AND d.post_status = 'publish'
      AND (d.account_id, d.document_id) IN (SELECT account_id, document_id FROM waiting)
  ), chosen AS (
    SELECT DISTINCT ON (account_id, document_id) id, account_id, document_id FROM waiting
    WHERE post_status = 'publish' AND post_url IS NOT NULL
      AND (account_id, document_id) NOT IN (SELECT account_id, document_id FROM known)
    ORDER BY account_id, document_id, updated_at, id
  ), first AS (
    UPDATE delivery d SET canonical = 'first' FROM chosen WHERE d.id = chosen.id RETURNING d.account_id, d.document_id
  ), locked AS (
    SELECT d.id FROM delivery d
    WHERE (d.account_id, d.document_id) IN (SELECT * FROM known UNION SELECT * FROM first)
      -- Of few documents, so not by the index of all that wait.
      AND coalesce(d.canonical, '') = 'waits' AND d.id NOT IN (SELECT id FROM chosen) AND ${transitionAllowed('nameCanonical', 'd')}
    ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d
  ), queued AS (
    UPDATE delivery d SET canonical = NULL, requested_at = now(), answered = d.answered || '{"canonicalOnly": true}',
      ${transition('nameCanonical', { to: 'queued', due: 'now()' })}
    FROM locked WHERE d.id = locked.id AND ${transitionAllowed('nameCanonical', 'd')}
    RETURNING d.id, d.account_id, d.site_id
  ), recorded AS (
    INSERT INTO delivery_step (delivery_id, step, outcome, detail)
    SELECT id, 'plan', 'queued', 'the first public post of the document is known' FROM queued
  )
  SELECT ${addSiteWorker('account_id', 'site_id')}
  FROM (SELECT DISTINCT account_id, site_id FROM queued ORDER BY account_id, site_id) AS due
  WHERE NOT ${siteWorkerQueued('due.account_id', 'due.site_id')}`

/** See {@link NAME_CANONICALS}. */
export async function nameCanonicals(pool: Pool): Promise<void> {
  await pool.query({ name: 'name-canonicals', text: NAME_CANONICALS })
}
