import { randomUUID } from 'node:crypto'
import type { Pool } from 'pg'
import { hashToken, openKeyring } from '../../../src/secrets/index.ts'
import { parseKeys } from '../../../src/secrets/keys.ts'
import { completed } from '../../support/webhooks.ts'

/** From these on, a site is its account's, and a password is encrypted for the origin that it was given for. */
const OF_AN_ACCOUNT = '20261122023600_site_of_an_account'
const BOUND = '20261122031643_connect_link_rest_root'

/** What an old Galley has stored of a document that waits for its site. */
export interface Waiting {
  documentId: string
  siteId: string
  /** Of the webhook address that its sender has. */
  token: string
}

/**
 * Stores an account, a site that answers at `url`, a source, and a document that waits to be delivered, with its job in the
 * queue, as the Galley of a schema did.
 */
export async function storeWaiting(
  pool: Pool,
  { schema, url, secretKeys }: { schema: string; url: string; secretKeys: string },
): Promise<Waiting> {
  const [accountId, siteId, sourceId, eventId] = ids(4) as [string, string, string, string]
  const token = 'a1'.repeat(24)
  const document = completed({ siteId, title: 'Of old' })
  const pump = schema < OF_AN_ACCOUNT ? { siteId } : { accountId, siteId }
  await pool.query(`INSERT INTO account (id, name) VALUES ($1, 'of old')`, [accountId])
  await pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'of old', $3, $3 || '/wp-json/', 'editor', $4, now())`,
    [siteId, accountId, url, sealed({ schema, accountId, siteId, url, secretKeys })],
  )
  await pool.query(`INSERT INTO source (id, account_id, name, token_hash) VALUES ($1, $2, 'of old', $3)`, [
    sourceId,
    accountId,
    hashToken(token),
  ])
  await pool.query(
    `INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
     VALUES ($1, $2, $3, 'document.completed', $4, 'planned', sha256($5), $5)`,
    [eventId, accountId, sourceId, document.id, Buffer.from(JSON.stringify(document))],
  )
  await pool.query(
    `INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, due_at)
     VALUES ($1, $2, $3, $4, $5, 'queued', now())`,
    [randomUUID(), accountId, siteId, document.id, eventId],
  )
  await pool.query(
    `SELECT graphile_worker.add_job('pump', $1::json, queue_name => $2::text, job_key => 'pump:' || $2::text)`,
    [JSON.stringify(pump), Object.values(pump).join(':')],
  )
  return { documentId: document.id, siteId, token }
}

interface Sealing {
  schema: string
  accountId: string
  siteId: string
  url: string
  secretKeys: string
}

function sealed({ schema, accountId, siteId, url, secretKeys }: Sealing): string {
  const keyring = openKeyring(parseKeys(secretKeys, 'an old Galley'))
  const password = 'abcd efgh ijkl mnop qrst uvwx'
  if (schema < OF_AN_ACCOUNT) return keyring.encrypt(password, `site:${siteId}:application_password`)
  const identity = `site:${accountId}:${siteId}:application_password`
  return keyring.encrypt(password, identity, schema < BOUND ? undefined : new URL(url).origin)
}

const ids = (count: number): string[] => Array.from({ length: count }, () => randomUUID())
