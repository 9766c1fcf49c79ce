import type { Delivery, DeliveryStep, PrismaClient, Site } from '../../database/generated/client.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { type Page, type PageRequest, toPage } from '../../paging.ts'
import type { DeliveryError, DeliveryStatus } from '../ledger/row.ts'

/** A delivery as the API shows it. */
export interface DeliveryView {
  id: string
  document_id: string
  site_id: string
  status: DeliveryStatus
  post: { id: number; url: string | null; edit_url: string | null; status: string | null } | null
  warnings: Warning[]
  attempts: number
  /** ISO 8601; null where nothing is planned. */
  next_attempt_at: string | null
  error: DeliveryError | null
  created_at: string
  updated_at: string
}

/** One delivery with its timeline, oldest first. */
export interface DetailedDeliveryView extends DeliveryView {
  timeline: { at: string; step: string; outcome: string; detail?: string }[]
}

export interface DeliveryListRequest extends PageRequest {
  accountId: string
  status?: DeliveryStatus | undefined
  siteId?: string | undefined
  documentId?: string | undefined
}

/** The whole post as WordPress answered it: nobody is shown it here, and a page of it would be megabytes. */
const UNSHOWN = { answered: true } as const

type ShownDelivery = Omit<Delivery, keyof typeof UNSHOWN>

/** The newest deliveries first, a page at a time. */
export async function listDeliveries(
  prisma: PrismaClient,
  { accountId, limit, cursor, status, siteId, documentId }: DeliveryListRequest,
): Promise<Page<DeliveryView>> {
  const rows = await prisma.delivery.findMany({
    where: {
      accountId,
      ...(status && { status }),
      ...(siteId && { siteId }),
      ...(documentId && { documentId }),
      ...(cursor && { id: { lt: cursor } }),
    },
    omit: UNSHOWN,
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  const sites = await pausedSites(prisma, accountId, items)
  return { items: items.map((row) => viewOf(row, sites.get(row.siteId))), nextCursor }
}

/** @throws GalleyError 404 `DELIVERY_NOT_FOUND` */
export async function getDelivery(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<DetailedDeliveryView> {
  const row = await prisma.delivery.findFirst({
    where: { id, accountId },
    omit: UNSHOWN,
    include: { timeline: { orderBy: { id: 'asc' } } },
  })
  if (row === null) throw deliveryNotFound(id)
  const sites = await pausedSites(prisma, accountId, [row])
  return { ...viewOf(row, sites.get(row.siteId)), timeline: row.timeline.map(stepOf) }
}

export const deliveryNotFound = (id: string): GalleyError =>
  new GalleyError({ code: 'DELIVERY_NOT_FOUND', message: `There is no delivery ${id}.`, httpStatus: 404 })

type PausedSite = Pick<Site, 'id' | 'pausedUntil' | 'stoppedAt'>

async function pausedSites(
  prisma: PrismaClient,
  accountId: string,
  rows: readonly ShownDelivery[],
): Promise<Map<string, PausedSite>> {
  const ids = [...new Set(rows.filter(({ status }) => status === 'queued').map(({ siteId }) => siteId))]
  if (ids.length === 0) return new Map()
  const sites = await prisma.site.findMany({
    where: { accountId, id: { in: ids }, OR: [{ pausedUntil: { not: null } }, { stoppedAt: { not: null } }] },
    select: { id: true, pausedUntil: true, stoppedAt: true },
  })
  return new Map(sites.map((site) => [site.id, site]))
}

function viewOf(row: ShownDelivery, site: PausedSite | undefined): DeliveryView {
  return {
    id: row.id,
    document_id: row.documentId,
    site_id: row.siteId,
    status: row.status as DeliveryStatus,
    post:
      row.postId === null
        ? null
        : { id: row.postId, url: row.postUrl, edit_url: row.postEditUrl, status: row.postStatus },
    warnings: row.warnings as unknown as Warning[],
    attempts: row.attempts,
    next_attempt_at: nextAttempt(row, site)?.toISOString() ?? null,
    error: row.error as unknown as DeliveryError | null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

/** A queued delivery waits for its own time and for its site's, whichever is later; with a site paused by hand for nobody knows when. */
function nextAttempt({ status, dueAt }: ShownDelivery, site: PausedSite | undefined): Date | null {
  if (status !== 'queued' || dueAt === null || site?.stoppedAt) return null
  const pause = site?.pausedUntil ?? null
  return pause !== null && pause > dueAt ? pause : dueAt
}

const stepOf = ({ at, step, outcome, detail }: DeliveryStep) => ({
  at: at.toISOString(),
  step,
  outcome,
  ...(detail !== null && { detail }),
})
