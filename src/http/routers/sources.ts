import { z } from 'zod'
import { listVisible } from '../../accounts/visibility.ts'
import {
  backfillDocumentSchema,
  backfillRequestSchema,
  listBackfillDocuments,
  requestBackfill,
} from '../../backfill/requests.ts'
import { singleLineText } from '../../contract/scalars.ts'
import { resumeSource } from '../../delivery/ledger/resume.ts'
import {
  eventBodySize,
  eventSchema,
  eventStatusSchema,
  eventWithBodySchema,
  getEvent,
  readEvents,
} from '../../intake/events.ts'
import { deleteSource } from '../../sources/removal.ts'
import {
  newSourceSchema,
  rotationSchema,
  sourcePatchSchema,
  sourceSchema,
  sourceWithSecretsSchema,
} from '../../sources/schema.ts'
import {
  createSource,
  getSource,
  listSources,
  requireVisibleLimits,
  rotateSource,
  updateSource,
} from '../../sources/sources.ts'
import { answers, booleanFlag, type Endpoint, endpoint, pageQuery, requireReachable } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION, MEMORY_WAIT_MS } from '../request-body.ts'
import type { Services } from '../services.ts'

/** The senders of webhooks, and the webhooks as they came. */
export function sourceEndpoints({ database, keyring, outbound, budget, config }: Services): Endpoint[] {
  const { prisma, pool } = database
  const { publicUrl } = config
  const store = { prisma, keyring, publicUrl }
  const changeFailures = { 409: 'SOURCE_BUILT_IN: it is Galley’s own source, which stays as it is.' }
  return [
    endpoint('POST /v1/sources', {
      operationId: 'createSource',
      right: 'sources.change',
      action: 'source.create',
      summary: 'Create a source: an address for one sender of webhooks',
      body: newSourceSchema,
      failures: { 422: 'A mistake in the request, UPSTREAM_ADDRESS_NEEDED or UPSTREAM_NEEDED.' },
      idempotent: true,
      answer: answers.created(
        'The source, with its address and a secret made for it, shown only once.',
        sourceWithSecretsSchema,
      ),
      async handle({ caller: { accountId, siteIds }, body, making: { id, againSince } }) {
        requireVisibleLimits(siteIds, body.limits)
        requireReachable(outbound, 'body.upstream_base_url', body.upstream_base_url)
        if (againSince) await prisma.source.deleteMany({ where: { id, accountId } })
        return createSource(store, { accountId, id, ...body })
      },
    }),
    endpoint('GET /v1/sources', {
      operationId: 'listSources',
      right: 'sources.read',
      summary: 'List the sources, the newest first',
      query: pageQuery.extend({
        unusable: booleanFlag.describe('Only those that sent webhooks that could not be used.'),
        search: singleLineText(200)
          .optional()
          .describe('Text that the name has, whatever its case; or an id.'),
      }),
      answer: answers.page('A page of sources.', sourceSchema),
      handle: ({ caller: { accountId, siteIds }, query }) =>
        listSources(store, { accountId, siteIds, ...query }),
    }),
    endpoint('GET /v1/sources/{uuid}', {
      operationId: 'getSource',
      right: 'sources.read',
      summary: 'Read a source',
      answer: answers.data('The source.', sourceSchema),
      handle: ({ caller: { accountId, siteIds }, params }) =>
        getSource(store, { accountId, siteIds, id: params.uuid }),
    }),
    endpoint('PATCH /v1/sources/{uuid}', {
      operationId: 'updateSource',
      right: 'sources.change',
      action: 'source.change',
      summary: 'Change a source, or disable it',
      body: sourcePatchSchema,
      answer: answers.data(
        'The source, with a secret made for it, shown only once.',
        sourceWithSecretsSchema.omit({ url: true }),
      ),
      failures: {
        ...changeFailures,
        422: 'A mistake in the request, UPSTREAM_KEY_NEEDED, UPSTREAM_ADDRESS_NEEDED or UPSTREAM_NEEDED.',
      },
      async handle({ caller: { accountId, siteIds }, params, body }) {
        const source = { accountId, id: params.uuid }
        await getSource(store, { ...source, siteIds })
        if (body.limits !== undefined) requireVisibleLimits(siteIds, body.limits)
        requireReachable(outbound, 'body.upstream_base_url', body.upstream_base_url)
        return updateSource(store, source, body, resumeSource)
      },
    }),
    endpoint('POST /v1/sources/{uuid}/rotate', {
      operationId: 'rotateSource',
      right: 'sources.change',
      action: 'source.rotate',
      summary: 'Give a source a new address; the old one keeps working for a while',
      body: rotationSchema,
      idempotent: true,
      answer: answers.data('The source, with its new address, shown only once.', sourceWithSecretsSchema),
      failures: changeFailures,
      async handle({ caller: { accountId, siteIds }, params, body, making }) {
        const source = { accountId, id: params.uuid }
        await getSource(store, { ...source, siteIds })
        return rotateSource(store, source, body, making.againSince)
      },
    }),
    endpoint('POST /v1/sources/{uuid}/backfill', {
      operationId: 'backfillSource',
      right: 'sources.change',
      action: 'source.backfill',
      summary: 'Ask the upstream of a source for documents that it never announced',
      body: backfillRequestSchema,
      answer: answers.data(
        'They are asked for soon, and until it is known what became of each.',
        z.object({ asked: z.int() }),
        202,
      ),
      failures: { 422: 'A mistake in the request, or UPSTREAM_NEEDED: the source has no upstream.' },
      async handle({ caller: { accountId, siteIds }, params, body }) {
        const source = { accountId, siteIds, id: params.uuid }
        return { asked: await requestBackfill({ prisma, pool }, source, body) }
      },
    }),
    endpoint('GET /v1/sources/{uuid}/backfill', {
      operationId: 'listBackfill',
      right: 'sources.read',
      summary: 'List the documents that the upstream of a source was asked for',
      query: pageQuery,
      answer: answers.page('A page of them, by document id.', backfillDocumentSchema),
      handle: ({ caller: { accountId, siteIds }, params, query }) =>
        listBackfillDocuments({ prisma }, { accountId, siteIds, id: params.uuid }, query),
    }),
    endpoint('DELETE /v1/sources/{uuid}', {
      operationId: 'removeSource',
      right: 'sources.change',
      action: 'source.remove',
      summary: 'Remove a source and the events it sent',
      answer: answers.removed,
      failures: {
        409: 'SOURCE_IN_USE: a delivery needs the document of one of its events. SOURCE_BUILT_IN: it is Galley’s own.',
      },
      async handle({ caller: { accountId, siteIds }, params }) {
        const source = { accountId, id: params.uuid }
        await getSource(store, { ...source, siteIds })
        await deleteSource(store, source)
        return params.uuid
      },
    }),
    endpoint('GET /v1/events', {
      operationId: 'listEvents',
      right: 'events.read',
      summary: 'List the webhooks received, the newest first',
      query: pageQuery.extend({ status: eventStatusSchema.optional() }),
      answer: answers.page('A page of webhooks, without their bodies.', eventSchema),
      handle: ({ caller, query }) =>
        listVisible(pool, caller, 'event', query, (ids) => readEvents(prisma, caller.accountId, ids)),
    }),
    endpoint('GET /v1/events/{uuid}', {
      operationId: 'getEvent',
      right: 'events.read',
      summary: 'Read a webhook as received',
      answer: answers.data('The webhook with its body.', eventWithBodySchema),
      failures: { 503: MEMORY_BUSY_DESCRIPTION },
      async handle({ caller: { accountId }, params: { uuid: id }, gone: signal, hold }) {
        const event = { accountId, id }
        const bytes = (await eventBodySize(prisma, event)) * EVENT_MEMORY_FACTOR
        hold(await budget.events.take(bytes, { waitMs: MEMORY_WAIT_MS, signal }))
        return getEvent(prisma, event)
      },
    }),
  ]
}

/** Bytes that one byte of a webhook takes on its way out: as the database gives it, as text, as JSON, and as sent. */
const EVENT_MEMORY_FACTOR = 4
