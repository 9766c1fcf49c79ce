import type { Caller } from '../../accounts/authenticate.ts'
import { storeBulk } from '../../bulk/job.ts'
import {
  actions,
  bulkItemSchema,
  bulkSchema,
  isDeliveryAction,
  type NewBulk,
  newBulkSchema,
  outcomeSchema,
} from '../../bulk/schema.ts'
import { cancelBulk, getBulk, listBulk, listBulkItems } from '../../bulk/view.ts'
import { hasSite } from '../../sites/registry.ts'
import { requireRight } from '../authentication.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import {
  createdResponse,
  dataResponse,
  invalidRequest,
  listResponse,
  pageQuery,
  uuidInPath,
} from '../validation.ts'

/** One action on everything that matches a filter. */
export function bulkEndpoints({ database: { prisma, pool } }: Pick<Services, 'database'>): Endpoint[] {
  const failures = { 404: 'No such bulk job that this key sees.' }
  /** What the endpoint's own right does not say. */
  const mayAsk = async (caller: Caller, { action, parameters }: NewBulk) => {
    if (!isDeliveryAction(action)) requireRight(caller, 'sites.change')
    if (action !== 'move') return
    const { accountId, siteIds } = caller
    const { site_id: id } = actions.move.parse(parameters)
    if ((siteIds === null || siteIds.includes(id)) && (await hasSite({ prisma }, { accountId, id }))) return
    throw invalidRequest([{ path: 'body.parameters.site_id', message: 'is not a site of this account' }])
  }
  return [
    endpoint({
      method: 'post',
      path: '/v1/bulk',
      operationId: 'createBulk',
      right: 'deliveries.act',
      action: 'bulk.create',
      idempotent: true,
      tag: 'Bulk',
      summary: 'Do one thing to everything that matches a filter',
      description:
        'retry, release, move, overwrite and cancel act on deliveries; label, settings, check, pause and resume on sites, and need the right `sites.change`. A filter of deliveries that names no status leaves out those delivered or cancelled. What matches now is written down first; whatever has changed when its turn comes is skipped. Try it with dry_run.',
      body: newBulkSchema,
      answers: { 202: { description: 'The job is stored.', schema: createdResponse(bulkSchema) } },
      async handle({ caller, body, making }) {
        await mayAsk(caller, body)
        const { accountId, keyId, siteIds } = caller
        const id = await storeBulk(pool, { ...body, accountId, keyId, siteIds, id: making.id })
        return { status: 202, body: { success: true, id, data: await getBulk(prisma, caller, id) } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/bulk',
      operationId: 'listBulk',
      right: 'deliveries.read',
      tag: 'Bulk',
      summary: 'List the bulk jobs, the newest first',
      query: pageQuery,
      answers: { 200: { description: 'A page of jobs.', schema: listResponse(bulkSchema) } },
      async handle({ caller, query }) {
        const { items, nextCursor } = await listBulk(prisma, caller, query)
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/bulk/{uuid}',
      operationId: 'getBulk',
      right: 'deliveries.read',
      tag: 'Bulk',
      summary: 'Read the progress and the report of a bulk job',
      params: uuidInPath,
      answers: { 200: { description: 'The job.', schema: dataResponse(bulkSchema) } },
      failures,
      async handle({ caller, params }) {
        return { status: 200, body: { success: true, data: await getBulk(prisma, caller, params.uuid) } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/bulk/{uuid}/items',
      operationId: 'listBulkItems',
      right: 'deliveries.read',
      tag: 'Bulk',
      summary: 'List what became of each delivery or site of a bulk job',
      params: uuidInPath,
      query: pageQuery.extend({ outcome: outcomeSchema.optional() }),
      answers: { 200: { description: 'A page of them, by id.', schema: listResponse(bulkItemSchema) } },
      failures,
      async handle({ caller, params: { uuid: id }, query }) {
        const { items, nextCursor } = await listBulkItems(prisma, caller, { id, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/bulk/{uuid}/cancel',
      operationId: 'cancelBulk',
      right: 'deliveries.act',
      action: 'bulk.cancel',
      tag: 'Bulk',
      summary: 'Cancel a bulk job',
      description: 'What is under way is finished, and nothing more is started. What was done stays done.',
      params: uuidInPath,
      answers: { 200: { description: 'The job.', schema: dataResponse(bulkSchema) } },
      failures,
      async handle({ caller, params }) {
        return { status: 200, body: { success: true, data: await cancelBulk(prisma, caller, params.uuid) } }
      },
    }),
  ]
}
