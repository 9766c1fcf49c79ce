import { z } from 'zod'
import { seenIds } from '../../accounts/limits.ts'
import { line } from '../../contract/text.ts'
import { uuid } from '../../contract/wire.ts'
import { repeatNotification } from '../../notifications/repeat.ts'
import {
  detailedNotificationSchema,
  notificationSchema,
  notificationSecretSchema,
  notificationStatusSchema,
} from '../../notifications/schema.ts'
import { makeSecret, removeSecret } from '../../notifications/secret.ts'
import { getNotification, listNotifications } from '../../notifications/view.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

const filter = page.extend({
  status: notificationStatusSchema.optional(),
  subject_id: uuid.optional().describe('The id of the job, the delivery or the site that it is about.'),
  receiver_id: uuid.optional().describe('Who is notified.'),
  event: line(100).optional().describe('The event, such as delivery.held.'),
})

const failures = { 404: 'No such notification in this account.' }

/** What the account was told, and what its notifications are signed with. */
export function notificationEndpoints({
  database: { prisma, pool },
  keyring,
}: Pick<Services, 'database' | 'keyring'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/notifications',
      operationId: 'listNotifications',
      right: 'notifications.read',
      tag: 'Notifications',
      summary: 'List the notifications, the newest first',
      query: filter,
      answers: {
        200: {
          description: 'A page of notifications, without their bodies.',
          schema: listOf(notificationSchema),
        },
      },
      async handle({ caller, query: { subject_id: subjectId, receiver_id: receiverId, ...query } }) {
        const { accountId } = caller
        const filters = {
          status: query.status,
          subject_id: subjectId,
          receiver_id: receiverId,
          event: query.event,
        }
        const ids = await seenIds(pool, caller, 'notification', query, filters)
        const { items, nextCursor } = await listNotifications(prisma, {
          accountId,
          ids,
          subjectId,
          receiverId,
          ...query,
        })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/notifications/{uuid}',
      operationId: 'getNotification',
      right: 'notifications.read',
      tag: 'Notifications',
      summary: 'Read a notification, with every attempt to send it',
      params: uuidInPath,
      answers: { 200: { description: 'The notification.', schema: answerWith(detailedNotificationSchema) } },
      failures,
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        const data = await getNotification(prisma, { accountId, id })
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/notifications/{uuid}/repeat',
      operationId: 'repeatNotification',
      right: 'notifications.change',
      action: 'notification.repeat',
      tag: 'Notifications',
      summary: 'Send a notification once more, now',
      description:
        'It is sent to the same address, under the same webhook-id, whatever its status. The timetable of one that is waiting continues unchanged.',
      params: uuidInPath,
      answers: {
        202: { description: 'It is sent next.', schema: answerWith(detailedNotificationSchema) },
      },
      failures: { ...failures, 409: 'It is so old that what it said is no longer kept.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        await repeatNotification(pool, { accountId, id })
        return {
          status: 202,
          body: { success: true, data: await getNotification(prisma, { accountId, id }) },
        }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/account/notification-secret',
      operationId: 'makeNotificationSecret',
      right: 'notifications.change',
      action: 'account.make_notification_secret',
      tag: 'Account',
      summary: 'Create or replace the secret that notifications are signed with',
      description:
        'From the next attempt on, every notification of the account is signed with it; a secret that was there before ends at once.',
      idempotent: true,
      answers: {
        201: { description: 'The secret, shown only once.', schema: answerWith(notificationSecretSchema) },
      },
      async handle({ caller: { accountId } }) {
        const secret = await makeSecret(pool, keyring, accountId)
        return { status: 201, body: { success: true, data: { secret } } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/account/notification-secret',
      operationId: 'removeNotificationSecret',
      right: 'notifications.change',
      action: 'account.remove_notification_secret',
      tag: 'Account',
      summary: 'Stop signing notifications',
      answers: {
        200: {
          description: 'From the next attempt on, nothing is signed.',
          schema: z.object({ success: z.literal(true) }),
        },
      },
      async handle({ caller: { accountId } }) {
        await removeSecret(pool, accountId)
        return { status: 200, body: { success: true } }
      },
    }),
  ]
}
