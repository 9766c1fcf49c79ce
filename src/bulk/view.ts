import type { BulkItem, BulkJob, Prisma, PrismaClient } from '../database/generated/client.ts'
import { refusal } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../lib/paging.ts'
import { wireRow } from '../lib/wire-row.ts'
import { type BulkItemView, type BulkView, bulkItemSchema, bulkSchema, isUndoable } from './schema.ts'

/** Who looks at bulk jobs: a key that sees all sites sees all of its account, any other its own. */
interface BulkViewer {
  accountId: string
  keyId: string
  siteIds: string[] | null
}

const visibleTo = ({ accountId, keyId, siteIds }: BulkViewer): Prisma.BulkJobWhereInput =>
  siteIds === null ? { accountId } : { accountId, keyId }

/** The newest first. */
export async function listBulk(
  prisma: PrismaClient,
  viewer: BulkViewer,
  { limit, cursor }: PageRequest,
): Promise<Page<BulkView>> {
  const rows = await prisma.bulkJob.findMany({
    where: { ...visibleTo(viewer), id: cursor === undefined ? undefined : { lt: cursor } },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  return toPage(rows, limit, bulkView)
}

/** @throws GalleyError 404 */
export async function getBulk(prisma: PrismaClient, viewer: BulkViewer, id: string): Promise<BulkView> {
  const row = await prisma.bulkJob.findFirst({ where: { ...visibleTo(viewer), id } })
  if (row !== null) return bulkView(row)
  throw refusal('NOT_FOUND', `There is no bulk job ${id}. GET /v1/bulk lists those that this key sees.`, 404)
}

/** What became of each item, by their ids. @throws GalleyError 404 */
export async function listBulkItems(
  prisma: PrismaClient,
  viewer: BulkViewer,
  { id, limit, cursor, outcome }: PageRequest & { id: string; outcome?: BulkItemView['outcome'] | undefined },
): Promise<Page<BulkItemView>> {
  await getBulk(prisma, viewer, id)
  const rows = await prisma.bulkItem.findMany({
    where: {
      jobId: id,
      status: outcome && { in: outcome === 'waiting' ? ['waiting', 'begun'] : [outcome] },
      itemId: cursor === undefined ? undefined : { gt: cursor },
    },
    orderBy: { itemId: 'asc' },
    take: limit + 1,
  })
  return toPage(rows.map(bulkItemView), limit, (item) => item)
}

/** Ends a job early, finishing what is under way. An ended one stays as it is. @throws GalleyError 404 */
export async function cancelBulk(prisma: PrismaClient, viewer: BulkViewer, id: string): Promise<BulkView> {
  await prisma.bulkJob.updateMany({
    where: { ...visibleTo(viewer), id, endedAt: null, cancelledAt: null },
    data: { cancelledAt: new Date() },
  })
  return getBulk(prisma, viewer, id)
}

const bulkView = (row: BulkJob): BulkView =>
  bulkSchema.parse({
    ...wireRow(row),
    undoable: isUndoable(row),
    status: row.endedAt === null && row.cancelledAt !== null ? 'cancelled' : row.status,
  })

const bulkItemView = ({ itemId, status, code, message }: BulkItem): BulkItemView =>
  bulkItemSchema.parse({ id: itemId, outcome: status === 'begun' ? 'waiting' : status, code, message })
