import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import type { Outcome } from './events.ts'
import { receiverUnknown } from './failures.ts'
import type { ReceiverView } from './schema.ts'

/** Whose receivers: of an account, and where its key sees some sites alone, of these. */
export interface Scope {
  accountId: string
  siteIds: string[] | null
}

/** Names one receiver that the caller sees. */
export interface ReceiverId extends Scope {
  id: string
}

/** The parameters that name it in a statement. */
export const keyOf = ({ accountId, siteIds, id }: ReceiverId): Record<keyof ReceiverId, unknown> => ({
  accountId,
  siteIds,
  id,
})

/** A condition on `receiver`: the caller sees it. One that may be told of other sites is no receiver of a limited key. */
export const IS_SEEN = `account_id = :accountId AND removed_at IS NULL AND (:siteIds::uuid[] IS NULL
  OR (labels = '{}' AND site_ids <> '{}' AND site_ids <@ :siteIds::uuid[]))`

/** A row of `receiver`; names as in the table. */
export interface ReceiverRow {
  id: string
  account_id: string
  name: string
  kind: 'webhook' | 'email'
  url: string
  events: Outcome[]
  site_ids: string[]
  labels: string[]
  digest_minutes: number | null
  secret: string | null
  previous_until: Date | null
  disabled_at: Date | null
  created_at: Date
}

/** What is read of a receiver. */
export const COLUMNS = `id, account_id, name, kind, url, events, site_ids::text[] AS site_ids, labels, digest_minutes, secret,
  disabled_at, created_at, CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_until`

/** @throws GalleyError 404 `NOT_FOUND` */
export async function receiverRow(database: Queryable, receiver: ReceiverId): Promise<ReceiverRow> {
  const { rows } = await database.query<ReceiverRow>(
    named(`SELECT ${COLUMNS} FROM receiver WHERE id = :id AND ${IS_SEEN}`, keyOf(receiver)),
  )
  if (rows[0] === undefined) throw receiverUnknown(receiver.id)
  return rows[0]
}

export const receiverView = (row: ReceiverRow): ReceiverView => ({
  id: row.id,
  kind: row.kind,
  name: row.name,
  url: row.url,
  events: row.events,
  site_ids: row.site_ids,
  labels: row.labels,
  digest_minutes: row.digest_minutes,
  previous_secret_until: row.previous_until?.toISOString() ?? null,
  disabled: row.disabled_at !== null,
  created_at: row.created_at.toISOString(),
})
