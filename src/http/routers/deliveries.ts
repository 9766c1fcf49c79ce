import { z } from 'zod'
import type { Caller } from '../../accounts/authenticate.ts'
import { DOCUMENT_MEMORY_FACTOR } from '../../bytes/budget.ts'
import { deliveryWithoutSiteSchema, limitStatus } from '../../contract/delivery.ts'
import { postFieldShape } from '../../contract/post-fields.ts'
import {
  documentIdSchema,
  nameDocument,
  oneOrMany,
  referenceSchema,
  timestampParam,
  uuid,
} from '../../contract/scalars.ts'
import { sentDataSchema } from '../../contract/webhook.ts'
import { cancelDelivery, retryDelivery, undoDelivery, withdrawDelivery } from '../../delivery/api/actions.ts'
import {
  countByHour,
  countByStatus,
  countDeliveries,
  countPosts,
  listCauses,
} from '../../delivery/api/counts.ts'
import {
  compareTexts,
  findRememberedPost,
  getDelivery,
  listDeliveries,
  readRememberedTexts,
} from '../../delivery/api/deliveries.ts'
import { deliveryFilterSchema, deliveryStatusSchema } from '../../delivery/api/filter.ts'
import {
  causeSchema,
  countsSchema,
  type DeliveryView,
  deliverySchema,
  detailedDeliverySchema,
  editsSchema,
  hoursSchema,
  retrySchema,
  totalSchema,
  withdrawSchema,
} from '../../delivery/api/schema.ts'
import { followVisited } from '../../delivery/follow/follow.ts'
import { readCurrentText } from '../../delivery/post-snapshot.ts'
import { sourceChoice } from '../../delivery/preview/schema.ts'
import type { Warning } from '../../errors.ts'
import type { IdempotentExecution } from '../../idempotency/idempotency.ts'
import { deliveriesOfDocument, isDuplicateDocument, receiveDirectly } from '../../intake/direct.ts'
import { eventBodySize, readEventDocument } from '../../intake/events.ts'
import { type CsvColumns, memberColumns } from '../../lib/csv.ts'
import { formatLabels } from '../../lib/label-list.ts'
import { requireSite } from '../../sites/health/load-site.ts'
import type { SiteChoice } from '../../sites/list.ts'
import { asCredentialError } from '../../sites/verify-credentials.ts'
import { MAX_SITES_PER_DOCUMENT } from '../../sources/sender.ts'
import { fillFromSource } from '../../sources/sources.ts'
import { answers, booleanFlag, type Endpoint, endpoint, invalidRequest, pageQuery } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION, MEMORY_WAIT_MS } from '../request-body.ts'
import type { Services } from '../services.ts'
import { resolveSiteChoice, siteChoiceShape } from '../site-access.ts'
import { exportAnswer, exportFormat, exportList } from '../streaming.ts'

const NO_DELIVERY = 'DELIVERY_NOT_FOUND: there is no such delivery that this key sees.'

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
export function deliveryEndpoints({
  database,
  keyring,
  outbound,
  budget,
  log,
  config,
}: Services): Endpoint[] {
  const { maxWebhookBytes } = config
  const { pool } = database
  return [
    endpoint('GET /v1/deliveries', {
      operationId: 'listDeliveries',
      right: 'deliveries.read',
      summary: 'List the deliveries that match, the newest first',
      description:
        'A page may have fewer items than `limit`, or none, and yet a `next_cursor`: where matches are rare, Galley looks at a limited number of deliveries for a page, and the next page continues from there. The last page has none.',
      query: deliveryListQuery,
      answer: answers.page('A page of deliveries.', deliverySchema, { total: totalSchema }),
      failures: { 422: 'A mistake in the request, or CURSOR_UNFIT: a cursor of another order.' },
      async handle({ caller, query: { limit, cursor, sort, total, ...filter } }) {
        const list = await listDeliveries(pool, caller, { filter, sort, limit, cursor })
        const counted = total ? { total: await countDeliveries(pool, caller, filter) } : {}
        return { ...list, ...counted }
      },
    }),
    endpoint('GET /v1/deliveries/counts', {
      operationId: 'countDeliveries',
      right: 'deliveries.read',
      summary: 'Count the deliveries that match, by outcome and by what is wrong',
      query: deliveryFilterSchema,
      answer: answers.data('The numbers.', countsSchema),
      async handle({ caller, query }) {
        const [by_status, { causes, more }, posts] = await Promise.all([
          countByStatus(pool, caller, query),
          listCauses(pool, caller, query),
          countPosts(pool, caller, query),
        ])
        const by_code = causes.map(({ code, count, held, failed }) => ({ code, count, held, failed }))
        return { by_status, by_code, by_code_more: more, ...posts }
      },
    }),
    endpoint('GET /v1/deliveries/hours', {
      operationId: 'countDeliveriesByHour',
      right: 'deliveries.read',
      summary: 'Count the deliveries that match by hour and outcome, with the time to post',
      // What the index has from which all that match are read.
      query: deliveryFilterSchema
        .pick({ site_id: true, label: true, status: true, created_from: true, created_to: true })
        .required({ created_from: true })
        .extend({
          begins: oneOrMany(timestampParam)
            .transform((begins) => begins.toSorted())
            .optional()
            .describe(
              'When each span begins that is counted instead of hours, such as the days of your zone.',
            ),
        }),
      answer: answers.data('The numbers.', hoursSchema),
      handle: ({ caller, query }) => countByHour(pool, caller, query),
    }),
    endpoint('GET /v1/causes', {
      operationId: 'listCauses',
      right: 'deliveries.read',
      summary: 'Group what is held or failed by what must be done',
      query: deliveryFilterSchema,
      answer: answers.members('Every cause, the most frequent first.', {
        data: z.array(causeSchema),
        more: z.boolean().describe('Not all deliveries were counted: there are at least this many.'),
      }),
      async handle({ caller, query }) {
        const { causes: data, more } = await listCauses(pool, caller, query)
        return { data, more }
      },
    }),
    endpoint('GET /v1/deliveries/export', {
      operationId: 'exportDeliveries',
      right: 'deliveries.read',
      summary: 'Export the deliveries that match, the newest first',
      query: deliveryFilterSchema.extend({ format: exportFormat }),
      answer: exportAnswer,
      handle: ({ caller, query: { format, ...filter } }) =>
        exportList({ name: 'deliveries', format, columns: deliveryColumns }, (page) =>
          listDeliveries(pool, caller, { filter, sort: 'newest', ...page }),
        ),
    }),
    endpoint('GET /v1/deliveries/{uuid}', {
      operationId: 'getDelivery',
      right: 'deliveries.read',
      summary: 'Read a delivery, step by step',
      failures: { 404: NO_DELIVERY },
      answer: answers.data('The delivery.', detailedDeliverySchema),
      async handle({ caller, params }) {
        const delivery = await getDelivery(pool, { ...caller, id: params.uuid })
        if (caller.sessionId)
          await followVisited(pool, { ...caller, id: delivery.site_id, deliveryId: delivery.id })
        return delivery
      },
    }),
    endpoint('POST /v1/deliveries/{uuid}/retry', {
      operationId: 'retryDelivery',
      right: 'deliveries.act',
      action: 'delivery.retry',
      summary: 'Retry a delivery at once, on its site or on another',
      body: retrySchema,
      answer: answers.data('The delivery, queued.', detailedDeliverySchema, 202),
      failures: {
        404: NO_DELIVERY,
        409: 'DELIVERY_UNDER_WAY, DELIVERY_EXISTS, DOCUMENT_THINNED, or DELIVERY_HAS_POST: it may have a post already and cannot move to another site.',
        422: 'A mistake in the request, or SITE_UNKNOWN.',
      },
      handle({ caller, params, body }) {
        const { site_id: siteId, overwrite, status_only: statusOnly, merge, on_loss: onLoss } = body
        const choice = { siteId, overwrite, statusOnly, merge, onLoss }
        return acted({ ...caller, id: params.uuid }, (one) => retryDelivery(pool, { ...one, ...choice }))
      },
    }),
    endpoint('POST /v1/deliveries/{uuid}/undo', {
      operationId: 'undoDelivery',
      right: 'deliveries.act',
      action: 'delivery.undo',
      summary: 'Put back the edited text that a choice replaced',
      description:
        'For a day after `overwrite` or `merge` of a retry. It is written only if the post is as Galley left it; the delivery then ends as `kept`. Else nothing is written, and the delivery has the warning `undo_refused`.',
      answer: answers.data('The delivery, queued.', detailedDeliverySchema, 202),
      failures: {
        404: NO_DELIVERY,
        409: 'DELIVERY_UNDER_WAY, or NOTHING_TO_UNDO: see `undo_until`.',
        422: 'A mistake in the request, or SITE_UNKNOWN.',
      },
      handle: ({ caller, params }) => acted({ ...caller, id: params.uuid }, (one) => undoDelivery(pool, one)),
    }),
    endpoint('POST /v1/deliveries/{uuid}/withdraw', {
      operationId: 'withdrawDelivery',
      right: 'deliveries.act',
      action: 'delivery.withdraw',
      summary: 'Withdraw the post of a delivery: back to a draft, or to the trash',
      description:
        'The delivery waits for its turn and its site as any, and ends as `withdrawn`. It is held (`post_changed`) where a person has changed the post, unless `force` is true. A retry, or a newer version of its document, takes the place of a withdrawal that waits, and delivers to the same post after one.',
      body: withdrawSchema,
      answer: answers.data('The delivery, queued.', detailedDeliverySchema, 202),
      failures: {
        404: NO_DELIVERY,
        409: 'DELIVERY_UNDER_WAY, or DELIVERY_HAS_NO_POST.',
        422: 'A mistake in the request, or SITE_UNKNOWN.',
      },
      handle: ({ caller, params, body }) =>
        acted({ ...caller, id: params.uuid }, (one) => withdrawDelivery(pool, { ...one, ...body })),
    }),
    endpoint('POST /v1/deliveries/{uuid}/cancel', {
      operationId: 'cancelDelivery',
      right: 'deliveries.act',
      action: 'delivery.cancel',
      summary: 'Cancel a delivery or withdrawal that waits or has failed',
      description:
        'Only a retry, or a newer version of its document, brings it back. A delivery that waits because somebody edited its post ends as `kept`: the post stays as it is.',
      answer: answers.data('The delivery, cancelled.', detailedDeliverySchema),
      failures: {
        404: NO_DELIVERY,
        409: 'DELIVERY_UNDER_WAY, or DELIVERY_DONE: it was delivered or withdrawn.',
      },
      handle: ({ caller, params }) =>
        acted({ ...caller, id: params.uuid }, (one) => cancelDelivery(pool, one)),
    }),
    endpoint('GET /v1/deliveries/{uuid}/edits', {
      operationId: 'getDeliveryEdits',
      right: 'deliveries.read',
      summary: 'Compare what Galley wrote with what stands on the site and with the version that waits',
      description: 'The site is asked for the post as it is now; nothing is written.',
      answer: answers.data('The texts, and their merge.', editsSchema),
      failures: {
        404: 'No such delivery in this account, or its site is not connected.',
        409: 'It has no post yet.',
        422: 'The site cannot be asked: `error.code` and the sentence say why.',
        503: MEMORY_BUSY_DESCRIPTION,
      },
      async handle({ caller, params: { uuid: id }, gone: signal, hold }) {
        const { accountId } = caller
        const { siteId, postId, postType, bytes } = await findRememberedPost(pool, { ...caller, id })
        const found = await requireSite({ pool, keyring, outbound }, { accountId, id: siteId })
        hold(await budget.events.take(bytes * TEXT_MEMORY_FACTOR, { waitMs: MEMORY_WAIT_MS, signal }))
        const { client } = found.open()
        const site = await asCredentialError(() => readCurrentText(client, { postType, postId }))
        return compareTexts(await readRememberedTexts(pool, { ...caller, id }), site)
      },
    }),
    endpoint('POST /v1/deliveries', {
      operationId: 'createDeliveries',
      right: 'deliveries.create',
      action: 'delivery.create',
      summary: 'Deliver a document to one or several sites',
      description:
        'What a webhook would bring, without one. It is on disk when this answers; the deliveries go on by themselves. Each call is a newer version of the document: send an Idempotency-Key to repeat one safely.',
      body: directDeliveryBody,
      bodyLimit: maxWebhookBytes,
      idempotent: true,
      answer: answers.own('Stored, with the delivery for each site.', directDeliveryAccepted, {
        status: 202,
      }),
      failures: {
        422: 'The document cannot be used, or a site is not one of the account: `details` names each mistake.',
      },
      async handle({ caller, body: { id, data, delivery: said = {}, source_id, ...choice }, making }) {
        const source = { accountId: caller.accountId, sourceId: source_id }
        const { delivery, limited } = await fillFromSource(pool, source, said)
        return deliver(caller, making, { id: id ?? making.id, data, delivery }, choice, limited)
      },
    }),
    endpoint('POST /v1/events/{uuid}/deliver', {
      operationId: 'deliverEvent',
      right: 'deliveries.create',
      action: 'delivery.create',
      summary: 'Deliver the document of a stored event to one or several sites',
      description:
        'Later than it came, or elsewhere. What `delivery` leaves out is as the event asked for it, or as its source says; the limit of the source holds here too.',
      body: z.strictObject(deliveryChoiceShape),
      idempotent: true,
      answer: answers.own('Stored, with the delivery for each site.', directDeliveryAccepted, {
        status: 202,
      }),
      failures: {
        404: 'There is no such event that this key sees.',
        409: 'EVENT_WITHOUT_DOCUMENT: it is another event, or its document was removed for its age.',
        422: 'The document cannot be used, or a site is not one of the account: `details` names each mistake.',
        503: MEMORY_BUSY_DESCRIPTION,
      },
      async handle({ caller, params: { uuid: id }, body, making, gone: signal, hold }) {
        const event = { accountId: caller.accountId, id }
        const bytes = (await eventBodySize(database.prisma, event)) * DOCUMENT_MEMORY_FACTOR
        hold(await budget.documents.take(bytes, { waitMs: MEMORY_WAIT_MS, signal }))
        const { delivery: asked, limit, ...document } = await readEventDocument(pool, event)
        const { delivery: { metadata, ...others } = {}, ...choice } = body
        const wanted = { ...asked, ...others, metadata: { ...asked.metadata, ...metadata } }
        const { status, limited } = limitStatus(limit, wanted.post_status)
        const delivery = { ...wanted, post_status: status }
        return deliver(caller, making, { ...document, delivery }, choice, limited)
      },
    }),
  ]

  /** The delivery as it is once something was done with it. */
  async function acted<Asked extends Caller & { id: string }>(
    one: Asked,
    act: (one: Asked) => Promise<unknown>,
  ) {
    await act(one)
    return getDelivery(pool, one)
  }

  /** @throws GalleyError 422 `INVALID_REQUEST` */
  async function deliver(
    caller: Caller,
    { id: eventId, againSince }: IdempotentExecution,
    { id, data, delivery }: { id: string; data: unknown; delivery: Record<string, unknown> },
    choice: SiteChoice,
    limited: readonly Warning[] = [],
  ) {
    const { accountId } = caller
    if (choice.site_ids === undefined && choice.labels === undefined)
      throw invalidRequest([{ path: 'body', message: 'names no site: give "site_ids" or "labels"' }])
    const siteIds = await resolveSiteChoice(pool, caller, choice, MAX_SITES_PER_DOCUMENT)
    const { documentId, reference: ownId } = nameDocument(accountId, id)
    const name = { documentId, reference: ownId ?? referenceIn(delivery) }
    const document = { accountId, eventId, id, ...name, data, delivery, siteIds }
    const before = againSince !== undefined && (await isDuplicateDocument(pool, document))
    const result = before
      ? { deliveries: await deliveriesOfDocument(pool, document), ignored: [] }
      : await receiveDirectly(pool, log, document)
    if ('issues' in result)
      throw invalidRequest(result.issues.map(({ path, message }) => ({ path: `body.${path}`, message })))
    const { deliveries } = result
    const ignored = [
      ...limited.map(({ message }) => ({ path: 'delivery.post_status', message })),
      ...result.ignored,
    ]
    const accepted = deliveries.map(({ id, siteId, status }) => ({ id, site_id: siteId, status }))
    const warnings = ignored.length === 0 ? {} : { warnings: ignored }
    const { documentId: document_id, reference } = name
    return {
      status: 202 as const,
      body: { success: true as const, id: eventId, document_id, reference, data: accepted, ...warnings },
      ...(accepted.length === 1 && { subject: accepted[0]?.id as string }),
    }
  }
}

const deliveryColumns: CsvColumns<DeliveryView> = {
  ...memberColumns<DeliveryView>('id', 'document_id', 'reference', 'title', 'status', 'site_id'),
  site_name: ({ site }) => site?.name,
  site_labels: ({ site }) => formatLabels(site?.labels ?? []),
  source_id: ({ source }) => source?.id,
  source_name: ({ source }) => source?.name,
  step: ({ stands }) => stands.step,
  outcome: ({ stands }) => stands.outcome,
  waits_for: ({ stands }) => stands.waits_for,
  post_id: ({ post }) => post?.id,
  post_url: ({ post }) => post?.url,
  post_status: ({ post }) => post?.status,
  post_modified_at: ({ post }) => post?.modified_at,
  post_modified_by: ({ post }) => post?.modified_by,
  ...memberColumns<DeliveryView>('withdraw_to'),
  error_code: ({ error }) => error?.code,
  error_message: ({ error }) => error?.message,
  warnings: ({ warnings }) =>
    warnings.map(({ code, message, severity }) => `${severity}: ${code}: ${message}`).join(' | '),
  ...memberColumns<DeliveryView>('attempts', 'next_attempt_at', 'created_at', 'updated_at'),
}

const withReference = z.object({ metadata: z.object({ reference: postFieldShape.reference }) })

/** The sender's own name of a document whose id is a UUID. */
const referenceIn = (delivery: unknown): string | null =>
  withReference.safeParse(delivery).data?.metadata.reference ?? null

/** Bytes that one byte of a remembered text takes, with that of the site beside it. */
const TEXT_MEMORY_FACTOR = 8

const deliveryChoiceShape = {
  delivery: deliveryWithoutSiteSchema.optional().describe('As in a webhook, without the site.'),
  ...siteChoiceShape(MAX_SITES_PER_DOCUMENT),
}

const directDeliveryBody = z.strictObject({
  id: documentIdSchema
    .nullish()
    .describe(
      'UUID of the document, or your own reference. Sent again for the same site, it is a newer version of the same post. Left out, Galley makes a UUID, which the answer names.',
    ),
  data: sentDataSchema,
  ...deliveryChoiceShape,
  source_id: sourceChoice,
})

const directDeliveryAccepted = z.object({
  success: z.literal(true),
  id: uuid.describe('Of the event that it is stored as: GET /v1/events/{uuid}.'),
  document_id: uuid,
  reference: referenceSchema,
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
