import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { DocumentData } from '../contract/document.ts'
import type { Issue } from '../contract/issues.ts'
import { parseWebhook } from '../contract/webhook.ts'
import { named } from '../database/named.ts'
import { storableJson } from '../database/storable.ts'
import { inTransaction } from '../database/transaction.ts'
import { type HeldDelivery, logHeld } from '../delivery/ledger/log-held.ts'
import { heldAtOnce, planDeliveries } from '../delivery/ledger/plan.ts'
import type { Logger } from '../log.ts'
import { builtInSource } from './own.ts'
import { storedTitle } from './receive.ts'

/** A document that is handed over without a webhook, for sites of the account. */
export interface DirectDocument {
  accountId: string
  /** Of the event that it is stored as. */
  eventId: string
  documentId: string
  data: DocumentData
  /** As a webhook's, without the site. */
  delivery: Record<string, unknown>
  /** At least one, and none twice. */
  siteIds: [string, ...string[]]
}

/** One delivery that was asked for. */
export interface Asked {
  id: string
  siteId: string
  status: string
}

/** What became of it: what is wrong with the document, or the deliveries that were stored. */
export type Taken = { issues: Issue[] } | { deliveries: Asked[]; ignored: Issue[] }

const NAME = 'Documents sent to POST /v1/deliveries'

/**
 * Takes a document in as one event, with a delivery for each site, in one transaction: all of it is on disk when this
 * resolves. It is read as a webhook is. Each call is a newer version of the document, also where it says the same: who
 * repeats a call because its answer was lost sends an `Idempotency-Key`.
 */
export async function takeDirectly(pool: Pool, log: Logger, document: DirectDocument): Promise<Taken> {
  const webhook = asWebhook(document)
  const parsed = parseWebhook(webhook)
  if (!parsed.ok) return { issues: parsed.issues }
  const { accountId, eventId, documentId, siteIds } = document
  const body = Buffer.from(JSON.stringify(webhook))
  const held = await inTransaction(pool, async (database) => {
    const sourceId = await builtInSource(database, accountId, NAME)
    const { rows } = await database.query<{ held: HeldDelivery | null }>(
      named(STORE, {
        ...{ eventId, accountId, sourceId, documentId, siteIds, body },
        deliveryIds: siteIds.map(() => uuid()),
        title: storedTitle(parsed.event),
        issues: parsed.ignored.length === 0 ? null : storableJson(parsed.ignored),
        // Of its own, so that no other call is taken for its repetition.
        digest: hash('sha256', Buffer.concat([Buffer.from(eventId), body]), 'buffer'),
      }),
    )
    return rows.flatMap(({ held }) => held ?? [])
  })
  logHeld(log, held)
  return { deliveries: await deliveriesOf(pool, document), ignored: parsed.ignored }
}

/** The document as a webhook would bring it for the first of its sites. */
const asWebhook = ({ documentId, data, delivery, siteIds }: DirectDocument) => ({
  event: 'document.completed',
  id: documentId,
  status: 'completed',
  data,
  delivery: { ...delivery, id: siteIds[0] },
})

/** Whether a call was taken in under this id; see `Idempotency-Key`. */
export async function wasTaken(
  pool: Pool,
  { accountId, eventId }: Pick<DirectDocument, 'accountId' | 'eventId'>,
): Promise<boolean> {
  const { rowCount } = await pool.query(
    named('SELECT FROM event WHERE id = :eventId AND account_id = :accountId', { accountId, eventId }),
  )
  return rowCount === 1
}

/** The deliveries of a document to these sites, in the order of the sites. */
export async function deliveriesOf(
  pool: Pool,
  { accountId, documentId, siteIds }: Pick<DirectDocument, 'accountId' | 'documentId' | 'siteIds'>,
): Promise<Asked[]> {
  const { rows } = await pool.query<Asked>(
    named(
      `SELECT id, site_id AS "siteId", status FROM delivery
       WHERE account_id = :accountId AND document_id = :documentId AND site_id = ANY (:siteIds::uuid[])`,
      { accountId, documentId, siteIds },
    ),
  )
  const known = new Map(rows.map((row) => [row.siteId, row]))
  return siteIds.flatMap((id) => known.get(id) ?? [])
}

const STORE = `
WITH stored AS (
  INSERT INTO event (id, account_id, source_id, kind, document_id, status, issues, digest, body)
  VALUES (:eventId, :accountId, :sourceId, 'document.completed', :documentId, 'planned', :issues::jsonb, :digest, :body)
  RETURNING id, seq, account_id, document_id, source_id
),
asked AS (
  SELECT stored.id AS event_id, stored.seq AS wanted_seq, site.delivery_id, stored.account_id, site.id AS site_id,
    stored.document_id, stored.source_id, :title::text AS title
  FROM stored, unnest(:siteIds::uuid[], :deliveryIds::uuid[]) AS site (id, delivery_id)
),
${planDeliveries('asked')}
SELECT ${heldAtOnce('planned')} AS held FROM planned, (SELECT count(*) FROM site_jobs) AS queued`
