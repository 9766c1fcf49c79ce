import { z } from 'zod'
import { visibleIds } from '../../accounts/visibility.ts'
import {
  backfillDocumentSchema,
  backfillRequestSchema,
  listBackfillDocuments,
  requestBackfill,
} from '../../backfill/requests.ts'
import { resumeSource } from '../../delivery/ledger/pause-and-resume.ts'
import {
  eventBodySize,
  eventSchema,
  eventStatusSchema,
  eventWithBodySchema,
  getEvent,
  listEvents,
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
  requireVisibleSource,
  rotateSource,
  updateSource,
} from '../../sources/sources.ts'
import { type Endpoint, endpoint } from '../endpoint.ts'
import { MEMORY_BUSY_DESCRIPTION } from '../request-body.ts'
import type { Services } from '../services.ts'
import {
  createdResponse,
  dataResponse,
  listResponse,
  pageQuery,
  removedResponse,
  uuidInPath,
} from '../validation.ts'

/** The senders of webhooks. */
export function sourceEndpoints({
  database: { prisma, pool },
  keyring,
  config: { publicUrl },
}: Pick<Services, 'database' | 'keyring' | 'config'>): Endpoint[] {
  const store = { prisma, keyring, publicUrl }
  const failures = { 404: 'No such source in this account.' }
  const changeFailures = { ...failures, 409: 'It is Galley’s own source, which stays as it is.' }
  return [
    endpoint({
      method: 'post',
      path: '/v1/sources',
      operationId: 'createSource',
      right: 'sources.change',
      action: 'source.create',
      tag: 'Sources',
      summary: 'Create a source: an address for one sender of webhooks',
      body: newSourceSchema,
      idempotent: true,
      answers: {
        201: {
          description: 'The source, with its address and a secret made for it, shown only once.',
          schema: createdResponse(sourceWithSecretsSchema),
        },
      },
      async handle({ caller: { accountId, siteIds }, body, making: { id, againSince } }) {
        requireVisibleLimits(siteIds, body.limits)
        // Its address was shown to nobody.
        if (againSince) await prisma.source.deleteMany({ where: { id, accountId } })
        const data = await createSource(store, { accountId, id, ...body })
        return { status: 201, body: { success: true, id: data.id, data } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sources',
      operationId: 'listSources',
      right: 'sources.read',
      tag: 'Sources',
      summary: 'List the sources, the newest first',
      query: pageQuery,
      answers: { 200: { description: 'A page of sources.', schema: listResponse(sourceSchema) } },
      async handle({ caller: { accountId, siteIds }, query }) {
        const { items, nextCursor } = await listSources(store, { accountId, siteIds, ...query })
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sources/{uuid}',
      operationId: 'getSource',
      right: 'sources.read',
      tag: 'Sources',
      summary: 'Read a source',
      params: uuidInPath,
      answers: { 200: { description: 'The source.', schema: dataResponse(sourceSchema) } },
      failures,
      async handle({ caller: { accountId, siteIds }, params }) {
        const data = await getSource(store, { accountId, siteIds, id: params.uuid })
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'patch',
      path: '/v1/sources/{uuid}',
      operationId: 'updateSource',
      right: 'sources.change',
      action: 'source.change',
      tag: 'Sources',
      summary: 'Change a source, or disable it',
      params: uuidInPath,
      body: sourcePatchSchema,
      answers: {
        200: {
          description: 'The source, with a secret made for it, shown only once.',
          schema: dataResponse(sourceWithSecretsSchema.omit({ url: true })),
        },
      },
      failures: changeFailures,
      async handle({ caller: { accountId, siteIds }, params, body }) {
        const source = { accountId, id: params.uuid }
        await requireVisibleSource(store, { ...source, siteIds })
        if (body.limits !== undefined) requireVisibleLimits(siteIds, body.limits)
        const data = await updateSource(store, source, body, resumeSource)
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/sources/{uuid}/rotate',
      operationId: 'rotateSource',
      right: 'sources.change',
      action: 'source.rotate',
      tag: 'Sources',
      summary: 'Give a source a new address; the old one keeps working for a while',
      params: uuidInPath,
      body: rotationSchema,
      idempotent: true,
      answers: {
        200: {
          description: 'The source, with its new address, shown only once.',
          schema: dataResponse(sourceWithSecretsSchema),
        },
      },
      failures: changeFailures,
      async handle({ caller: { accountId, siteIds }, params, body, making }) {
        const source = { accountId, id: params.uuid }
        await requireVisibleSource(store, { ...source, siteIds })
        const data = await rotateSource(store, source, body, making.againSince)
        return { status: 200, body: { success: true, data } }
      },
    }),
    endpoint({
      method: 'post',
      path: '/v1/sources/{uuid}/backfill',
      operationId: 'backfillSource',
      right: 'sources.change',
      action: 'source.backfill',
      tag: 'Sources',
      summary: 'Ask the upstream of a source for documents that it never announced',
      params: uuidInPath,
      body: backfillRequestSchema,
      answers: {
        202: {
          description: 'They are asked for soon, and until it is known what became of each.',
          schema: dataResponse(z.object({ asked: z.int() })),
        },
      },
      failures: { ...failures, 422: 'The source has no upstream, or there is a mistake in the request.' },
      async handle({ caller: { accountId, siteIds }, params, body }) {
        const source = { accountId, siteIds, id: params.uuid }
        const asked = await requestBackfill({ prisma, pool }, source, body)
        return { status: 202, body: { success: true, data: { asked } } }
      },
    }),
    endpoint({
      method: 'get',
      path: '/v1/sources/{uuid}/backfill',
      operationId: 'listBackfill',
      right: 'sources.read',
      tag: 'Sources',
      summary: 'List the documents that the upstream of a source was asked for',
      params: uuidInPath,
      query: pageQuery,
      answers: {
        200: { description: 'A page of them, by document id.', schema: listResponse(backfillDocumentSchema) },
      },
      failures,
      async handle({ caller: { accountId, siteIds }, params, query }) {
        const source = { accountId, siteIds, id: params.uuid }
        const { items, nextCursor } = await listBackfillDocuments({ prisma }, source, query)
        return { status: 200, body: { success: true, data: items, next_cursor: nextCursor } }
      },
    }),
    endpoint({
      method: 'delete',
      path: '/v1/sources/{uuid}',
      operationId: 'removeSource',
      right: 'sources.change',
      action: 'source.remove',
      tag: 'Sources',
      summary: 'Remove a source and the events it sent',
      params: uuidInPath,
      answers: { 200: { description: 'Deleted.', schema: removedResponse } },
      failures: {
        ...failures,
        409: 'A delivery still needs the document of one of its events, or it is Galley’s own source.',
      },
      async handle({ caller: { accountId, siteIds }, params }) {
        const source = { accountId, id: params.uuid }
        await requireVisibleSource(store, { ...source, siteIds })
        await deleteSource(store, source)
        return { status: 200, body: { success: true, id: params.uuid } }
      },
    }),
  ]
}

/** Milliseconds that somebody who reads a webhook waits for room. */
const EVENT_MEMORY_WAIT_MS = 5_000

/** Bytes that one byte of a webhook takes on its way out: as the database gives it, as text, as JSON, and as sent. */
const EVENT_MEMORY_FACTOR = 4

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
      query: pageQuery.extend({ status: eventStatusSchema.optional() }),
      answers: {
        200: { description: 'A page of webhooks, without their bodies.', schema: listResponse(eventSchema) },
      },
      async handle({ caller, query }) {
        const { accountId } = caller
        const ids = await visibleIds(pool, caller, 'event', query, { status: query.status })
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
        200: { description: 'The webhook with its body.', schema: dataResponse(eventWithBodySchema) },
      },
      failures: {
        404: 'No such event in this account.',
        503: MEMORY_BUSY_DESCRIPTION,
      },
      async handle({ caller: { accountId }, params: { uuid: id }, gone: signal }) {
        const event = { accountId, id }
        const bytes = (await eventBodySize(prisma, event)) * EVENT_MEMORY_FACTOR
        const share = await budget.events.take(bytes, { waitMs: EVENT_MEMORY_WAIT_MS, signal })
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
