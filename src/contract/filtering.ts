import { z } from 'zod'

// Parts of filters, which stand in the query of a list, where all is text, and in JSON.

/** One value or several of them: `?status=held&status=failed`, or an array. */
export const several = <Value extends z.ZodType>(value: Value) =>
  z
    .union([value, z.array(value).min(1).max(100)])
    .transform((given) => (Array.isArray(given) ? given : [given]) as z.output<Value>[])

/** `?name=true`, or `true`. */
export const yesOrNo = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((given) => given === true || given === 'true')

/** A moment with its zone, between the years that PostgreSQL and JavaScript both know. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine((text) => !Number.isNaN(Date.parse(text)), 'is no date')
  .describe('ISO 8601 with a zone; Z for UTC.')
