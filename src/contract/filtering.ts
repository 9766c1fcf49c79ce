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

/** Far more than a moment has, however many decimals a second is given. */
const MOST_CHARACTERS = 40

/** Whether it is in a year from 1 to 9999 in UTC: PostgreSQL has no year 0, and nobody writes five figures. */
function isMoment(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return text.length <= MOST_CHARACTERS && year >= 1 && year <= 9999
}

/** A moment with its zone, in UTC once it is read: PostgreSQL knows no zone beyond 16 hours. */
export const moment = z.iso
  .datetime({ offset: true })
  .refine(isMoment, 'is not a date of the years 1 to 9999, or has too many decimals')
  .transform((text) => new Date(text).toISOString())
  .describe('ISO 8601 with a zone; Z for UTC.')
