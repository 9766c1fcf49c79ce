import { named } from '../database/named.ts'
import type { Queryable } from '../database/transaction.ts'
import { GalleyError } from '../errors.ts'

/** Names one notification of one account. */
export interface NotificationId {
  accountId: string
  id: string
}

/**
 * Has a notification sent once more, now, however it stands. Its timetable goes on as it would have; what is acknowledged
 * ends it.
 *
 * @throws GalleyError 404 `NOT_FOUND`, 409 `NOTIFICATION_THINNED`
 */
export async function repeatNotification(database: Queryable, notification: NotificationId): Promise<void> {
  const { rows } = await database.query<{ repeated: boolean }>(named(REPEAT, { ...notification }))
  const [found] = rows
  if (found === undefined) throw notificationUnknown(notification)
  if (!found.repeated)
    throw new GalleyError({
      code: 'NOTIFICATION_THINNED',
      httpStatus: 409,
      fault: 'owner',
      action: 'owner',
      message:
        'This notification is older than GALLEY_RETENTION_DAYS, and what it said is no longer kept. The status of its job still tells the result.',
    })
}

const REPEAT = `
  WITH repeated AS (
    UPDATE notification SET repeat_at = clock_timestamp()
    WHERE account_id = :accountId AND id = :id AND body IS NOT NULL
    RETURNING id
  )
  SELECT EXISTS (SELECT 1 FROM repeated) AS repeated FROM notification WHERE account_id = :accountId AND id = :id`

/** No such notification in this account; of another account's nobody hears. */
export const notificationUnknown = ({ id }: NotificationId): GalleyError =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no notification ${id}. GET /v1/notifications lists those it has.`,
  })
