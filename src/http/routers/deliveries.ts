import { uuid } from '../../contract/wire.ts'
import { cancelDelivery } from '../../delivery/api/cancel.ts'
import { deliveryStatusSchema } from '../../delivery/api/filter.ts'
import { retryDelivery } from '../../delivery/api/retry.ts'
import { deliverySchema, detailedDeliverySchema, retrySchema } from '../../delivery/api/schema.ts'
import { getDelivery, listDeliveries } from '../../delivery/api/view.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

const filter = page.extend({
  status: deliveryStatusSchema.optional(),
  site_id: uuid.optional(),
  document_id: uuid.optional(),
})

/** What became of each document. */
export function deliveryEndpoints({ database }: Pick<Services, 'database'>): Endpoint[] {
  const { prisma } = database
  return [
    endpoint({
      method: 'get',
      path: '/v1/deliveries',
      operationId: 'listDeliveries',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'List the deliveries, the newest first',
      query: filter,
      answers: { 200: { description: 'A page of deliveries.', schema: listOf(deliverySchema) } },
      async handle({ caller: { accountId }, query: { site_id: siteId, document_id: documentId, ...query } }) {
        const { items, nextCursor } = await listDeliveries(prisma, {
          accountId,
          siteId,
          documentId,
          ...query,
        })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/deliveries/{uuid}',
      operationId: 'getDelivery',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Read a delivery, step by step',
      params: uuidInPath,
      answers: { 200: { description: 'The delivery.', schema: answerWith(detailedDeliverySchema) } },
      failures: { 404: 'No such delivery in this account.' },
      async handle({ caller: { accountId }, params }) {
        const data = await getDelivery(prisma, { accountId, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/deliveries/{uuid}/retry',
      operationId: 'retryDelivery',
      right: 'deliveries.act',
      action: 'delivery.retry',
      tag: 'Deliveries',
      summary: 'Retry a delivery at once, on its site or on another',
      params: uuidInPath,
      body: retrySchema,
      answers: { 202: { description: 'The delivery, queued.', schema: answerWith(detailedDeliverySchema) } },
      failures: {
        404: 'No such delivery in this account.',
        409: 'It is under way, or may have a post already and cannot move to another site.',
      },
      async handle({ caller: { accountId }, params: { uuid: id }, body }) {
        await retryDelivery(database, { accountId, id, siteId: body.site_id, overwrite: body.overwrite })
        const data = await getDelivery(prisma, { accountId, id })
        return { status: 202, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/deliveries/{uuid}/cancel',
      operationId: 'cancelDelivery',
      right: 'deliveries.act',
      action: 'delivery.cancel',
      tag: 'Deliveries',
      summary: 'Cancel a delivery that waits or has failed',
      description: 'A retry, or a newer version of its document, brings it back; nothing else does.',
      params: uuidInPath,
      answers: {
        200: { description: 'The delivery, cancelled.', schema: answerWith(detailedDeliverySchema) },
      },
      failures: { 404: 'No such delivery in this account.', 409: 'It is under way, or was delivered.' },
      async handle({ caller, params: { uuid: id } }) {
        await cancelDelivery(database, { ...caller, id })
        const data = await getDelivery(prisma, { accountId: caller.accountId, id })
        return { status: 200, body: { success: true, data } }
      },
    }),
  ]
}
