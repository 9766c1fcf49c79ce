import { seenIds } from '../../accounts/limits.ts'
import { eventSchema, eventStatusSchema, eventWithBodySchema } from '../../intake/event-schema.ts'
import { eventBytes, getEvent, listEvents } from '../../intake/events.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { NO_ROOM } from '../room.ts'
import { answerWith, listOf, page, uuidInPath } from '../schemas.ts'
import type { Services } from '../services.ts'

/** Milliseconds that somebody who reads a webhook waits for room. */
const WAIT_MS = 5_000

/** Bytes that one byte of a webhook takes on its way out: as the database gives it, as text, as JSON, and as sent. */
const WEIGHT_OF_EVENT = 4

/** The webhooks as they came; above all those that could not be used. */
export function eventEndpoints({
  database: { prisma, pool },
  budget,
}: Pick<Services, 'database' | 'budget'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/events',
      operationId: 'listEvents',
      right: 'events.read',
      tag: 'Events',
      summary: 'List the webhooks received, the newest first',
      query: page.extend({ status: eventStatusSchema.optional() }),
      answers: {
        200: { description: 'A page of webhooks, without their bodies.', schema: listOf(eventSchema) },
      },
      async handle({ caller, query }) {
        const { accountId } = caller
        const ids = await seenIds(pool, caller, 'event', query, { status: query.status })
        const { items, nextCursor } = await listEvents(prisma, { accountId, ids, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/events/{uuid}',
      operationId: 'getEvent',
      right: 'events.read',
      tag: 'Events',
      summary: 'Read a webhook as received',
      params: uuidInPath,
      answers: {
        200: { description: 'The webhook with its body.', schema: answerWith(eventWithBodySchema) },
      },
      failures: {
        404: 'No such event in this account.',
        503: NO_ROOM,
      },
      async handle({ caller: { accountId }, params: { uuid: id }, gone: signal }) {
        const event = { accountId, id }
        const bytes = (await eventBytes(prisma, event)) * WEIGHT_OF_EVENT
        const share = await budget.events.take(bytes, { waitMs: WAIT_MS, signal })
        try {
          return { status: 200, body: { success: true, data: await getEvent(prisma, event) }, share }
        } catch (error) {
          share.release()
          throw error
        }
      },
    }),
  ]
}
