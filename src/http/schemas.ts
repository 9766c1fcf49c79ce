import { z } from 'zod'
import { apiCodeSchema } from '../api-code.ts'
import { uuid } from '../contract/wire.ts'

export const uuidInPath = z.object({ uuid })

/** Where a page of a list begins and how long it is. */
export const page = z.strictObject({
  limit: z.coerce
    .number()
    .int()
    .min(1)
    .max(100)
    .default(20)
    .describe('Maximum items in the answer, 1 to 100.'),
  cursor: uuid.optional().describe('`next_cursor` of the page before.'),
})

export const failure = z
  .object({
    success: z.literal(false),
    error: z.object({
      code: apiCodeSchema.describe('Stable; what a program decides by.'),
      message: z.string().describe('A sentence for the person who must act.'),
      details: z.unknown().optional().describe('Facts; for a mistake in the request `[{path, message}]`.'),
    }),
  })
  .meta({ id: 'Failure' })

export const answerWith = <Data extends z.ZodType>(data: Data) => z.object({ success: z.literal(true), data })

/** A creation answers the id beside the data, where every creation has it. */
export const createdWith = <Data extends z.ZodType>(data: Data) =>
  z.object({ success: z.literal(true), id: uuid, data })

export const listOf = <Item extends z.ZodType>(item: Item) =>
  z.object({
    success: z.literal(true),
    data: z.array(item),
    next_cursor: z.string().nullable().describe('Give it as `cursor` for the next page; null on the last.'),
  })

/** What a removal answers. */
export const removed = z.object({ success: z.literal(true), id: uuid })

/** `?name=true` */
export const flag = z
  .enum(['true', 'false'])
  .default('false')
  .transform((text) => text === 'true')

/** The header by which a request is known when it is sent again. */
export const idempotencyHeader = (whatFollows: string) =>
  z.object({ 'idempotency-key': z.string().min(1).max(255).optional().describe(whatFollows) })
