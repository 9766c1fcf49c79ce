import {
  createReceiver,
  getReceiver,
  listReceivers,
  removeReceiver,
  updateReceiver,
} from '../../notifications/receivers/receivers.ts'
import { sendSample } from '../../notifications/receivers/sample.ts'
import {
  newReceiverSchema,
  receiverPatchSchema,
  receiverSchema,
  receiverWithSecretSchema,
  rotationSchema,
  sampleRequestSchema,
} from '../../notifications/receivers/schema.ts'
import { rotateReceiver } from '../../notifications/receivers/secret.ts'
import { detailedNotificationSchema } from '../../notifications/schema.ts'
import { getNotification } from '../../notifications/view.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, createdWith, listOf, page, removed, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

const failures = { 404: 'No such receiver in this account.' }

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
          schema: createdWith(receiverWithSecretSchema),
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
      query: page,
      answers: { 200: { description: 'A page of receivers.', schema: listOf(receiverSchema) } },
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
      answers: { 200: { description: 'The receiver.', schema: answerWith(receiverSchema) } },
      failures,
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
      answers: { 200: { description: 'The receiver.', schema: answerWith(receiverSchema) } },
      failures: {
        ...failures,
        403: 'The key sees only some sites, and the receiver would be notified of others.',
        409: 'A receiver of mail is to get a web address, or the other way round.',
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
      answers: { 200: { description: 'Removed.', schema: removed } },
      failures,
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
      body: rotationSchema,
      idempotent: true,
      answers: {
        200: {
          description: 'The receiver, with its new secret, shown only once.',
          schema: answerWith(receiverWithSecretSchema),
        },
      },
      failures: { ...failures, 409: 'It is sent mail, which has no secret.' },
      async handle({ caller, params: { uuid: id }, body, making }) {
        const { previous_secret_hours: hours } = body
        const data = await rotateReceiver(pool, keyring, { ...caller, id }, hours, making.againSince)
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
          schema: answerWith(detailedNotificationSchema),
        },
      },
      failures: { ...failures, 429: 'It has reached its limit of mail for this minute.' },
      async handle({ caller, params, body: { event }, making: { id } }) {
        await sendSample(pool, { ...caller, id: params.uuid }, event, id)
        const data = await getNotification(prisma, { accountId: caller.accountId, id })
        return { status: 202, body: { success: true, data } }
      },
    }),
  ]
}
