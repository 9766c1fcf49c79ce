import { z } from 'zod'

/** What became of a webhook. */
export const eventStatusSchema = z
  .enum(['planned', 'kept', 'refused', 'unusable'])
  .describe(
    'planned: it has a delivery. kept: acknowledged, not acted on. refused: acknowledged, and delivered nowhere, since its source may not send to that site. unusable: see issues.',
  )

/** A webhook as lists show it. */
export const eventSchema = z
  .object({
    id: z.guid(),
    source_id: z.guid(),
    event: z.string().nullable().describe('Its kind, such as document.completed; null where it did not say.'),
    document_id: z.guid().nullable(),
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

/** A webhook with what was sent. */
export const eventWithBodySchema = eventSchema
  .extend({
    body: z.string().nullable().describe('As received; null once it was removed for its age.'),
    body_encoding: z
      .enum(['utf-8', 'base64'])
      .describe('base64 where the bytes are not UTF-8 text, or have control characters.'),
  })
  .meta({ id: 'EventWithBody' })

export type EventStatus = z.output<typeof eventStatusSchema>
export type EventView = z.output<typeof eventSchema>
export type EventWithBody = z.output<typeof eventWithBodySchema>
