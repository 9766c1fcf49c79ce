import { z } from 'zod'
import { instant } from '../contract/wire.ts'

/** How a notification stands. */
export const notificationStatusSchema = z
  .enum(['waiting', 'acknowledged', 'failed'])
  .describe(
    'waiting: for its first attempt, or for the next one. acknowledged: its receiver answered 2xx, or the mail server took it. failed: four attempts were not.',
  )

/** A notification as lists show it. */
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
    next_attempt_at: instant.nullable().describe('When the next attempt of the timetable is due.'),
    created_at: instant,
  })
  .meta({ id: 'Notification' })

const attemptSchema = z.object({
  at: instant,
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

/** A notification with what was sent, and every attempt. */
export const detailedNotificationSchema = notificationSchema
  .extend({
    body: z.string().nullable().describe('As it is sent; null once it was removed for its age.'),
    tries: z
      .array(attemptSchema)
      .describe(
        'The newest hundred attempts, the oldest of them first; none once they were removed for their age.',
      ),
  })
  .meta({ id: 'NotificationInDetail' })

/** What is shown only once of a secret that was made. */
export const notificationSecretSchema = z.object({
  secret: z
    .string()
    .describe('Verifies webhook-signature as Standard Webhooks say (standardwebhooks.com). Shown only once.'),
})

export type NotificationStatus = z.output<typeof notificationStatusSchema>
export type NotificationView = z.output<typeof notificationSchema>
export type DetailedNotification = z.output<typeof detailedNotificationSchema>
