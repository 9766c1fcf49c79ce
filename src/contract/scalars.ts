import { z } from 'zod'

/**
 * Whether a text can be stored as it is: PostgreSQL holds no NUL, and no half of a surrogate pair, which is no
 * character and cannot be written as UTF-8.
 */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const UNSTORABLE_MESSAGE = 'has a NUL, or half of a surrogate pair, which is no character'

/** Any text that enters from outside, at most `most` UTF-16 code units long. Whatever has no schema of its own uses this. */
export const boundedText = (most: number) => z.string().max(most).refine(isStorable, UNSTORABLE_MESSAGE)

/** Marks that turn over the order in which what follows is shown, also in the text behind a name (Unicode 9, 2.1 to 2.5). */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

/**
 * A text that people read in one line, as a name is: not empty, and without control characters, such as line breaks. Others
 * read it too, so it is shown as it is written; letters of every script have their direction without a mark.
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

/** Characters as people count them: one outside the Basic Multilingual Plane is two UTF-16 code units, and one character. */
export function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count += 1
  return count
}

/** Any text of so many characters, as {@link countCharacters} counts: zod, from 4.6, and JSON Schema count alike. */
export const countedText = (least: number, most: number) =>
  z.string().min(least).max(most).refine(isStorable, UNSTORABLE_MESSAGE)

/** Any UUID, of whatever version: the upstream's ids are kept as they are. */
export const uuid = z.guid().toLowerCase()

export const utcTimestamp = z.iso.datetime().describe('ISO 8601, UTC.')

// Parts of filters, which stand in the query of a list, where all is text, and in JSON.

/** One value or several of them: `?status=held&status=failed`, or an array. */
export const oneOrMany = <Value extends z.ZodType>(value: Value) =>
  z
    .union([value, z.array(value).min(1).max(100)])
    .transform((given) => (Array.isArray(given) ? given : [given]) as z.output<Value>[])

/** `?name=true`, or `true`. */
export const booleanParam = z
  .union([z.boolean(), z.enum(['true', 'false'])])
  .transform((given) => given === true || given === 'true')

/** Far more than a moment has, however many decimals a second is given. */
const MAX_TIMESTAMP_LENGTH = 40

/** Whether it is in a year from 1 to 9999 in UTC: PostgreSQL has no year 0, and nobody writes five figures. */
function isTimestamp(text: string): boolean {
  const year = new Date(text).getUTCFullYear()
  return text.length <= MAX_TIMESTAMP_LENGTH && year >= 1 && year <= 9999
}

/** A moment with its zone, in UTC once it is read: PostgreSQL knows no zone beyond 16 hours. */
export const timestampParam = z.iso
  .datetime({ offset: true })
  .refine(isTimestamp, 'is not a date of the years 1 to 9999, or has too many decimals')
  .transform((text) => new Date(text).toISOString())
  .describe('ISO 8601 with a zone; Z for UTC.')
