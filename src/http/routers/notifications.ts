import { z } from 'zod'
import { visibleIds } from '../../accounts/visibility.ts'
import { singleLineText, uuid } from '../../contract/scalars.ts'
import {
  detailedNotificationSchema,
  getNotification,
  listNotifications,
  notificationSchema,
  notificationSecretSchema,
  notificationStatusSchema,
  resendNotification,
} from '../../notifications/notifications.ts'
import {
  createReceiver,
  getReceiver,
  listReceivers,
  removeReceiver,
  sendSample,
  updateReceiver,
} from '../../notifications/receivers/receivers.ts'
import {
  newReceiverSchema,
  receiverPatchSchema,
  receiverRotationSchema,
  receiverSchema,
  receiverWithSecretSchema,
  sampleRequestSchema,
} from '../../notifications/receivers/schema.ts'
import {
  removeAccountSecret,
  rotateAccountSecret,
  rotateReceiverSecret,
} from '../../notifications/signing-secrets.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import {
  createdResponse,
  dataResponse,
  listResponse,
  pageQuery,
  removedResponse,
  uuidInPath,
} from '../validation.ts'

const notificationQuery = pageQuery.extend({
  status: notificationStatusSchema.optional(),
  subject_id: uuid.optional().describe('The id of the job, the delivery or the site that it is about.'),
  receiver_id: uuid.optional().describe('Who is notified.'),
  event: singleLineText(100).optional().describe('The event, such as delivery.held.'),
})

const notificationFailures = { 404: 'No such notification in this account.' }

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
      query: notificationQuery,
      answers: {
        200: {
          description: 'A page of notifications, without their bodies.',
          schema: listResponse(notificationSchema),
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
        const ids = await visibleIds(pool, caller, 'notification', query, filters)
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
      answers: {
        200: { description: 'The notification.', schema: dataResponse(detailedNotificationSchema) },
      },
      failures: notificationFailures,
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
        202: { description: 'It is sent next.', schema: dataResponse(detailedNotificationSchema) },
      },
      failures: { ...notificationFailures, 409: 'It is so old that what it said is no longer kept.' },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        await resendNotification(pool, { accountId, id })
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
        201: { description: 'The secret, shown only once.', schema: dataResponse(notificationSecretSchema) },
      },
      async handle({ caller: { accountId } }) {
        const secret = await rotateAccountSecret(pool, keyring, accountId)
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
        await removeAccountSecret(pool, accountId)
        return { status: 200, body: { success: true } }
      },
    }),
  ]
}

const receiverFailures = { 404: 'No such receiver in this account.' }

/** Who is notified of deliveries and sites. */
export function receiverEndpoints({
  database: { pool, prisma },
  keyring,
  config,
}: Pick<Services, 'database' | 'keyring' | 'config'>): Endpoint[] {
  const sendsMail = config.mail !== undefined
  return [
    endpoint({
      method: 'post',
      path: '/v1/receivers',
      operationId: 'createReceiver',
      right: 'receivers.change',
      action: 'receiver.create',
      tag: 'Receivers',
      summary: 'Have somebody notified of deliveries and sites',
      description: 'From the next outcome on. What happened before is in the lists.',
      body: newReceiverSchema,
      idempotent: true,
      answers: {
        201: {
          description:
            'The receiver, with the secret that it is signed with, shown only once; mail has none.',
          schema: createdResponse(receiverWithSecretSchema),
        },
      },
      failures: {
        403: 'The key sees only some sites, and the receiver would be notified of others.',
        409: 'There are as many receivers as an account may have, or this Galley sends no mail.',
      },
      async handle({ caller, body, making }) {
        const data = await createReceiver({ pool, keyring, sendsMail }, caller, body, making)
        return { status: 201, body: { success: true, id: data.id, data } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/receivers',
      operationId: 'listReceivers',
      right: 'notifications.read',
      tag: 'Receivers',
      summary: 'List the receivers, the newest first',
      query: pageQuery,
      answers: { 200: { description: 'A page of receivers.', schema: listResponse(receiverSchema) } },
      async handle({ caller, query }) {
        const { items, nextCursor } = await listReceivers(pool, caller, query)
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/receivers/{uuid}',
      operationId: 'getReceiver',
      right: 'notifications.read',
      tag: 'Receivers',
      summary: 'Read a receiver',
      params: uuidInPath,
      answers: { 200: { description: 'The receiver.', schema: dataResponse(receiverSchema) } },
      failures: receiverFailures,
      async handle({ caller, params: { uuid: id } }) {
        return { status: 200, body: { success: true, data: await getReceiver(pool, { ...caller, id }) } }
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v1/receivers/{uuid}',
      operationId: 'updateReceiver',
      right: 'receivers.change',
      action: 'receiver.change',
      tag: 'Receivers',
      summary: 'Change a receiver, or disable it',
      params: uuidInPath,
      body: receiverPatchSchema,
      answers: { 200: { description: 'The receiver.', schema: dataResponse(receiverSchema) } },
      failures: {
        ...receiverFailures,
        403: 'The key sees only some sites, and the receiver would be notified of others.',
        409: 'A receiver of mail keeps a mail address, and a receiver of webhooks a web address.',
      },
      async handle({ caller, params: { uuid: id }, body }) {
        const data = await updateReceiver({ pool }, { ...caller, id }, body)
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/receivers/{uuid}',
      operationId: 'removeReceiver',
      right: 'receivers.change',
      action: 'receiver.remove',
      tag: 'Receivers',
      summary: 'Remove a receiver',
      description: 'What it was sent stays on record; what is waiting is no longer sent.',
      params: uuidInPath,
      answers: { 200: { description: 'Removed.', schema: removedResponse } },
      failures: receiverFailures,
      async handle({ caller, params: { uuid: id } }) {
        await removeReceiver(pool, { ...caller, id })
        return { status: 200, body: { success: true, id } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/receivers/{uuid}/rotate',
      operationId: 'rotateReceiver',
      right: 'receivers.change',
      action: 'receiver.rotate',
      tag: 'Receivers',
      summary: 'Give a receiver a new secret; the current one stays valid for a while',
      params: uuidInPath,
      body: receiverRotationSchema,
      idempotent: true,
      answers: {
        200: {
          description: 'The receiver, with its new secret, shown only once.',
          schema: dataResponse(receiverWithSecretSchema),
        },
      },
      failures: { ...receiverFailures, 409: 'It is sent mail, which has no secret.' },
      async handle({ caller, params: { uuid: id }, body, making }) {
        const { previous_secret_hours: hours } = body
        const data = await rotateReceiverSecret(pool, keyring, { ...caller, id }, hours, making.againSince)
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/receivers/{uuid}/test',
      operationId: 'testReceiver',
      right: 'receivers.change',
      action: 'receiver.test',
      tag: 'Receivers',
      summary: 'Send a receiver a sample, now',
      description:
        'It is sent as everything else is: signed or as mail, tried again, each attempt on record. It has `"sample": true`; the subject of a mail says so.',
      params: uuidInPath,
      body: sampleRequestSchema,
      idempotent: true,
      answers: {
        202: {
          description: 'It is sent next; GET /v1/notifications/{uuid} shows what came of it.',
          schema: dataResponse(detailedNotificationSchema),
        },
      },
      failures: { ...receiverFailures, 429: 'It has reached its limit of mail for this minute.' },
      async handle({ caller, params, body: { event }, making: { id } }) {
        await sendSample(pool, { ...caller, id: params.uuid }, event, id)
        const data = await getNotification(prisma, { accountId: caller.accountId, id })
        return { status: 202, body: { success: true, data } }
      },
    }),
  ]
}
