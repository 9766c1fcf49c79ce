import type { Pool } from 'pg'
import type { PrismaClient } from '../database/generated/client.ts'
import { named } from '../database/named.ts'
import { storableJson } from '../database/storable.ts'
import { GalleyError } from '../errors.ts'
import { addJob } from '../jobs/job.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { getSource, type SourceAsked } from '../sources/sources.ts'
import { askJob } from './jobs.ts'
import { type BackfillDocumentView, type BackfillRequest, backfillDocumentSchema } from './schema.ts'

interface Store {
  prisma: PrismaClient
  pool: Pool
}

/**
 * Has the upstream of a source asked for documents, soon and until what became of each is known. One that is asked for
 * already is asked for at once.
 *
 * @returns how many they are
 * @throws GalleyError 404; 422 `UPSTREAM_NEEDED`
 */
export async function askForDocuments(
  { prisma, pool }: Store,
  { siteIds, ...source }: SourceAsked,
  { document_ids: ids, delivery }: BackfillRequest,
): Promise<number> {
  const { upstream_base_url: url, has_upstream_api_key: hasKey } = await getSource(
    { prisma },
    { ...source, siteIds },
  )
  if (url === null || !hasKey) throw upstreamNeeded()
  const { rows } = await pool.query<{ asked: number }>(
    named(
      `WITH asked AS (
         INSERT INTO backfill_document AS b (account_id, source_id, document_id, delivery)
         SELECT :accountId, :id, document_id, :delivery::jsonb
         FROM (SELECT DISTINCT unnest(:ids::uuid[]) AS document_id ORDER BY document_id) AS given
         ON CONFLICT (source_id, document_id) DO UPDATE SET status = 'waiting', due_at = now(), tries = 0,
           problem = NULL, created_at = now(), ended_at = NULL, delivery = coalesce(excluded.delivery, b.delivery)
         RETURNING 1
       )
       SELECT (SELECT count(*)::int FROM asked) AS asked,
         ${addJob(askJob, { accountId: ':accountId::uuid', sourceId: ':id::uuid' })}`,
      { ...source, ids, delivery: delivery === undefined ? null : storableJson(delivery) },
    ),
  )
  return rows[0]?.asked ?? 0
}

/** What was asked for of a source, whatever became of it. @throws GalleyError 404 */
export async function listBackfillDocuments(
  { prisma }: Pick<Store, 'prisma'>,
  source: SourceAsked,
  { limit, cursor }: PageRequest,
): Promise<Page<BackfillDocumentView>> {
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
  const page = toPage(
    rows.map((row) => ({ ...row, id: row.documentId })),
    limit,
  )
  return {
    nextCursor: page.nextCursor,
    items: page.items.map((row) =>
      backfillDocumentSchema.parse({
        document_id: row.documentId,
        status: row.status,
        tries: row.tries,
        next_at: row.dueAt?.toISOString() ?? null,
        problem: row.problem,
        created_at: row.createdAt.toISOString(),
        ended_at: row.endedAt?.toISOString() ?? null,
      }),
    ),
  }
}

const upstreamNeeded = (): GalleyError =>
  new GalleyError({
    code: 'UPSTREAM_NEEDED',
    httpStatus: 422,
    fault: 'owner',
    action: 'owner',
    message:
      'This source has no upstream to be asked. Give it "upstream_base_url" and "upstream_api_key" first (PATCH /v1/sources).',
  })
