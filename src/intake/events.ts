import { isUtf8 } from 'node:buffer'
import type { Event, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { type EventStatus, type EventView, type EventWithBody, eventSchema } from './event-schema.ts'

/** The webhooks of an account, the newest first, without their bodies. */
export async function listEvents(
  prisma: PrismaClient,
  { accountId, limit, cursor, status }: PageRequest & { accountId: string; status?: EventStatus | undefined },
): Promise<Page<EventView>> {
  const rows = await prisma.event.findMany({
    where: { accountId, status, id: cursor === undefined ? undefined : { lt: cursor } },
    omit: { body: true, digest: true },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(eventView), nextCursor }
}

/** One webhook, with what was sent. @throws GalleyError 404 */
export async function getEvent(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<EventWithBody> {
  const row = await prisma.event.findFirst({ where: { accountId, id } })
  if (row === null)
    throw new GalleyError({
      code: 'NOT_FOUND',
      httpStatus: 404,
      message: `This account has no event ${id}. GET /v1/events lists those it has.`,
    })
  const encoding = row.body === null || isUtf8(row.body) ? 'utf-8' : 'base64'
  const body = row.body === null ? null : Buffer.from(row.body).toString(encoding)
  return { ...eventView(row), body, body_encoding: encoding }
}

const eventView = (row: Omit<Event, 'body' | 'digest'>): EventView =>
  eventSchema.parse({
    id: row.id,
    source_id: row.sourceId,
    event: row.kind,
    document_id: row.documentId,
    status: row.status,
    issues: row.issues ?? [],
    received_at: row.receivedAt.toISOString(),
  })
