import { z } from 'zod'
import { documentDataSchema } from '../../contract/document.ts'
import { uuid } from '../../contract/scalars.ts'
import { cancelDelivery, retryDelivery } from '../../delivery/api/actions.ts'
import { listCauses } from '../../delivery/api/causes.ts'
import { countByHour, countByStatus, countDeliveries } from '../../delivery/api/counts.ts'
import { getDelivery, listDeliveries } from '../../delivery/api/deliveries.ts'
import { deliveryFilterSchema, deliveryStatusSchema } from '../../delivery/api/filter.ts'
import { findRememberedPost, readRememberedText } from '../../delivery/api/remembered-text.ts'
import {
  causeSchema,
  countsSchema,
  deliverySchema,
  detailedDeliverySchema,
  editsSchema,
  hoursSchema,
  retrySchema,
  totalSchema,
} from '../../delivery/api/schema.ts'
import { readCurrentText } from '../../delivery/post-snapshot.ts'
import { deliveryWithoutSiteSchema } from '../../delivery/preview/preview.ts'
import { deliveriesOfDocument, isDuplicateDocument, receiveDirectly } from '../../intake/direct.ts'
import { loadSite } from '../../sites/health/load-site.ts'
import { siteUnknown } from '../../sites/registry.ts'
import { asCredentialError } from '../../sites/verify-credentials.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION } from '../request-body.ts'
import type { Services } from '../services.ts'
import { resolveSiteChoice, siteChoiceShape } from '../site-access.ts'
import { EXPORT_TYPES, everyPage, exportFormat } from '../streaming.ts'
import {
  booleanFlag,
  dataResponse,
  invalidRequest,
  listResponse,
  pageQuery,
  uuidInPath,
} from '../validation.ts'

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
      answers: { 200: { description: 'The delivery.', schema: dataResponse(detailedDeliverySchema) } },
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
      answers: {
        202: { description: 'The delivery, queued.', schema: dataResponse(detailedDeliverySchema) },
      },
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
        200: { description: 'The delivery, cancelled.', schema: dataResponse(detailedDeliverySchema) },
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

const deliveryListQuery = deliveryFilterSchema.extend({
  ...pageQuery.shape,
  sort: z
    .enum(['newest', 'oldest', 'updated'])
    .default('newest')
    .describe('By creation, or those that changed last first.'),
  cursor: z.string().optional().describe('`next_cursor` of the page before.'),
  total: booleanFlag.describe('Also count everything that matches.'),
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
      query: deliveryListQuery,
      answers: {
        200: {
          description: 'A page of deliveries.',
          schema: listResponse(deliverySchema).extend({ total: totalSchema }),
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
      answers: { 200: { description: 'The numbers.', schema: dataResponse(countsSchema) } },
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
      answers: { 200: { description: 'The numbers.', schema: dataResponse(hoursSchema) } },
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
          schema: dataResponse(z.array(causeSchema)).extend({
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

/** Milliseconds that somebody who reads the texts waits for room. */
const TEXT_MEMORY_WAIT_MS = 5_000

/** Bytes that one byte of a remembered text takes, with that of the site beside it. */
const TEXT_MEMORY_FACTOR = 8

/** What somebody has changed of a post since Galley wrote it. */
export function deliveryEditsEndpoints({
  database: { pool },
  keyring,
  outbound,
  budget,
}: Pick<Services, 'database' | 'keyring' | 'outbound' | 'budget'>): Endpoint[] {
  return [
    endpoint({
      method: 'get',
      path: '/v1/deliveries/{uuid}/edits',
      operationId: 'getDeliveryEdits',
      right: 'deliveries.read',
      tag: 'Deliveries',
      summary: 'Read what somebody has changed of the post: both texts',
      description: 'The site is asked for the post as it is now; nothing is written.',
      params: uuidInPath,
      answers: { 200: { description: 'Both texts.', schema: dataResponse(editsSchema) } },
      failures: {
        404: 'No such delivery in this account, or its site is not connected.',
        409: 'It has no post yet.',
        422: 'The site cannot be asked: `error.code` and the sentence say why.',
        503: MEMORY_BUSY_DESCRIPTION,
      },
      async handle({ caller, params: { uuid: id }, gone: signal }) {
        const { accountId } = caller
        const { siteId, postId, postType, bytes } = await findRememberedPost({ pool }, { ...caller, id })
        const found = await loadSite({ pool, keyring, outbound }, { accountId, id: siteId })
        if (found === null) throw siteUnknown({ accountId, id: siteId })
        const share = await budget.events.take(bytes * TEXT_MEMORY_FACTOR, {
          waitMs: TEXT_MEMORY_WAIT_MS,
          signal,
        })
        try {
          const { client } = found.open()
          const site = await asCredentialError(() => readCurrentText(client, { postType, postId }))
          const galley = await readRememberedText({ pool }, { ...caller, id })
          return { status: 200, body: { success: true, data: { galley, site } }, share }
        } catch (error) {
          share.release()
          throw error
        }
      },
    }),
  ]
}

/** Sites of one document: each is a row that is written in one transaction. */
const MAX_SITES_PER_DOCUMENT = 500

const directDeliveryBody = z.strictObject({
  id: uuid.describe(
    'UUID of the document. Sent again for the same site, it is a newer version of the same post.',
  ),
  data: documentDataSchema,
  delivery: deliveryWithoutSiteSchema.optional().describe('As in a webhook, without the site.'),
  ...siteChoiceShape(MAX_SITES_PER_DOCUMENT),
})

const directDeliveryAccepted = z.object({
  success: z.literal(true),
  id: uuid.describe('Of the event that it is stored as: GET /v1/events/{uuid}.'),
  data: z.array(
    z.object({
      id: uuid.describe('Of the delivery: GET /v1/deliveries/{uuid}.'),
      site_id: uuid,
      status: deliveryStatusSchema,
    }),
  ),
  warnings: z
    .array(z.object({ path: z.string(), message: z.string() }))
    .optional()
    .describe('What the request asks for, it seems, and is not done.'),
})

/** Documents that are handed over without a webhook. */
export function directDeliveryEndpoints({
  database: { pool },
  log,
  config: { maxWebhookBytes },
}: Pick<Services, 'database' | 'log' | 'config'>): Endpoint[] {
  return [
    endpoint({
      method: 'post',
      path: '/v1/deliveries',
      operationId: 'createDeliveries',
      right: 'deliveries.create',
      action: 'delivery.create',
      tag: 'Deliveries',
      summary: 'Deliver a document to one or several sites',
      description:
        'What a webhook would bring, without one. It is on disk when this answers; the deliveries go on by themselves. Each call is a newer version of the document: send an Idempotency-Key to repeat one safely.',
      body: directDeliveryBody,
      bodyLimit: maxWebhookBytes,
      idempotent: true,
      answers: {
        202: { description: 'Stored, with the delivery for each site.', schema: directDeliveryAccepted },
      },
      failures: {
        422: 'The document cannot be used, or a site is not one of the account: `details` names each mistake.',
      },
      async handle({ caller, body: { id: documentId, data, delivery = {}, ...choice }, making }) {
        const { accountId } = caller
        if (choice.site_ids === undefined && choice.labels === undefined)
          throw invalidRequest([{ path: 'body', message: 'names no site: give "site_ids" or "labels"' }])
        const siteIds = await resolveSiteChoice(pool, caller, choice, MAX_SITES_PER_DOCUMENT)
        const document = { accountId, eventId: making.id, documentId, data, delivery, siteIds }
        const before = making.againSince !== undefined && (await isDuplicateDocument(pool, document))
        const taken = before
          ? { deliveries: await deliveriesOfDocument(pool, document), ignored: [] }
          : await receiveDirectly(pool, log, document)
        if ('issues' in taken)
          throw invalidRequest(taken.issues.map(({ path, message }) => ({ path: `body.${path}`, message })))
        const { deliveries, ignored } = taken
        const asked = deliveries.map(({ id, siteId, status }) => ({ id, site_id: siteId, status }))
        const warnings = ignored.length === 0 ? {} : { warnings: ignored }
        return { status: 202, body: { success: true, id: making.id, data: asked, ...warnings } }
      },
    }),
  ]
}
