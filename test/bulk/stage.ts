import { randomUUID } from 'node:crypto'
import { v7 as uuid } from 'uuid'
import type { TestApp } from '../http/app.ts'

/** A site of an account, which nobody will ever reach. */
export async function storeSite(
  { database }: Pick<TestApp, 'database'>,
  accountId: string,
  labels: string[] = [],
): Promise<string> {
  const id = randomUUID()
  const url = `https://${id}.example`
  const data = {
    name: 'Site',
    url,
    restRoot: `${url}/wp-json/`,
    username: 'galley',
    applicationPassword: 'unused',
  }
  await database.prisma.site.create({ data: { id, accountId, labels, ...data } })
  return id
}

interface Wanted {
  accountId: string
  siteId: string
  count: number
  status?: string
  code?: string
  /** Whether their documents are still kept. */
  kept?: boolean
}

/** Deliveries that came to a stop, by their ids. */
export async function storeDeliveries(
  { database }: Pick<TestApp, 'database'>,
  { accountId, siteId, count, status = 'held', code = 'post_changed', kept = true }: Wanted,
): Promise<string[]> {
  const { pool } = database
  const sourceId = randomUUID()
  await pool.query(
    "INSERT INTO source (id, account_id, name, token_hash) VALUES ($1, $2, 'Test', $1::uuid::text)",
    [sourceId, accountId],
  )
  const ids = Array.from({ length: count }, () => uuid())
  await pool.query(
    `WITH events AS (
       INSERT INTO event (id, account_id, source_id, kind, document_id, status, digest, body)
       SELECT id, $2, $3, 'document.completed', id, 'planned', sha256(id::text::bytea), CASE WHEN $7 THEN '{}'::bytea END
       FROM unnest($1::uuid[]) AS id
     )
     INSERT INTO delivery (id, account_id, site_id, document_id, wanted_event_id, status, error)
     SELECT id, $2, $4, id, id, $5, jsonb_build_object('code', $6::text, 'message', '', 'step', 'fill')
     FROM unnest($1::uuid[]) AS id`,
    [ids, accountId, sourceId, siteId, status, code, kept],
  )
  return ids
}
