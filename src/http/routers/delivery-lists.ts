import { z } from 'zod'
import { listCauses } from '../../delivery/api/causes.ts'
import { countByStatus, countDeliveries } from '../../delivery/api/counts.ts'
import { deliveryFilterSchema } from '../../delivery/api/filter.ts'
import { countByHour } from '../../delivery/api/hours.ts'
import { listDeliveries } from '../../delivery/api/list.ts'
import {
  causeSchema,
  countsSchema,
  deliverySchema,
  hoursSchema,
  totalSchema,
} from '../../delivery/api/schema.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { EXPORT_TYPES, everyPage, exportFormat } from '../export.ts'
import { answerWith, flag, listOf, page } from '../schemas.ts'
import type { Services } from '../services.ts'

const listing = deliveryFilterSchema.extend({
  ...page.shape,
  sort: z
    .enum(['newest', 'oldest', 'updated'])
    .default('newest')
    .describe('By creation, or those that changed last first.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
  total: flag.describe('Also count everything that matches.'),
})

/** What became of each document. Before the calls that name one: `counts` is no id. */
export function deliveryListEndpoints({ database }: Pick<Services, 'database'>): Endpoint[] {
  const { pool } = database
  return [
    endpoint({
      method: 'get',
      path: '/v1/deliveries',
      operationId: 'listDeliveries',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'List the deliveries that match, the newest first',
      description:
        'A page may have fewer items than `limit`, or none, and yet a `next_cursor`: where matches are rare, Galley looks at a limited number of deliveries for a page, and the next page continues from there. The last page has none.',
      query: listing,
      answers: {
        200: {
          description: 'A page of deliveries.',
          schema: listOf(deliverySchema).extend({ total: totalSchema }),
        },
      },
      failures: { 422: 'A mistake in the request, or a cursor of another order.' },
      async handle({ caller, query: { limit, cursor, sort, total, ...filter } }) {
        const list = await listDeliveries(database, caller, { filter, sort, limit, cursor })
        const counted = total ? { total: await countDeliveries(pool, caller, filter) } : {}
        return {
          status: 200,
          body: { success: true, data: list.items, next_cursor: list.nextCursor, ...counted },
        }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/deliveries/counts',
      operationId: 'countDeliveries',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Count the deliveries that match, by outcome and by what is wrong',
      query: deliveryFilterSchema,
      answers: { 200: { description: 'The numbers.', schema: answerWith(countsSchema) } },
      async handle({ caller, query }) {
        const [by_status, { causes, more }] = await Promise.all([
          countByStatus(pool, caller, query),
          listCauses(database, caller, query),
        ])
        const by_code = causes.map(({ code, count, held, failed }) => ({ code, count, held, failed }))
        return { status: 200, body: { success: true, data: { by_status, by_code, by_code_more: more } } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/deliveries/hours',
      operationId: 'countDeliveriesByHour',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Count the deliveries that match by hour and outcome, with the time to post',
      query: deliveryFilterSchema.extend({
        created_from: deliveryFilterSchema.shape.created_from.unwrap(),
      }),
      answers: { 200: { description: 'The numbers.', schema: answerWith(hoursSchema) } },
      async handle({ caller, query }) {
        return { status: 200, body: { success: true, data: await countByHour(pool, caller, query) } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/causes',
      operationId: 'listCauses',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Group what is held or failed by what must be done',
      query: deliveryFilterSchema,
      answers: {
        200: {
          description: 'Every cause, the most frequent first.',
          schema: answerWith(z.array(causeSchema)).extend({
            more: z.boolean().describe('Not all deliveries were looked at: there are at least this many.'),
          }),
        },
      },
      async handle({ caller, query }) {
        const { causes, more } = await listCauses(database, caller, query)
        return { status: 200, body: { success: true, data: causes, more } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/deliveries/export',
      operationId: 'exportDeliveries',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Export the deliveries that match, the newest first',
      query: deliveryFilterSchema.extend({ format: exportFormat }),
      answers: {
        200: { description: 'All that match.', schema: z.string(), types: Object.values(EXPORT_TYPES) },
      },
      async handle({ caller, query: { format, ...filter } }) {
        const parts = everyPage((page) =>
          listDeliveries(database, caller, { filter, sort: 'newest', ...page }),
        )
        const columns = Object.keys(deliverySchema.shape)
        return { status: 200, parts, format, columns, name: 'galley-deliveries' }
      },
    }),
  ]
}
