import type { Pool } from 'pg'
import type { SourceDefaults, StatusLimit } from '../../contract/delivery.ts'
import { batched, named, storableText } from '../../database/statement.ts'
import type { DeliveryRow } from './state.ts'

/** The event that a delivery was claimed for, and what its source says of the documents that it sends. */
export interface WantedEvent {
  /** What is delivered: what the upstream answered where it was asked, else as received; null where it was removed. */
  body: Buffer | null
  /** The source has its upstream asked before anything is delivered, and that has not been done. */
  unconfirmed: boolean
  source: EventSource
}

export interface EventSource extends StatusLimit {
  id: string
  defaults: SourceDefaults
}

/** Null where the event is gone. Its room is taken before it is read. */
export const wantedEvent = (
  pool: Pool,
  { wanted_event_id }: Pick<DeliveryRow, 'wanted_event_id'>,
): Promise<WantedEvent | null> => batched(pool, 'event-body', wanted_event_id, (ids) => loadEvents(pool, ids))

async function loadEvents(pool: Pool, ids: readonly string[]): Promise<(WantedEvent | null)[]> {
  const { rows } = await pool.query<WantedEvent & { id: string }>({
    name: 'event-body',
    text: `SELECT e.id, coalesce(e.confirmed_body, e.body) AS body, s.confirm AND e.confirmed_at IS NULL AS unconfirmed,
         json_build_object('id', s.id, 'name', s.name, 'highestStatus', s.highest_status, 'defaults', s.defaults) AS source
       FROM event e JOIN source s ON s.id = e.source_id WHERE e.id = ANY ($1::uuid[])`,
    values: [ids],
  })
  const found = new Map(rows.map((row) => [row.id, row]))
  return ids.map((id) => found.get(id) ?? null)
}

/** Stores what the upstream answered: from now on it is delivered instead of what came. */
export async function storeConfirmed(
  pool: Pool,
  { id, wanted_event_id, account_id }: Pick<DeliveryRow, 'id' | 'wanted_event_id' | 'account_id'>,
  { body, title }: { body: Buffer; title: string | null },
): Promise<void> {
  await pool.query({
    name: 'store-confirmed',
    ...named(
      `WITH confirmed AS (
         UPDATE event SET confirmed_body = :body, confirmed_at = now()
         WHERE id = :eventId AND account_id = :accountId AND body IS NOT NULL RETURNING id
       )
       UPDATE delivery d SET title = :title FROM confirmed
       WHERE d.id = :id AND d.account_id = :accountId AND d.wanted_event_id = confirmed.id`,
      {
        id,
        body,
        eventId: wanted_event_id,
        accountId: account_id,
        title: title === null ? null : storableText(title),
      },
    ),
  })
}
