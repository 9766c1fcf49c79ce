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
import {
  answers,
  type Endpoint,
  endpoint,
  invalidRequest,
  JOB_LIMIT_DESCRIPTION,
  pageQuery,
} from '../endpoint.ts'
import type { Services } from '../services.ts'

export function bulkEndpoints({ database }: Services): Endpoint[] {
  const { prisma, pool } = database
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
    endpoint('POST /v1/bulk', {
      operationId: 'createBulk',
      right: 'deliveries.act',
      action: 'bulk.create',
      idempotent: true,
      summary: 'Do one thing to everything that matches a filter',
      description:
        'retry, release, move, overwrite, withdraw and cancel act on deliveries; label, settings, undo, check, mail_owner, pause and resume on sites, and need the right `sites.change`. A filter of deliveries that names no status leaves out those delivered, withdrawn or cancelled; for withdraw it means those delivered. What matches now is written down first; whatever has changed when its turn comes is skipped. Try it with dry_run.',
      body: newBulkSchema,
      failures: { 429: JOB_LIMIT_DESCRIPTION },
      answer: answers.created('The job is stored.', bulkSchema, 202),
      async handle({ caller, body, making }) {
        await mayAsk(caller, body)
        const { accountId, keyId, siteIds } = caller
        await storeBulk(pool, { ...body, accountId, keyId, siteIds, id: making.id })
        return getBulk(prisma, caller, making.id)
      },
    }),
    endpoint('GET /v1/bulk', {
      operationId: 'listBulk',
      right: 'deliveries.read',
      summary: 'List the bulk jobs, the newest first',
      query: pageQuery,
      answer: answers.page('A page of jobs.', bulkSchema),
      handle: ({ caller, query }) => listBulk(prisma, caller, query),
    }),
    endpoint('GET /v1/bulk/{uuid}', {
      operationId: 'getBulk',
      right: 'deliveries.read',
      summary: 'Read the progress and the report of a bulk job',
      answer: answers.data('The job.', bulkSchema),
      handle: ({ caller, params }) => getBulk(prisma, caller, params.uuid),
    }),
    endpoint('GET /v1/bulk/{uuid}/items', {
      operationId: 'listBulkItems',
      right: 'deliveries.read',
      summary: 'List what became of each delivery or site of a bulk job',
      query: pageQuery.extend({ outcome: outcomeSchema.optional() }),
      answer: answers.page('A page of them, by id.', bulkItemSchema),
      handle: ({ caller, params: { uuid: id }, query }) => listBulkItems(prisma, caller, { id, ...query }),
    }),
    endpoint('POST /v1/bulk/{uuid}/cancel', {
      operationId: 'cancelBulk',
      right: 'deliveries.act',
      action: 'bulk.cancel',
      summary: 'Cancel a bulk job',
      description: 'What is under way is finished, and nothing more is started. What was done stays done.',
      answer: answers.data('The job.', bulkSchema),
      handle: ({ caller, params }) => cancelBulk(prisma, caller, params.uuid),
    }),
  ]
}
