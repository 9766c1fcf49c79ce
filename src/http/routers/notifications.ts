import { listVisible } from '../../accounts/visibility.ts'
import { singleLineText, uuid } from '../../contract/scalars.ts'
import {
  detailedNotificationSchema,
  getNotification,
  notificationSchema,
  notificationSecretSchema,
  notificationStatusSchema,
  readNotifications,
  resendNotification,
} from '../../notifications/notifications.ts'
import {
  createReceiver,
  getReceiver,
  listReceivers,
  removeReceiver,
  rotateReceiverSecret,
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
import { rotateAccountSecret, storeAccountSecret } from '../../notifications/signing-secrets.ts'
import { answers, type Endpoint, endpoint, pageQuery, requireReachable } from '../endpoint.ts'
import type { Services } from '../services.ts'

const notificationQuery = pageQuery.extend({
  status: notificationStatusSchema.optional(),
  subject_id: uuid.optional().describe('The id of the job, the delivery or the site that it is about.'),
  receiver_id: uuid.optional().describe('Who is notified.'),
  event: singleLineText(100).optional().describe('The event, such as delivery.held.'),
})

const RECEIVER_TOO_WIDE =
  'RECEIVER_TOO_WIDE: the key sees only some sites, and the receiver would be notified of others.'

/** What the account was told, and what its notifications are signed with. */
export function notificationEndpoints({ database, keyring, outbound, config }: Services): Endpoint[] {
  const { prisma, pool } = database
  const sendsMail = config.mail !== undefined
  return [
    endpoint('GET /v1/notifications', {
      operationId: 'listNotifications',
      right: 'notifications.read',
      summary: 'List the notifications, the newest first',
      query: notificationQuery,
      answer: answers.page('A page of notifications, without their bodies.', notificationSchema),
      handle: ({ caller, query }) =>
        listVisible(pool, caller, 'notification', query, (ids) =>
          readNotifications(prisma, caller.accountId, ids),
        ),
    }),
    endpoint('GET /v1/notifications/{uuid}', {
      operationId: 'getNotification',
      right: 'notifications.read',
      summary: 'Read a notification, with every attempt to send it',
      answer: answers.data('The notification.', detailedNotificationSchema),
      handle: ({ caller: { accountId }, params: { uuid: id } }) => getNotification(prisma, { accountId, id }),
    }),
    endpoint('POST /v1/notifications/{uuid}/repeat', {
      operationId: 'repeatNotification',
      right: 'notifications.change',
      action: 'notification.repeat',
      summary: 'Send a notification once more, now',
      description:
        'It is sent to the same address, under the same webhook-id, whatever its status. The timetable of one that is waiting continues unchanged.',
      answer: answers.data('It is sent next.', detailedNotificationSchema, 202),
      failures: {
        409: 'NOTIFICATION_THINNED: it is so old that what it said is no longer kept. RECEIVER_REMOVED.',
      },
      async handle({ caller: { accountId }, params: { uuid: id } }) {
        await resendNotification(pool, { accountId, id })
        return getNotification(prisma, { accountId, id })
      },
    }),
    endpoint('POST /v1/account/notification-secret', {
      operationId: 'makeNotificationSecret',
      right: 'notifications.change',
      action: 'account.make_notification_secret',
      summary: 'Create or replace the secret that notifications are signed with',
      description:
        'From the next attempt on, every notification of the account is signed with it; a secret that was there before ends at once.',
      idempotent: true,
      answer: answers.data('The secret, shown only once.', notificationSecretSchema, 201),
      async handle({ caller: { accountId } }) {
        return { secret: await rotateAccountSecret(pool, keyring, accountId) }
      },
    }),
    endpoint('DELETE /v1/account/notification-secret', {
      operationId: 'removeNotificationSecret',
      right: 'notifications.change',
      action: 'account.remove_notification_secret',
      summary: 'Stop signing notifications',
      answer: answers.members('From the next attempt on, nothing is signed.', {}),
      async handle({ caller: { accountId } }) {
        await storeAccountSecret(pool, accountId, null)
        return {}
      },
    }),
    endpoint('POST /v1/receivers', {
      operationId: 'createReceiver',
      right: 'receivers.change',
      action: 'receiver.create',
      summary: 'Have somebody notified of deliveries and sites',
      description: 'From the next outcome on. What happened before is in the lists.',
      body: newReceiverSchema,
      idempotent: true,
      answer: answers.created(
        'The receiver, with the secret that it is signed with, shown only once; mail has none.',
        receiverWithSecretSchema,
      ),
      failures: {
        403: RECEIVER_TOO_WIDE,
        409: 'TOO_MANY_RECEIVERS: there are as many as an account may have. MAIL_NOT_CONFIGURED: this Galley sends no mail.',
      },
      async handle({ caller, body, making }) {
        requireReachable(outbound, 'body.url', body.url)
        return createReceiver({ pool, keyring, sendsMail }, caller, body, making.id)
      },
    }),
    endpoint('GET /v1/receivers', {
      operationId: 'listReceivers',
      right: 'notifications.read',
      summary: 'List the receivers, the newest first',
      query: pageQuery,
      answer: answers.page('A page of receivers.', receiverSchema),
      handle: ({ caller, query }) => listReceivers(pool, caller, query),
    }),
    endpoint('GET /v1/receivers/{uuid}', {
      operationId: 'getReceiver',
      right: 'notifications.read',
      summary: 'Read a receiver',
      answer: answers.data('The receiver.', receiverSchema),
      handle: ({ caller, params: { uuid: id } }) => getReceiver(pool, { ...caller, id }),
    }),
    endpoint('PATCH /v1/receivers/{uuid}', {
      operationId: 'updateReceiver',
      right: 'receivers.change',
      action: 'receiver.change',
      summary: 'Change a receiver, or disable it',
      body: receiverPatchSchema,
      answer: answers.data('The receiver.', receiverSchema),
      failures: {
        403: RECEIVER_TOO_WIDE,
        409: 'A receiver of mail keeps a mail address, and a receiver of webhooks a web address.',
      },
      async handle({ caller, params: { uuid: id }, body }) {
        requireReachable(outbound, 'body.url', body.url)
        return updateReceiver(pool, { ...caller, id }, body)
      },
    }),
    endpoint('DELETE /v1/receivers/{uuid}', {
      operationId: 'removeReceiver',
      right: 'receivers.change',
      action: 'receiver.remove',
      summary: 'Remove a receiver',
      description: 'What it was sent stays on record; what is waiting is no longer sent.',
      answer: answers.removed,
      async handle({ caller, params: { uuid: id } }) {
        await removeReceiver(pool, { ...caller, id })
        return id
      },
    }),
    endpoint('POST /v1/receivers/{uuid}/rotate', {
      operationId: 'rotateReceiver',
      right: 'receivers.change',
      action: 'receiver.rotate',
      summary: 'Give a receiver a new secret; the current one stays valid for a while',
      body: receiverRotationSchema,
      idempotent: true,
      answer: answers.data('The receiver, with its new secret, shown only once.', receiverWithSecretSchema),
      failures: { 409: 'It is sent mail, which has no secret.' },
      async handle({ caller, params: { uuid: id }, body, making }) {
        const { previous_secret_hours: hours } = body
        return rotateReceiverSecret(pool, keyring, { ...caller, id }, hours, making.againSince)
      },
    }),
    endpoint('POST /v1/receivers/{uuid}/test', {
      operationId: 'testReceiver',
      right: 'receivers.change',
      action: 'receiver.test',
      summary: 'Send a receiver a sample, now',
      description:
        'It is sent as everything else is: signed or as mail, tried again, each attempt on record. It has `"sample": true`; the subject of a mail says so.',
      body: sampleRequestSchema,
      idempotent: true,
      answer: answers.data(
        'It is sent next; GET /v1/notifications/{uuid} shows what came of it.',
        detailedNotificationSchema,
        202,
      ),
      failures: { 429: 'It has reached its limit of mail for this minute.' },
      async handle({ caller, params, body: { event }, making: { id } }) {
        await sendSample(pool, { ...caller, id: params.uuid }, event, id)
        return getNotification(prisma, { accountId: caller.accountId, id })
      },
    }),
  ]
}
