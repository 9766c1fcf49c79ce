import { named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import type { NotificationEvent } from '../notify.ts'
import type { ReceiverView } from './schema.ts'

/** An account, and the sites that its key sees, where it is limited. */
export interface ReceiverScope {
  accountId: string
  siteIds: string[] | null
}

export interface ReceiverKey extends ReceiverScope {
  id: string
}

export const receiverParameters = ({
  accountId,
  siteIds,
  id,
}: ReceiverKey): Record<keyof ReceiverKey, unknown> => ({
  accountId,
  siteIds,
  id,
})

/**
 * SQL on `receiver`: visible to the caller. A limited key does not see receivers of other sites.
 */
export const IS_VISIBLE = `account_id = :accountId AND removed_at IS NULL AND (:siteIds::uuid[] IS NULL
  OR (labels = '{}' AND site_ids <> '{}' AND site_ids <@ :siteIds::uuid[]))`

export interface ReceiverRow {
  id: string
  account_id: string
  name: string
  kind: 'webhook' | 'email'
  url: string
  events: NotificationEvent[]
  site_ids: string[]
  labels: string[]
  digest_minutes: number | null
  secret: string | null
  previous_until: Date | null
  disabled_at: Date | null
  created_at: Date
}

export const RECEIVER_COLUMNS = `id, account_id, name, kind, url, events, site_ids::text[] AS site_ids, labels, digest_minutes, secret,
  disabled_at, created_at, CASE WHEN previous_secret_until > now() THEN previous_secret_until END AS previous_until`

/** @throws GalleyError 404 `NOT_FOUND` */
export async function receiverRow(database: Queryable, receiver: ReceiverKey): Promise<ReceiverRow> {
  const { rows } = await database.query<ReceiverRow>(
    named(
      `SELECT ${RECEIVER_COLUMNS} FROM receiver WHERE id = :id AND ${IS_VISIBLE}`,
      receiverParameters(receiver),
    ),
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

/** Receivers of an account: each makes every outcome dearer. */
export const MAX_RECEIVERS = 50

/** Unknown in this account, or not visible to this key. */
export const receiverUnknown = (id: string): GalleyError =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no receiver ${id}. GET /v1/receivers lists those it has.`,
  })

export const receiverTooWide = (): GalleyError =>
  new GalleyError({
    code: 'RECEIVER_TOO_WIDE',
    httpStatus: 403,
    fault: 'owner',
    action: 'owner',
    message:
      'This API key sees some sites of its account, so a receiver that it creates must name them: give "site_ids" with sites that it sees, and no "labels".',
  })

export const tooManyReceivers = (): GalleyError =>
  new GalleyError({
    code: 'TOO_MANY_RECEIVERS',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message: `This account has ${MAX_RECEIVERS} receivers, the most that an account may have. Remove one that is not needed, or change it.`,
  })

export const mailNotConfigured = (): GalleyError =>
  new GalleyError({
    code: 'MAIL_NOT_CONFIGURED',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message:
      'This Galley sends no mail: whoever runs it has to set GALLEY_SMTP_URL and GALLEY_MAIL_FROM. Until then, give a web address, which is sent a POST.',
  })

export const receiverKindMismatch = (kind: 'webhook' | 'email'): GalleyError =>
  new GalleyError({
    code: 'OTHER_KIND',
    httpStatus: 409,
    fault: 'owner',
    action: 'owner',
    message:
      kind === 'email'
        ? 'This receiver is sent mail: it has no secret, and its address begins with mailto:. Make another receiver for a web address.'
        : 'This receiver is sent POSTs: nothing is gathered for it, and its address is http or https. Make another receiver for mail.',
  })

export const tooManySamples = (): GalleyError =>
  new GalleyError({
    code: 'TOO_MANY_SAMPLES',
    httpStatus: 429,
    action: 'retry',
    retryAfterMs: 60_000,
    message: 'This receiver has reached its limit of mail for this minute. Wait a minute.',
  })
