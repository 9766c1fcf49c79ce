import { isUtf8 } from 'node:buffer'
import type { Event, PrismaClient } from '../database/generated/client.ts'
import { GalleyError } from '../errors.ts'
import { type Page, type PageRequest, toPage } from '../paging.ts'
import { type EventStatus, type EventView, type EventWithBody, eventSchema } from './event-schema.ts'

/**
 * The webhooks of an account, the newest first, without their bodies.
 *
 * @param ids the only ones that may be among them, of this page; all where left out
 */
export async function listEvents(
  prisma: PrismaClient,
  {
    accountId,
    limit,
    cursor,
    status,
    ids,
  }: PageRequest & { accountId: string; status?: EventStatus | undefined; ids?: string[] | undefined },
): Promise<Page<EventView>> {
  const rows = await prisma.event.findMany({
    where: {
      accountId,
      status,
      id: { ...(cursor !== undefined && { lt: cursor }), ...(ids && { in: ids }) },
    },
    omit: { body: true, digest: true, confirmedBody: true },
    orderBy: { id: 'desc' },
    take: limit + 1,
  })
  const { items, nextCursor } = toPage(rows, limit)
  return { items: items.map(eventView), nextCursor }
}

/** How long the body of a webhook is; 0 where there is none any more, or no such event. */
export async function eventBytes(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<number> {
  const [row] = await prisma.$queryRaw<{ bytes: number | null }[]>`
    SELECT octet_length(body) AS bytes FROM event WHERE account_id = ${accountId}::uuid AND id = ${id}::uuid`
  return row?.bytes ?? 0
}

/** One webhook, with what was sent. @throws GalleyError 404 */
export async function getEvent(
  prisma: PrismaClient,
  { accountId, id }: { accountId: string; id: string },
): Promise<EventWithBody> {
  const row = await prisma.event.findFirst({ where: { accountId, id }, omit: { confirmedBody: true } })
  if (row === null)
    throw new GalleyError({
      code: 'NOT_FOUND',
      httpStatus: 404,
      message: `This account has no event ${id}. GET /v1/events lists those it has.`,
    })
  const encoding = row.body === null || isText(row.body) ? 'utf-8' : 'base64'
  const body = row.body === null ? null : Buffer.from(row.body).toString(encoding)
  return { ...eventView(row), body, body_encoding: encoding }
}

/** JSON writes a control character as six: what is full of them is no text, and would be six times as long. */
const isText = (body: Uint8Array): boolean =>
  isUtf8(body) && !CONTROLS.test(Buffer.from(body).toString('latin1'))

// biome-ignore lint/suspicious/noControlCharactersInRegex: they are what is looked for
const CONTROLS = /[\0-\x08\x0b\x0e-\x1f]/

const eventView = (row: Omit<Event, 'body' | 'digest' | 'confirmedBody'>): EventView =>
  eventSchema.parse({
    id: row.id,
    source_id: row.sourceId,
    event: row.kind,
    document_id: row.documentId,
    status: row.status,
    issues: row.issues ?? [],
    received_at: row.receivedAt.toISOString(),
    confirmed_at: row.confirmedAt?.toISOString() ?? null,
  })
