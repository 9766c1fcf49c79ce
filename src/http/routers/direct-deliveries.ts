import { z } from 'zod'
import { documentDataSchema } from '../../contract/document.ts'
import { uuid } from '../../contract/wire.ts'
import { deliveryStatusSchema } from '../../delivery/api/filter.ts'
import { deliveryWithoutSiteSchema } from '../../delivery/preview/schema.ts'
import { deliveriesOf, takeDirectly, wasTaken } from '../../intake/direct.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import type { Services } from '../services.ts'
import { invalidRequest } from '../validation.ts'
import { choiceOf, readChoice } from './choice.ts'

/** Sites of one document: each is a row that is written in one transaction. */
const MOST_SITES = 500

const body = z.strictObject({
  id: uuid.describe(
    'UUID of the document. Sent again for the same site, it is a newer version of the same post.',
  ),
  data: documentDataSchema,
  delivery: deliveryWithoutSiteSchema.optional().describe('As in a webhook, without the site.'),
  ...choiceOf(MOST_SITES),
})

const accepted = z.object({
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
      body,
      bodyLimit: maxWebhookBytes,
      idempotent: true,
      answers: { 202: { description: 'Stored, with the delivery for each site.', schema: accepted } },
      failures: {
        422: 'The document cannot be used, or a site is not one of the account: `details` names each mistake.',
      },
      async handle({ caller, body: { id: documentId, data, delivery = {}, ...choice }, making }) {
        const { accountId } = caller
        if (choice.site_ids === undefined && choice.labels === undefined)
          throw invalidRequest([{ path: 'body', message: 'names no site: give "site_ids" or "labels"' }])
        const siteIds = await readChoice(pool, caller, choice, MOST_SITES)
        const document = { accountId, eventId: making.id, documentId, data, delivery, siteIds }
        const before = making.againSince !== undefined && (await wasTaken(pool, document))
        const taken = before
          ? { deliveries: await deliveriesOf(pool, document), ignored: [] }
          : await takeDirectly(pool, log, document)
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
