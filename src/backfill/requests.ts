import type { Pool } from 'pg'
import { z } from 'zod'
import { postStatuses, uuidSchema } from '../contract/delivery.ts'
import { postFieldShape } from '../contract/post-fields.ts'
import { documentIdSchema, nameDocument, referenceSchema, termNames } from '../contract/scalars.ts'
import type { PrismaClient } from '../database/generated/client.ts'
import { queryRows, storableJson } from '../database/statement.ts'
import { refusal } from '../errors.ts'
import { addJob, defineJob, laneOf } from '../jobs/job.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { wireRow } from '../lib/wire-row.ts'
import { getSource, type SourceRequest } from '../sources/sources.ts'

const MAX_IDS = 1_000

const backfillDelivery = z.strictObject({
  id: uuidSchema.describe('UUID of the connected site.'),
  post_status: z.enum(postStatuses).optional(),
  metadata: z
    .strictObject({
      ...postFieldShape,
      categories: termNames('category').optional(),
      tags: termNames('tag').optional(),
    })
    .optional(),
})

export const backfillRequestSchema = z.strictObject({
  document_ids: z
    .array(documentIdSchema)
    .min(1)
    .max(MAX_IDS)
    .describe('Documents to ask the upstream for. Those that have a delivery already are left alone.'),
  delivery: backfillDelivery
    .optional()
    .describe(
      'Where they go, as `delivery` of a webhook. Left out, the upstream or the `defaults` of the source have to say it; else they are kept, and delivered nowhere.',
    ),
})

const backfillStatuses = [
  'waiting',
  'found',
  'announced',
  'failed',
  'unknown',
  'unusable',
  'given_up',
] as const

export const backfillDocumentSchema = z
  .object({
    document_id: z.guid(),
    reference: referenceSchema,
    status: z
      .enum(backfillStatuses)
      .describe(
        'waiting: asked for again. found: taken in as an event. announced: it has a delivery already. failed: the upstream could not create it. unknown: the upstream does not know it. unusable: its answer cannot be used. given_up: not completed for too long.',
      ),
    tries: z.int(),
    next_at: z.iso.datetime().nullable(),
    problem: z.object({ code: z.string(), message: z.string() }).nullable(),
    created_at: z.iso.datetime(),
    ended_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'BackfillDocument' })

export type BackfillDocumentStatus = (typeof backfillStatuses)[number]

/** Upstreams polled in parallel in the whole installation; a slow one delays only its own lane. */
const POLL_LANES = 4

/** Polls the upstream of one source. Its own lanes keep it from taking the slots of site workers. */
export const pollUpstreamJob = defineJob({
  name: 'backfill_source',
  payload: z.object({ accountId: z.guid(), sourceId: z.guid() }),
  queue: ({ sourceId }) => `('backfill:' || ${laneOf(sourceId, POLL_LANES)})`,
  key: ({ sourceId }) => `('backfill:' || ${sourceId})`,
  keepsPlace: true,
  maxAttempts: 1,
})

interface Store {
  prisma: PrismaClient
  pool: Pool
}

/**
 * Schedules requests for documents until the result of each is known. A document that is waiting already becomes due now.
 * @returns the number of documents
 * @throws GalleyError 404; 422 `UPSTREAM_NEEDED`
 */
export async function requestBackfill(
  { prisma, pool }: Store,
  source: SourceRequest,
  { document_ids: ids, delivery }: z.output<typeof backfillRequestSchema>,
): Promise<number> {
  const { accountId, id } = source
  const { upstream_base_url: url, has_upstream_api_key: hasKey } = await getSource({ prisma }, source)
  if (url === null || !hasKey)
    throw refusal(
      'UPSTREAM_NEEDED',
      'This source has no upstream to be asked. Give it "upstream_base_url" and "upstream_api_key" first.',
    )
  const names = ids.map((id) => nameDocument(accountId, id))
  const rows = await queryRows<{ asked: number }>(
    pool,
    `WITH asked AS (
       INSERT INTO backfill_document AS b (account_id, source_id, document_id, reference, delivery)
       SELECT DISTINCT ON (document_id) :accountId, :id, document_id, reference, :delivery::jsonb
       FROM unnest(:ids::uuid[], :references::text[]) AS given (document_id, reference) ORDER BY document_id
       ON CONFLICT (source_id, document_id) DO UPDATE SET status = 'waiting', due_at = now(), tries = 0,
         problem = NULL, created_at = now(), ended_at = NULL, delivery = coalesce(excluded.delivery, b.delivery)
       RETURNING 1
     )
     SELECT (SELECT count(*)::int FROM asked) AS asked,
       ${addJob(pollUpstreamJob, { accountId: ':accountId::uuid', sourceId: ':id::uuid' })}`,
    {
      ...{ accountId, id },
      ids: names.map(({ documentId }) => documentId),
      references: names.map(({ reference }) => reference),
      delivery: delivery === undefined ? null : storableJson(delivery),
    },
  )
  return rows[0]?.asked ?? 0
}

/** Lists the requested documents of a source, in every status. @throws GalleyError 404 */
export async function listBackfillDocuments(
  { prisma }: Pick<Store, 'prisma'>,
  source: SourceRequest,
  { limit, cursor }: PageRequest,
): Promise<Page<z.output<typeof backfillDocumentSchema>>> {
  await getSource({ prisma }, source)
  const rows = await prisma.backfillDocument.findMany({
    where: {
      accountId: source.accountId,
      sourceId: source.id,
      documentId: cursor === undefined ? undefined : { lt: cursor },
    },
    orderBy: { documentId: 'desc' },
    take: limit + 1,
  })
  const byId = rows.map((row) => ({ ...row, id: row.documentId }))
  return toPage(byId, limit, (row) =>
    backfillDocumentSchema.parse({ ...wireRow(row), next_at: row.dueAt?.toISOString() ?? null }),
  )
}
