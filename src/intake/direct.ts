import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { v7 as uuid } from 'uuid'
import type { Issue } from '../contract/issues.ts'
import { unknownMembers } from '../contract/webhook.ts'
import { execute, queryRows } from '../database/statement.ts'
import { inTransaction, type Queryable } from '../database/transaction.ts'
import { logHeldDeliveries } from '../delivery/ledger/notifications.ts'
import { shownStatusSql } from '../delivery/ledger/state.ts'
import type { GalleyError } from '../errors.ts'
import type { Logger } from '../log/log.ts'
import { createToken, hashToken } from '../secrets/keyring.ts'
import type { KnownSource, SourceLookup } from '../sources/sender.ts'
import { enforceSourceLimits, parseEvent, readSizedWebhook, storedTitle } from './receive.ts'
import { IntakeBatcher, storeEvents } from './store.ts'

/** A document that is handed over without a webhook, for sites of the account. */
interface DirectDocument {
  accountId: string
  /** Of the event that it is stored as. */
  eventId: string
  /** As its sender calls it. */
  id: string
  documentId: string
  reference: string | null
  data: unknown
  /** As a webhook's, without the site. */
  delivery: Record<string, unknown>
  /** At least one, and none twice. */
  siteIds: [string, ...string[]]
}

interface PlannedDelivery {
  id: string
  siteId: string
  status: string
}

type DirectResult = { issues: Issue[] } | { deliveries: PlannedDelivery[]; ignored: Issue[] }

const DIRECT_SOURCE_NAME = 'Documents sent to POST /v1/deliveries'

/**
 * Stores a document as one event with a delivery for each site; it is read as a webhook is. Each call is a newer version, also
 * where it says the same: who repeats a call whose answer was lost sends an `Idempotency-Key`.
 */
export async function receiveDirectly(
  pool: Pool,
  log: Logger,
  document: DirectDocument,
): Promise<DirectResult> {
  const { accountId, eventId, documentId, reference, siteIds, data, delivery } = document
  const webhook = toWebhook(document)
  const findIgnored = () => unknownMembers({ data, delivery }, 'site_ids')
  const parsed = await readSizedWebhook(webhook, { findIgnored })
  if (!parsed.ok) return { issues: parsed.issues }
  const { ignored } = parsed
  const body = Buffer.from(JSON.stringify(webhook))
  const [stored] = await inTransaction(pool, async (database) =>
    storeEvents(database, [
      {
        ...{ eventId, accountId, documentId, reference, body },
        sourceId: await ensureBuiltInSource(database, accountId, DIRECT_SOURCE_NAME),
        kind: 'document.completed',
        status: 'planned',
        issues: ignored,
        // Of its own, so that no other call is taken for its repetition.
        digest: hash('sha256', Buffer.concat([Buffer.from(eventId), body]), 'buffer'),
        title: storedTitle(parsed.event),
        plans: siteIds.map((siteId) => ({ deliveryId: uuid(), siteId })),
      },
    ]),
  )
  logHeldDeliveries(log, stored?.held ?? [])
  return { deliveries: await deliveriesOfDocument(pool, document), ignored }
}

/** The document as a webhook would bring it for the first of its sites. */
const toWebhook = ({ id, data, delivery, siteIds }: DirectDocument) => ({
  event: 'document.completed',
  id,
  status: 'completed',
  data,
  delivery: { ...delivery, id: siteIds[0] },
})

/** Whether a call was taken in under this id; see `Idempotency-Key`. */
export async function isDuplicateDocument(
  pool: Pool,
  { accountId, eventId }: Pick<DirectDocument, 'accountId' | 'eventId'>,
): Promise<boolean> {
  const rowCount = await execute(pool, 'SELECT FROM event WHERE id = :eventId AND account_id = :accountId', {
    accountId,
    eventId,
  })
  return rowCount === 1
}

/** The deliveries of a document to these sites, in the order of the sites. */
export async function deliveriesOfDocument(
  pool: Pool,
  { accountId, documentId, siteIds }: Pick<DirectDocument, 'accountId' | 'documentId' | 'siteIds'>,
): Promise<PlannedDelivery[]> {
  const rows = await queryRows<PlannedDelivery>(
    pool,
    `SELECT id, site_id AS "siteId", ${shownStatusSql('delivery')} AS status FROM delivery
     WHERE account_id = :accountId AND document_id = :documentId AND site_id = ANY (:siteIds::uuid[])`,
    { accountId, documentId, siteIds },
  )
  const known = new Map(rows.map((row) => [row.siteId, row]))
  return siteIds.flatMap((id) => known.get(id) ?? [])
}

/** A finished document that Galley itself made. */
interface InternalEvent {
  accountId: string
  /** As a webhook would bring it. */
  body: Buffer
}

interface InternalStored {
  /** Why it asks for nothing that can be done; null where it was understood. */
  refusal: string | null
  /** To be called when the transaction has ended: a delivery that was held at once is a line of the log then. */
  stored(): void
}

/** Stores a document that was made here as any webhook's event, in the caller's transaction, as from the account's built-in source. */
export const internalIntake =
  (log: Logger) =>
  async (database: Queryable, { accountId, body }: InternalEvent): Promise<InternalStored> => {
    const id = await ensureBuiltInSource(database, accountId, INTERNAL_SOURCE_NAME)
    const { event, rejection } = await parseEvent({ id, accountId, defaults: {} }, body)
    const [stored] = await storeEvents(database, [event])
    return {
      refusal: rejection?.message ?? null,
      stored: () => logHeldDeliveries(log, stored?.held ?? []),
    }
  }

const INTERNAL_SOURCE_NAME = 'Documents that Galley creates'

/** The id of a source of Galley's own, by its name; made on first use. Nobody knows its token. */
async function ensureBuiltInSource(database: Queryable, accountId: string, name: string): Promise<string> {
  const found = async () => {
    const rows = await queryRows<{ id: string }>(
      database,
      'SELECT id FROM source WHERE account_id = :accountId AND built_in AND name = :name',
      { accountId, name },
    )
    return rows[0]?.id
  }
  const known = await found()
  if (known !== undefined) return known
  await execute(
    database,
    `INSERT INTO source (id, account_id, name, token_hash, built_in)
     VALUES (:id, :accountId, :name, :tokenHash, true) ON CONFLICT (account_id, name) WHERE built_in DO NOTHING`,
    { id: uuid(), accountId, name, tokenHash: hashToken(createToken()) },
  )
  // Made now, or by a transaction for which this one has just waited.
  return (await found()) as string
}

/** A document that the upstream of a source answered, and nobody sent. */
export interface UpstreamEvent {
  source: Pick<KnownSource, 'id' | 'accountId' | 'siteIds' | 'labels' | 'defaults'>
  /** As a webhook would bring it. */
  body: Buffer
}

/** Why it plans no delivery; null where it does. */
export type PlanRejection = Pick<GalleyError, 'code' | 'message'> | null

/** Stores what an upstream was asked for as an event of the source, within its limits, and confirmed already. */
export function upstreamIntake(pool: Pool, sources: SourceLookup, log: Logger) {
  const batcher = new IntakeBatcher(pool, log)
  return async ({ source, body }: UpstreamEvent): Promise<PlanRejection> => {
    const { event: parsed, rejection } = await parseEvent(source, body, sources)
    const event = await enforceSourceLimits(sources, source, parsed)
    await batcher.store({ ...event, confirmed: true })
    if (rejection !== null) return rejection.refusal()
    if (event.status === 'planned') return null
    const [issue] = event.issues
    return {
      code: `document_${event.status}`,
      message: `${issue?.path ?? 'The document'} ${issue?.message ?? ''}`,
    }
  }
}
