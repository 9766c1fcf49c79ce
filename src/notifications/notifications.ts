import { z } from 'zod'
import { utcTimestamp } from '../contract/scalars.ts'
import type { Notification, PrismaClient } from '../database/generated/client.ts'
import { queryRows } from '../database/statement.ts'
import type { Queryable } from '../database/transaction.ts'
import { conflict, unknownId } from '../errors.ts'
import { wireRow } from '../lib/wire-row.ts'

export const notificationStatusSchema = z
  .enum(['waiting', 'acknowledged', 'failed'])
  .describe(
    'waiting: for its first attempt, or for the next one. acknowledged: its receiver answered 2xx, or the mail server took it. failed: four attempts were not.',
  )

export const notificationSchema = z
  .object({
    id: z.guid().describe('The webhook-id of every attempt.'),
    event: z.string().describe('The event, such as document.completed; digest for a mail about several.'),
    subject_id: z
      .guid()
      .describe(
        'What it is about: the id of the job, the delivery or the site; of a digest about several sites, the receiver.',
      ),
    receiver_id: z.guid().nullable().describe('Who is notified; null for the webhook_url of a job.'),
    url: z.string(),
    status: notificationStatusSchema,
    attempts: z.int().describe('Attempts of the timetable so far, of four; those made by hand do not count.'),
    next_attempt_at: utcTimestamp.nullable().describe('When the next attempt of the timetable is due.'),
    created_at: utcTimestamp,
  })
  .meta({ id: 'Notification' })

const attemptSchema = z.object({
  at: utcTimestamp,
  took_ms: z.int().nullable().describe('To the answer, or to its absence; null while it is under way.'),
  http_status: z
    .int()
    .nullable()
    .describe('What the receiver answered; null where it did not, and for mail.'),
  error: z
    .object({ code: z.string(), message: z.string() })
    .nullable()
    .describe('Why it was not acknowledged.'),
  by_hand: z.boolean().describe('Whether somebody asked for it, outside the timetable.'),
})

export const detailedNotificationSchema = notificationSchema
  .extend({
    body: z
      .string()
      .nullable()
      .describe(
        'The outcome, as a receiver of the format `standard` is sent it; null once it was removed for its age.',
      ),
    tries: z
      .array(attemptSchema)
      .describe(
        'The newest hundred attempts, the oldest of them first; none once they were removed for their age.',
      ),
  })
  .meta({ id: 'NotificationInDetail' })

export const notificationSecretSchema = z.object({
  secret: z
    .string()
    .describe('Verifies webhook-signature as Standard Webhooks say (standardwebhooks.com). Shown only once.'),
})

interface NotificationKey {
  accountId: string
  id: string
}

/** Sends a notification again now; its timetable goes on. @throws `NOT_FOUND`, `NOTIFICATION_THINNED`, `RECEIVER_REMOVED` */
export async function resendNotification(database: Queryable, notification: NotificationKey): Promise<void> {
  const [found] = await queryRows<{ repeated: boolean; removed: boolean }>(database, RESEND, {
    ...notification,
  })
  if (found === undefined) throw unknownId('notification', notification.id)
  if (found.removed)
    throw conflict(
      'RECEIVER_REMOVED',
      'The receiver of this notification was removed: nothing is sent to it any more.',
    )
  if (!found.repeated)
    throw conflict(
      'NOTIFICATION_THINNED',
      'This notification is older than GALLEY_RETENTION_DAYS, and what it said is no longer kept. The job, the delivery or the site that it is about still shows the result.',
    )
}

const RESEND = `
  WITH found AS (
    SELECT n.id, r.removed_at IS NOT NULL AS removed FROM notification n LEFT JOIN receiver r ON r.id = n.receiver_id
    WHERE n.account_id = :accountId AND n.id = :id
  ), repeated AS (
    UPDATE notification n SET repeat_at = clock_timestamp() FROM found
    WHERE n.id = found.id AND NOT found.removed AND n.body IS NOT NULL
    RETURNING n.id
  )
  SELECT EXISTS (SELECT 1 FROM repeated) AS repeated, removed FROM found`

/** Attempts shown: the timetable has four, a person may ask for any number. */
const MAX_SHOWN_ATTEMPTS = 100

/** Notifications of an account, the newest first, without their bodies. */
export async function readNotifications(
  prisma: PrismaClient,
  accountId: string,
  ids: string[],
): Promise<z.output<typeof notificationSchema>[]> {
  const rows = await prisma.notification.findMany({
    where: { accountId, id: { in: ids } },
    omit: { body: true },
    orderBy: { id: 'desc' },
  })
  return rows.map((row) => notificationSchema.parse(view(row)))
}

/** One notification, with what was sent and every attempt. @throws GalleyError 404 */
export async function getNotification(
  prisma: PrismaClient,
  notification: NotificationKey,
): Promise<z.output<typeof detailedNotificationSchema>> {
  const row = await prisma.notification.findFirst({
    where: { ...notification },
    include: { tries: { orderBy: { id: 'desc' }, take: MAX_SHOWN_ATTEMPTS } },
  })
  if (row === null) throw unknownId('notification', notification.id)
  return detailedNotificationSchema.parse({
    ...view(row),
    body: row.body === null ? null : Buffer.from(row.body).toString('utf8'),
    tries: row.tries.toReversed().map(wireRow),
  })
}

const view = (row: Omit<Notification, 'body'>) => ({
  ...wireRow(row),
  next_attempt_at: row.dueAt?.toISOString() ?? null,
})
