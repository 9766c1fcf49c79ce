import { v5 } from 'uuid'
import { z } from 'zod'
import { LIMITS } from './limits.ts'

/** Whether PostgreSQL can store a text: no NUL, and no lone surrogate, which UTF-8 cannot encode. */
export const isStorable = (text: string): boolean => !text.includes('\0') && !/\p{Surrogate}/u.test(text)

const UNSTORABLE_MESSAGE = 'has a NUL, or half of a surrogate pair, which is no character'

/** Untrusted text of at most `most` UTF-16 code units, for whatever has no schema of its own. */
export const boundedText = (most: number) => z.string().max(most).refine(isStorable, UNSTORABLE_MESSAGE)

/** Marks that reorder the display of following text, even behind a name (Unicode 9, 2.1 to 2.5). */
const BIDI_CONTROLS = /[\u202a-\u202e\u2066-\u2069]/

/** Non-empty text of one line. Bidirectional controls are refused, too: others read it, and letters have a direction. */
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
export const countCharacters = (text: string): number => [...text].length

/** Text of `least` to `most` characters by {@link countCharacters}, as zod from 4.6 and JSON Schema count. */
export const countedText = (least: number, most: number) =>
  z.string().min(least).max(most).refine(isStorable, UNSTORABLE_MESSAGE)

/** Values as a message lists them: `"a", "b"`. */
export const quoted = (values: readonly string[]): string => values.map((value) => `"${value}"`).join(', ')

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

/** Hours for which what was before stays valid beside what is new: a month at most. */
export const overlapHours = z
  .int()
  .min(0)
  .max(30 * 24)

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

/** Characters of a sender's own reference, as of an address or a file name. */
const MAX_REFERENCE = 255

export const EXPECTED_DOCUMENT_ID = `expected the id of the document: a UUID, or up to ${MAX_REFERENCE} characters of your own; a number of more than 15 digits goes into quotes`

/** What a sender calls a document: a UUID or a reference of its own. Numbers that JavaScript cannot hold are refused. */
export const documentIdSchema = z
  .union([z.string(), z.int()], EXPECTED_DOCUMENT_ID)
  .transform((id) => String(id).normalize())
  .pipe(singleLineText(MAX_REFERENCE))
  .transform((id) => uuid.safeParse(id).data ?? id)
  .meta({
    override: { oneOf: [{ type: 'string', minLength: 1, maxLength: MAX_REFERENCE }, { type: 'integer' }] },
  })

/** As answers show it. */
export const referenceSchema = z
  .string()
  .nullable()
  .describe('What its sender calls the document, where that is no UUID; `document_id` is made of it.')

/** A document, as Galley knows it and as its sender does. */
export interface DocumentName {
  documentId: string
  /** What the sender calls it, where that is no UUID. */
  reference: string | null
}

/**
 * The UUID of a document: its own, or the one of version 5 that its reference has in the namespace of the account. So the
 * same reference is the same document, from any sender of the account and for ever, and none of another account's.
 * @param id as {@link documentIdSchema} reads it
 */
export const nameDocument = (accountId: string, id: string): DocumentName =>
  uuid.safeParse(id).success
    ? { documentId: id, reference: null }
    : { documentId: v5(id, accountId), reference: id }

const isTermName = (name: string): boolean =>
  name.length <= LIMITS.termPath && name.split('>').every((part) => part.trim().length <= LIMITS.termName)

/** Names of categories or tags; their number is checked before each name. */
export const termNames = (what: string) =>
  z
    .array(z.unknown(), `expected an array of ${what} names`)
    .max(LIMITS.terms, { error: `expected at most ${LIMITS.terms} ${what} names`, abort: true })
    .pipe(
      z.array(
        z
          .string(`expected the name of a ${what}, a string`)
          .refine(isTermName, `expected a name of at most ${LIMITS.termName} characters`)
          .refine(isStorable, 'expected a name without NUL and half surrogate pairs'),
      ),
    )
    .meta({
      override: {
        type: 'array',
        items: { type: 'string', maxLength: LIMITS.termPath },
        maxItems: LIMITS.terms,
      },
    })

/** Names without blanks around them, and without those that are nothing else. */
export const trimNames = (names: readonly string[] | null | undefined): string[] =>
  (names ?? []).map((name) => name.trim()).filter((name) => name !== '')
