import { z } from 'zod'

/** Whether PostgreSQL can store a text: no NUL, and no lone surrogate, which UTF-8 cannot encode. */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const UNSTORABLE_MESSAGE = 'has a NUL, or half of a surrogate pair, which is no character'

/** Untrusted text of at most `most` UTF-16 code units, for whatever has no schema of its own. */
export const boundedText = (most: number) => z.string().max(most).refine(isStorable, UNSTORABLE_MESSAGE)

/** Marks that reorder the display of following text, even behind a name (Unicode 9, 2.1 to 2.5). */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

/**
 * Non-empty text of one line, such as a name, without control characters. Bidirectional controls are refused because
 * others read it too; letters have a direction without them.
 */
export const singleLineText = (most: number) =>
  z
    .string()
    .max(most)
    .trim()
    .min(1)
    .refine(isStorable, UNSTORABLE_MESSAGE)
    .refine((value) => !/\p{Cc}/u.test(value), 'has a control character, such as a line break')
    .refine(
      (value) => !BIDI_CONTROLS.test(value),
      'has an invisible mark that turns the direction of text over',
    )

/** Counts characters as people do: one outside the Basic Multilingual Plane is two UTF-16 code units but one character. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Text of `least` to `most` characters by {@link countCharacters}, as zod from 4.6 and JSON Schema count. */
export const countedText = (least: number, most: number) =>
  z.string().min(least).max(most).refine(isStorable, UNSTORABLE_MESSAGE)

/** A UUID of any version: upstream ids are kept as they are. */
export const uuid = z.guid().toLowerCase()

export const utcTimestamp = z.iso.datetime().describe('ISO 8601, UTC.')

// Filters, in the query of a list (text only) and in JSON.

/** One value or several: `?status=held&status=failed`, or an array. */
export const oneOrMany = <Value extends z.ZodType>(value: Value) =>
  z
    .union([value, z.array(value).min(1).max(100)])
    .transform((given) => (Array.isArray(given) ? given : [given]) as z.output<Value>[])

/** `?name=true`, or `true`. */
export const booleanParam = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((given) => given === true || given === 'true')

/** Characters, more than any timestamp with decimals has. */
const MAX_TIMESTAMP_LENGTH = 40

/** Whether the UTC year is 1 to 9999: PostgreSQL has no year 0, and no real date has five figures. */
function isTimestamp(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return text.length <= MAX_TIMESTAMP_LENGTH && year >= 1 && year <= 9999
}

/** A timestamp with a zone, converted to UTC: PostgreSQL accepts no zone beyond 16 hours. */
export const timestampParam = z.iso
  .datetime({ offset: true })
  .refine(isTimestamp, 'is not a date of the years 1 to 9999, or has too many decimals')
  .transform((text) => new Date(text).toISOString())
  .describe('ISO 8601 with a zone; Z for UTC.')
