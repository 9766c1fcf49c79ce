import { cancelDelivery } from '../../delivery/api/cancel.ts'
import { retryDelivery } from '../../delivery/api/retry.ts'
import { detailedDeliverySchema, retrySchema } from '../../delivery/api/schema.ts'
import { getDelivery } from '../../delivery/api/view.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** What became of a document, and what a person may do about it. */
export function deliveryEndpoints({ database }: Pick<Services, 'database'>): Endpoint[] {
  return [
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
      async handle({ caller, params }) {
        const data = await getDelivery(database, { ...caller, id: params.uuid })
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
      async handle({ caller, params: { uuid: id }, body }) {
        const { site_id: siteId, overwrite, status_only: statusOnly } = body
        await retryDelivery(database, { ...caller, id, siteId, overwrite, statusOnly })
        const data = await getDelivery(database, { ...caller, id })
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
      description: 'Only a retry, or a newer version of its document, brings it back.',
      params: uuidInPath,
      answers: {
        200: { description: 'The delivery, cancelled.', schema: answerWith(detailedDeliverySchema) },
      },
      failures: { 404: 'No such delivery in this account.', 409: 'It is under way, or was delivered.' },
      async handle({ caller, params: { uuid: id } }) {
        await cancelDelivery(database, { ...caller, id })
        const data = await getDelivery(database, { ...caller, id })
        return { status: 200, body: { success: true, data } }
      },
    }),
  ]
}
