import type { Pool } from 'pg'
import type { Delivery, DeliveryStep, Site } from '../../database/generated/client.ts'
import type { Database } from '../../database/index.ts'
import { named } from '../../database/statement.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import { invalidCursor, type Page } from '../../lib/paging.ts'
import { adviceFor, needsReconnect } from '../ledger/failure.ts'
import { siteHoldCodes } from '../ledger/pause-and-resume.ts'
import type { DeliveryError, DeliveryStatus } from '../ledger/state.ts'
import type { DeliveryFilter, DeliveryScope } from './filter.ts'
import { type CursorPosition, type Sort, walkPage } from './index-walk.ts'

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
  stands: DeliveryProgress
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
const OMITTED_COLUMNS = { answered: true } as const

type SelectedDelivery = Omit<Delivery, keyof typeof OMITTED_COLUMNS>

/** These deliveries, in this order, as far as they may be seen. */
async function loadDeliveries(
  context: ViewContext,
  { accountId, siteIds }: DeliveryScope,
  ids: readonly string[],
): Promise<DeliveryView[]> {
  if (ids.length === 0) return []
  const rows = await context.prisma.delivery.findMany({
    where: { id: { in: [...ids] }, accountId, ...(siteIds !== null && { siteId: { in: siteIds } }) },
    omit: OMITTED_COLUMNS,
  })
  const relations = await loadRelations(context, accountId, rows)
  const known = new Map(rows.map((row) => [row.id, row]))
  return ids.flatMap((id) => {
    const row = known.get(id)
    return row === undefined ? [] : [deliveryView(row, relations)]
  })
}

/** @throws GalleyError 404 `DELIVERY_NOT_FOUND` */
export async function getDelivery(
  context: ViewContext,
  { accountId, siteIds, id }: DeliveryScope & { id: string },
): Promise<DetailedDeliveryView> {
  const row = await context.prisma.delivery.findFirst({
    where: { id, accountId, ...(siteIds !== null && { siteId: { in: siteIds } }) },
    omit: OMITTED_COLUMNS,
    include: { timeline: { orderBy: { id: 'asc' } }, media: { orderBy: { marker: 'asc' } } },
  })
  if (row === null) throw deliveryNotFound(id)
  const relations = await loadRelations(context, accountId, [row])
  const view = deliveryView(row, relations)
  const { error } = view
  return {
    ...view,
    todo: error && adviceFor(error.code),
    reconnect: error !== null && needsReconnect(error.code),
    event_id: row.wantedEventId,
    media: row.media.map(({ sourceUrl, mediaId }) => ({ source_url: sourceUrl, id: mediaId })),
    timeline: row.timeline.map(stepView),
  }
}

export const deliveryNotFound = (id: string): GalleyError =>
  new GalleyError({ code: 'DELIVERY_NOT_FOUND', message: `There is no delivery ${id}.`, httpStatus: 404 })

function deliveryView(row: SelectedDelivery, { sites, sources, steps }: DeliveryRelations): DeliveryView {
  const site = sites.get(row.siteId)
  return {
    id: row.id,
    document_id: row.documentId,
    title: row.title,
    source: row.sourceId === null ? null : { id: row.sourceId, name: sources.get(row.sourceId) ?? null },
    site_id: row.siteId,
    site: site === undefined ? null : { name: site.name, labels: site.labels },
    status: row.status as DeliveryStatus,
    stands: { ...(steps.get(row.id) ?? NO_PROGRESS), waits_for: waitReason(row, site) },
    post:
      row.postId === null
        ? null
        : { id: row.postId, url: row.postUrl, edit_url: row.postEditUrl, status: row.postStatus },
    warnings: row.warnings as unknown as Warning[],
    attempts: row.attempts,
    next_attempt_at: nextAttemptAt(row, site)?.toISOString() ?? null,
    error: row.error as unknown as DeliveryError | null,
    created_at: row.createdAt.toISOString(),
    updated_at: row.updatedAt.toISOString(),
  }
}

const stepView = ({ at, step, outcome, detail }: DeliveryStep) => ({
  at: at.toISOString(),
  step,
  outcome,
  ...(detail !== null && { detail }),
})

/** What a delivery may wait for. */
export const waitReasons = ['turn', 'time', 'site', 'resume', 'connection', 'owner', 'decision'] as const

/** Where a delivery stands: the last line of its timeline, and what it waits for. */
interface DeliveryProgress {
  step: string | null
  outcome: string | null
  /** ISO 8601. */
  at: string | null
  /** Null where it is under way, or at its end. */
  waits_for: (typeof waitReasons)[number] | null
}

/** Of one whose timeline was thinned. */
const NO_PROGRESS = { step: null, outcome: null, at: null }

type RelatedSite = Pick<Site, 'id' | 'name' | 'labels' | 'pausedUntil' | 'stoppedAt' | 'trouble'>

/** What stands in other tables about some deliveries. */
interface DeliveryRelations {
  sites: ReadonlyMap<string, RelatedSite>
  /** Names of sources. */
  sources: ReadonlyMap<string, string>
  /** The last line of each timeline. */
  steps: ReadonlyMap<string, Omit<DeliveryProgress, 'waits_for'>>
}

type RelatedRow = Pick<Delivery, 'id' | 'siteId' | 'sourceId'>

/** Reads what belongs to these rows, one statement for each table. */
async function loadRelations(
  { prisma, pool }: Pick<Database, 'prisma' | 'pool'>,
  accountId: string,
  rows: readonly RelatedRow[],
): Promise<DeliveryRelations> {
  const sites = await prisma.site.findMany({
    where: { accountId, id: { in: [...new Set(rows.map(({ siteId }) => siteId))] } },
    select: { id: true, name: true, labels: true, pausedUntil: true, stoppedAt: true, trouble: true },
  })
  const sources = await prisma.source.findMany({
    where: {
      accountId,
      id: { in: [...new Set(rows.flatMap(({ sourceId }) => sourceId ?? []))] },
      removedAt: null,
    },
    select: { id: true, name: true },
  })
  const { rows: steps } = await pool.query<{ delivery_id: string; step: string; outcome: string; at: Date }>(
    named(
      `SELECT last.* FROM unnest(:ids::uuid[]) AS d (id), LATERAL (
         SELECT delivery_id, step, outcome, at FROM delivery_step WHERE delivery_id = d.id ORDER BY id DESC LIMIT 1) last`,
      { ids: rows.map(({ id }) => id) },
    ),
  )
  return {
    sites: new Map(sites.map((site) => [site.id, site])),
    sources: new Map(sources.map(({ id, name }) => [id, name])),
    steps: new Map(
      steps.map(({ delivery_id, step, outcome, at }) => [
        delivery_id,
        { step, outcome, at: at.toISOString() },
      ]),
    ),
  }
}

type Waiting = Pick<Delivery, 'status' | 'dueAt' | 'error'>

/** What a delivery waits for: its site, itself, a person, in this order. */
function waitReason(
  { status, dueAt, error }: Waiting,
  site: RelatedSite | undefined,
): DeliveryProgress['waits_for'] {
  if (status === 'held') {
    const code = (error as { code?: string } | null)?.code ?? ''
    if (code === 'site_unknown') return 'connection'
    return siteHoldCodes.includes(code) ? 'owner' : 'decision'
  }
  if (status !== 'queued') return null
  if (site?.stoppedAt) return 'resume'
  if (site?.trouble) return 'site'
  return dueAt !== null && dueAt > new Date() ? 'time' : 'turn'
}

/**
 * A queued delivery waits for its own time and for its site's, whichever is later; with a site that is paused by hand,
 * nobody knows for when.
 */
function nextAttemptAt({ status, dueAt }: Waiting, site: RelatedSite | undefined): Date | null {
  if (status !== 'queued' || dueAt === null || site?.stoppedAt) return null
  const pause = site?.pausedUntil ?? null
  return pause !== null && pause > dueAt ? pause : dueAt
}

interface DeliveryListRequest {
  filter: DeliveryFilter
  sort: Sort
  limit: number
  /** Of the page before, in the same order. */
  cursor?: string | undefined
}

/**
 * A page of the deliveries that match. It may have fewer than `limit`, or none, and yet a cursor: where matches are rare,
 * so many rows are looked at for a page, and the next one goes on from there.
 *
 * By creation, whatever changes meanwhile is neither lost nor doubled: an id never changes. By change, one that changes
 * meanwhile moves to the front, and is seen there by whoever begins anew.
 *
 * @throws GalleyError 422 `CURSOR_UNFIT`
 */
export async function listDeliveries(
  context: ViewContext,
  scope: DeliveryScope,
  { filter, sort, limit, cursor }: DeliveryListRequest,
): Promise<Page<DeliveryView>> {
  const { ids, nextCursor } = await findDeliveries(context.pool, scope, { filter, sort, limit, cursor })
  return { items: await loadDeliveries(context, scope, ids), nextCursor }
}

async function findDeliveries(
  pool: Pool,
  scope: DeliveryScope,
  { filter, sort, limit, cursor }: DeliveryListRequest,
): Promise<{ ids: string[]; nextCursor: string | null }> {
  const after = cursor === undefined ? undefined : decodeCursor(cursor, sort)
  const { sql, values } = await walkPage(pool, scope, { filter, sort, after, most: limit })
  const { rows } = await pool.query<{ id: string; at: Date; fits: boolean; edge: boolean }>(
    named(sql, values),
  )
  const ids: string[] = []
  let last: string | null = null
  for (const { id, at, fits, edge } of rows) {
    if (ids.length === limit) return { ids, nextCursor: last }
    if (fits) ids.push(id)
    last = sort === 'updated' ? `${at.toISOString()}_${id}` : id
    if (edge) return { ids, nextCursor: last }
  }
  return { ids, nextCursor: null }
}

const UUID = /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i

/** @throws GalleyError 422 */
function decodeCursor(cursor: string, sort: Sort): CursorPosition {
  const [at, id] = sort === 'updated' ? cursor.split('_') : [null, cursor]
  const fits = UUID.test(id ?? '') && (at === null || isInstant(at ?? ''))
  if (fits) return { id: id as string, at: at as string | null }
  throw invalidCursor()
}

/** Whether it is a time as a cursor has one; JavaScript takes much for a date that PostgreSQL does not. */
function isInstant(text: string): boolean {
  const ms = Date.parse(text)
  return /^[1-9]/.test(text) && !Number.isNaN(ms) && new Date(ms).toISOString() === text
}
