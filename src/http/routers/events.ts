import { eventSchema, eventStatusSchema, eventWithBodySchema } from '../../intake/event-schema.ts'
import { getEvent, listEvents } from '../../intake/events.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { answerWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** The webhooks as they came; above all those that could not be used. */
export function eventEndpoints({ database: { prisma } }: Pick<Services, 'database'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/events',
      operationId: 'listEvents',
      tag: 'Events',
      summary: 'List the webhooks received, the newest first',
      query: page.extend({ status: eventStatusSchema.optional() }),
      answers: {
        200: { description: 'A page of webhooks, without their bodies.', schema: listOf(eventSchema) },
      },
      async handle({ caller: { accountId }, query }) {
        const { items, nextCursor } = await listEvents(prisma, { accountId, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/events/{uuid}',
      operationId: 'getEvent',
      tag: 'Events',
      summary: 'Read a webhook as received',
      params: uuidInPath,
      answers: {
        200: { description: 'The webhook with its body.', schema: answerWith(eventWithBodySchema) },
      },
      failures: { 404: 'No such event in this account.' },
      async handle({ caller: { accountId }, params }) {
        const data = await getEvent(prisma, { accountId, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
  ]
}
