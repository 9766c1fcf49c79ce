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
 * @throws GalleyError 404 `NOT_FOUND`, 409 `NOTIFICATION_THINNED`, 409 `RECEIVER_REMOVED`
 */
export async function repeatNotification(database: Queryable, notification: NotificationId): Promise<void> {
  const { rows } = await database.query<{ repeated: boolean; removed: boolean }>(
    named(REPEAT, { ...notification }),
  )
  const [found] = rows
  if (found === undefined) throw notificationUnknown(notification)
  if (found.removed)
    throw new GalleyError({
      code: 'RECEIVER_REMOVED',
      httpStatus: 409,
      fault: 'owner',
      action: 'owner',
      message: 'The receiver of this notification was removed: nothing is sent to it any more.',
    })
  if (!found.repeated)
    throw new GalleyError({
      code: 'NOTIFICATION_THINNED',
      httpStatus: 409,
      fault: 'owner',
      action: 'owner',
      message:
        'This notification is older than GALLEY_RETENTION_DAYS, and what it said is no longer kept. The job, the delivery or the site that it is about still shows the result.',
    })
}

const REPEAT = `
  WITH found AS (
    SELECT n.id, r.removed_at IS NOT NULL AS removed FROM notification n LEFT JOIN receiver r ON r.id = n.receiver_id
    WHERE n.account_id = :accountId AND n.id = :id
  ), repeated AS (
    UPDATE notification n SET repeat_at = clock_timestamp() FROM found
    WHERE n.id = found.id AND NOT found.removed AND n.body IS NOT NULL
    RETURNING n.id
  )
  SELECT EXISTS (SELECT 1 FROM repeated) AS repeated, removed FROM found`

/** No such notification in this account; of another account's nobody hears. */
export const notificationUnknown = ({ id }: NotificationId): GalleyError =>
  new GalleyError({
    code: 'NOT_FOUND',
    httpStatus: 404,
    message: `This account has no notification ${id}. GET /v1/notifications lists those it has.`,
  })
