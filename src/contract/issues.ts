import levenshtein from 'fastest-levenshtein'
import { z } from 'zod'
import { setOf } from '../blocks/wire.ts'
import { excerpt, truncate } from '../lib/text.ts'
import { LIMITS } from './limits.ts'

/** One thing wrong with a payload: which field, and what was wrong and what is allowed. */
export interface Issue {
  /** `data.content.meta.title`; empty for the payload as a whole. */
  path: string
  message: string
}

/** zod's issues as sentences, each with the value that was found. */
export const toIssues = (error: z.ZodError, input: unknown): Issue[] =>
  capIssues(error.issues).map(({ path, message }) => {
    const found = path.reduce<unknown>(member, input)
    return {
      path: formatPath(path),
      message: found === undefined ? missing(message) : `${message}; got ${excerptValue(found)}`,
    }
  })

/** As many mistakes as somebody reads: a list of a hundred thousand wrong values is one. */
export const capIssues = <T>(issues: readonly T[]): readonly T[] => issues.slice(0, LIMITS.issues)

/** `data.content.12.rows`, cut where a name in it is long. */
export const formatPath = (path: readonly PropertyKey[]): string =>
  excerpt(path.map((key) => excerpt(String(key), LIMITS.issuePath)).join('.'), LIMITS.issuePath)

const missing = (message: string): string =>
  message.startsWith('is missing') ? message : `missing: ${message}`

const member = (value: unknown, key: PropertyKey): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined

/** Enough of a value to recognise it; containers by kind only, as they may be deep. */
export function excerptValue(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(truncate(value, 61)) : String(value)
  return excerpt(text, 60)
}

/** Case, and what divides words, are not what people mean: `featuredImage` is `featured_image`. */
export const normalisedName = (name: string): string => name.toLowerCase().replaceAll(/[_\s-]/g, '')

/** Longest name that is compared: what is longer is no slip of the fingers, and comparing takes its length squared. */
const MAX_NAME_LENGTH = 100

/** Words that are a slip away from a name, and mean another thing. */
const otherWords = setOf(
  'blink city consent contest context date fill food foster frame later lever line locks match none one posted ' +
    'quota sides star stars stat test tile with',
)

/** The one of `names` that somebody who wrote `name` probably meant: one letter in four may be wrong. */
export function closestName(name: string, names: readonly string[]): string | undefined {
  const meant = normalisedName(name)
  if (meant === '' || meant.length > MAX_NAME_LENGTH || otherWords.has(meant)) return undefined
  let closest: string | undefined
  let fewest = Infinity
  for (const other of names) {
    const known = normalisedName(other)
    const most = known.length / 4
    // Each letter too many or too few is a slip.
    if (Math.abs(known.length - meant.length) > most) continue
    const slips = slipsBetween(meant, known)
    if (slips <= most && slips < fewest) [closest, fewest] = [other, slips]
  }
  return closest
}

/** How many letters differ; two neighbours that changed places are one slip. */
function slipsBetween(name: string, other: string): number {
  // Hardly anybody mistypes the first letter alone: `weight` is no `height`.
  if (name !== other && name.slice(1) === other.slice(1)) return name.length
  const distance = levenshtein.distance(name, other)
  if (distance !== 2) return distance
  const at = [...name].findIndex((_, index) => name[index] !== other[index])
  return name.slice(0, at) + name.charAt(at + 1) + name.charAt(at) + name.slice(at + 2) === other ? 1 : 2
}

type RawIssue<Code> = Extract<z.core.$ZodRawIssue, { code: Code }>

/** A type as JSON has it, and a person reads it. */
const typeNames: Readonly<Record<string, string>> = {
  string: 'a string',
  number: 'a number',
  int: 'a whole number',
  boolean: 'true or false',
  array: 'an array',
  object: 'an object',
  record: 'an object',
  null: 'null',
  undefined: 'left out',
  never: 'left out',
}

/** Formats of strings, as `must be …` goes on. */
const formatPhrases: Readonly<Record<string, string>> = {
  guid: 'a UUID, such as 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
  uuid: 'a UUID, such as 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
  url: 'a full address, such as https://example.com',
  email: 'an e-mail address',
  datetime: 'a date and time, such as 2026-11-21T09:30:00Z',
  date: 'a date, such as 2026-11-21',
}

type BoundIssue = Pick<RawIssue<'too_big' | 'too_small'>, 'origin' | 'inclusive' | 'exact'>

/** `at least 1` of what is counted: letters, entries, or the number itself. */
function bound(isMost: boolean, limit: number | bigint, { origin, inclusive, exact }: BoundIssue): string {
  if (exact) return `must have exactly ${limit} ${origin === 'string' ? 'characters' : 'entries'}`
  const value = inclusive === false ? Number(limit) + (isMost ? -1 : 1) : limit
  const one = Number(value) === 1
  if (!['string', 'array', 'set', 'map'].includes(origin))
    return isMost ? `must be at most ${value}` : `must be at least ${value}`
  if (one && !isMost) return 'must not be empty'
  return origin === 'string'
    ? `must have ${isMost ? 'at most' : 'at least'} ${value} ${one ? 'character' : 'characters'}`
    : `must have ${isMost ? 'at most' : 'at least'} ${value} ${one ? 'entry' : 'entries'}`
}

/** What stands inside a union, a key or an entry, each sentence once. */
const joinMessages = (issues: readonly { message: string }[]): string =>
  [...new Set(issues.map(({ message }) => message))].join(', and ')

/** What each kind of mistake is called. A kind that a newer zod brings does not compile until it has its words. */
const issuePhrases: { [Code in z.core.$ZodIssueCode]: (issue: RawIssue<Code>) => string | undefined } = {
  invalid_type: ({ expected, input }) => {
    // JSON and query strings carry numbers as text, and `Number('x')` is no number.
    const wanted = `must be ${typeNames[expected] ?? 'of another type'}`
    return input === undefined ? `is missing: it ${wanted}` : wanted
  },
  invalid_value: ({ values, input }) => {
    const allowed = values.map((value) => JSON.stringify(value)).join(' or ')
    const wanted = `must be ${allowed}`
    return input === undefined ? `is missing: it ${wanted}` : wanted
  },
  too_big: (issue) => bound(true, issue.maximum, issue),
  too_small: (issue) => bound(false, issue.minimum, issue),
  invalid_format: ({ format }) =>
    formatPhrases[format] === undefined
      ? 'is not in the form that it must have'
      : `must be ${formatPhrases[format]}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys, inst }) => {
    const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : []
    const sentences = keys.slice(0, MAX_UNKNOWN_NAMES).map((key) => unknownMemberMessage(key, known))
    if (keys.length > MAX_UNKNOWN_NAMES)
      sentences.push(`and ${keys.length - MAX_UNKNOWN_NAMES} more are not known`)
    return sentences.join('; ')
  },
  invalid_union: ({ errors, options, input, discriminator }) => {
    if (discriminator !== undefined && Array.isArray(options))
      return `its "${discriminator}" must be ${options.map((option) => JSON.stringify(option)).join(' or ')}`
    const sentences = [...new Set(errors.map(joinMessages))].filter((sentence) => sentence !== '')
    if (sentences.length === 0) return 'has a value that is not allowed here'
    return input === undefined && sentences.every((sentence) => sentence.startsWith('is missing: it '))
      ? `is missing: it ${sentences.map((sentence) => sentence.slice('is missing: it '.length)).join(', or ')}`
      : sentences.join(', or ')
  },
  invalid_key: ({ issues }) => `has a name that is not allowed: it ${joinMessages(issues)}`,
  invalid_element: ({ issues }) => `has an entry that is not allowed: it ${joinMessages(issues)}`,
  custom: () => 'has a value that is not allowed here',
}

/** Most characters of a stranger's name for something that a sentence repeats. */
const MAX_SHOWN_NAME = 60
/** Most unknown names of one object that are told: a body may hold hundreds of thousands. */
const MAX_UNKNOWN_NAMES = 10
const MAX_LISTED_NAMES = 30

/** `"poststatus" is not known here: did you mean "post_status"?`, or what is known. */
export function unknownMemberMessage(name: string, known: readonly string[]): string {
  const shown = JSON.stringify(excerpt(name, MAX_SHOWN_NAME))
  const meant = closestName(name, known)
  if (meant !== undefined) return `${shown} is not known here: did you mean "${meant}"?`
  if (known.length === 0) return `${shown} is not known here; nothing is accepted`
  return `${shown} is not known here: known are ${known.slice(0, MAX_LISTED_NAMES).join(', ')}`
}

/** Says what is wrong with a value in plain English, as a phrase after the name of the field. */
const zodErrorMap: z.core.$ZodErrorMap = (issue) =>
  (issuePhrases[issue.code] as ((issue: z.core.$ZodRawIssue) => string | undefined) | undefined)?.(issue)

// For every schema of this process: whoever reads with one gets these words, and its own where a schema has them.
z.config({ customError: zodErrorMap })
