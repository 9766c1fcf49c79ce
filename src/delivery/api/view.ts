import type { Delivery, DeliveryStep } from '../../database/generated/client.ts'
import type { Database } from '../../database/index.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { DeliveryError, DeliveryStatus } from '../ledger/row.ts'
import { todoOf, wantsReconnect } from '../ledger/todo.ts'
import { type Beside, NOWHERE, nextAttempt, readBeside, type Stands, waitsFor } from './beside.ts'
import type { DeliveryScope } from './filter.ts'

/** A delivery as the API shows it. */
export interface DeliveryView {
  id: string
  document_id: string
  /** Null where its document has none that can be shown. */
  title: string | null
  /** Who sent the newest version; without a name where it was removed. */
  source: { id: string; name: string | null } | null
  site_id: string
  /** Null where it is not connected. */
  site: { name: string; labels: string[] } | null
  status: DeliveryStatus
  stands: Stands
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
  /** What to do about its error; null where it has none, or where the error's own sentence alone says it. */
  todo: string | null
  /** Whether it may go on once its site is connected again. */
  reconnect: boolean
  /** Of its newest version. */
  event_id: string
  /** Its files, and what they are in the library of the site. */
  media: { source_url: string; id: number | null }[]
  timeline: { at: string; step: string; outcome: string; detail?: string }[]
}

/** What deliveries are read with. */
export type ViewContext = Pick<Database, 'prisma' | 'pool'>

/** The whole post as WordPress answered it: nobody is shown it here, and a page of it would be megabytes. */
const UNSHOWN = { answered: true } as const

type ShownDelivery = Omit<Delivery, keyof typeof UNSHOWN>

/** These deliveries, in this order, as far as they may be seen. */
export async function readDeliveries(
  context: ViewContext,
  { accountId, siteIds }: DeliveryScope,
  ids: readonly string[],
): Promise<DeliveryView[]> {
  if (ids.length === 0) return []
  const rows = await context.prisma.delivery.findMany({
    where: { id: { in: [...ids] }, accountId, ...(siteIds !== null && { siteId: { in: siteIds } }) },
    omit: UNSHOWN,
  })
  const beside = await readBeside(context, accountId, rows)
  const known = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = known.get(id)
    return row === undefined ? [] : [viewOf(row, beside)]
  })
}

/** @throws GalleyError 404 `DELIVERY_NOT_FOUND` */
export async function getDelivery(
  context: ViewContext,
  { accountId, siteIds, id }: DeliveryScope & { id: string },
): Promise<DetailedDeliveryView> {
  const row = await context.prisma.delivery.findFirst({
    where: { id, accountId, ...(siteIds !== null && { siteId: { in: siteIds } }) },
    omit: UNSHOWN,
    include: { timeline: { orderBy: { id: 'asc' } }, media: { orderBy: { marker: 'asc' } } },
  })
  if (row === null) throw deliveryNotFound(id)
  const beside = await readBeside(context, accountId, [row])
  const view = viewOf(row, beside)
  const { error } = view
  return {
    ...view,
    todo: error && todoOf(error.code),
    reconnect: error !== null && wantsReconnect(error.code),
    event_id: row.wantedEventId,
    media: row.media.map(({ sourceUrl, mediaId }) => ({ source_url: sourceUrl, id: mediaId })),
    timeline: row.timeline.map(stepOf),
  }
}

export const deliveryNotFound = (id: string): GalleyError =>
  new GalleyError({ code: 'DELIVERY_NOT_FOUND', message: `There is no delivery ${id}.`, httpStatus: 404 })

function viewOf(row: ShownDelivery, { sites, sources, steps }: Beside): DeliveryView {
  const site = sites.get(row.siteId)
  return {
    id: row.id,
    document_id: row.documentId,
    title: row.title,
    source: row.sourceId === null ? null : { id: row.sourceId, name: sources.get(row.sourceId) ?? null },
    site_id: row.siteId,
    site: site === undefined ? null : { name: site.name, labels: site.labels },
    status: row.status as DeliveryStatus,
    stands: { ...(steps.get(row.id) ?? NOWHERE), waits_for: waitsFor(row, site) },
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

const stepOf = ({ at, step, outcome, detail }: DeliveryStep) => ({
  at: at.toISOString(),
  step,
  outcome,
  ...(detail !== null && { detail }),
})
