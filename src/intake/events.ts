import { isUtf8 } from 'node:buffer'
import type { Pool } from 'pg'
import { z } from 'zod'
import { membersOf } from '../blocks/wire.ts'
import { type SourceDefaults, type StatusLimit, withSourceDefaults } from '../contract/delivery.ts'
import { LimitError } from '../contract/limits.ts'
import { parseJsonBody } from '../contract/payload.ts'
import { documentIdSchema, referenceSchema } from '../contract/scalars.ts'
import type { Event, PrismaClient } from '../database/generated/client.ts'
import { queryRows } from '../database/statement.ts'
import { conflict, unknownId } from '../errors.ts'
import { wireRow } from '../lib/wire-row.ts'

/** Webhooks of an account, the newest first, without their bodies. */
export async function readEvents(
  prisma: PrismaClient,
  accountId: string,
  ids: string[],
): Promise<EventView[]> {
  const rows = await prisma.event.findMany({
    where: { accountId, id: { in: ids } },
    omit: { body: true, digest: true, confirmedBody: true },
    orderBy: { id: 'desc' },
  })
  return rows.map(eventView)
}

/** How long the body of a webhook is; 0 where there is none any more, or no such event. */
export async function eventBodySize(
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
  if (row === null) throw unknownId('event', id)
  const encoding = row.body === null || isUtf8Text(row.body) ? 'utf-8' : 'base64'
  const body = row.body === null ? null : Buffer.from(row.body).toString(encoding)
  return { ...eventView(row), body, body_encoding: encoding }
}

interface EventDocument {
  /** As its sender calls it. */
  id: string
  data: unknown
  /** As its event asked, or its source says, without the site. */
  delivery: ReturnType<typeof withSourceDefaults>
  /** Of its source, what the post may be at most. */
  limit: StatusLimit
}

/** The finished document of an event. @throws GalleyError 404, 409 `EVENT_WITHOUT_DOCUMENT`; LimitError */
export async function readEventDocument(
  pool: Pool,
  { accountId, id }: { accountId: string; id: string },
): Promise<EventDocument> {
  const [row] = await queryRows<{ body: Buffer | null; defaults: SourceDefaults } & StatusLimit>(
    pool,
    `SELECT coalesce(e.confirmed_body, e.body) AS body, s.defaults, s.name, s.highest_status AS "highestStatus"
     FROM event e JOIN source s ON s.id = e.source_id WHERE e.id = :id AND e.account_id = :accountId`,
    { accountId, id },
  )
  if (row === undefined) throw unknownId('event', id)
  const webhook = membersOf(row.body === null ? null : parsedOrNull(row.body))
  const { event, id: documentId, data } = webhook
  const name = documentIdSchema.safeParse(documentId)
  if (event !== 'document.completed' || !name.success)
    throw conflict(
      'EVENT_WITHOUT_DOCUMENT',
      row.body === null
        ? 'The document of this event was removed by the retention setting. Have its sender send it again.'
        : 'This event holds no finished document, so there is nothing to deliver.',
    )
  const { id: _, metadata, ...asked } = membersOf(webhook.delivery)
  const delivery = { ...asked, metadata: membersOf(metadata) }
  return { id: name.data, data, delivery: withSourceDefaults(delivery, row.defaults), limit: row }
}

function parsedOrNull(body: Buffer): unknown {
  try {
    return parseJsonBody(body)
  } catch (error) {
    if (error instanceof LimitError) throw error
    return null
  }
}

/** JSON writes a control character with six bytes, so a body that has some is shown in base64. */
const isUtf8Text = (body: Uint8Array): boolean =>
  isUtf8(body) && !CONTROL_CHARACTERS.test(Buffer.from(body).toString('latin1'))

// biome-ignore lint/suspicious/noControlCharactersInRegex: it looks for them
const CONTROL_CHARACTERS = /[\0-\x08\x0b\x0e-\x1f]/

const eventView = (row: Omit<Event, 'body' | 'digest' | 'confirmedBody'>): EventView =>
  eventSchema.parse({ ...wireRow(row), event: row.kind, issues: row.issues ?? [] })

/** What became of a webhook. */
export const eventStatusSchema = z
  .enum(['planned', 'kept', 'refused', 'unusable'])
  .describe(
    'planned: it has a delivery. kept: acknowledged, not acted on. refused: acknowledged, and delivered nowhere, since its source may not send to that site. unusable: see issues.',
  )

export const eventSchema = z
  .object({
    id: z.guid(),
    source_id: z.guid(),
    event: z.string().nullable().describe('Its kind, such as document.completed; null where it did not say.'),
    document_id: z.guid().nullable(),
    reference: referenceSchema,
    status: eventStatusSchema,
    issues: z
      .array(z.object({ path: z.string(), message: z.string() }))
      .describe('What was wrong with it, by field: of an unusable one why, of any other what was not done.'),
    received_at: z.iso.datetime(),
    confirmed_at: z.iso
      .datetime()
      .nullable()
      .describe(
        'When the upstream said what the document is; that is delivered, whatever came. Null where it was not asked.',
      ),
  })
  .meta({ id: 'Event' })

export const eventWithBodySchema = eventSchema
  .extend({
    body: z.string().nullable().describe('As received; null once it was removed for its age.'),
    body_encoding: z
      .enum(['utf-8', 'base64'])
      .describe('base64 where the bytes are not UTF-8 text, or have control characters.'),
  })
  .meta({ id: 'EventWithBody' })

type EventView = z.output<typeof eventSchema>
type EventWithBody = z.output<typeof eventWithBodySchema>
