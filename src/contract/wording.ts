import { z } from 'zod'
import { excerpt } from '../text.ts'
import { closest } from './closest.ts'

type Issue<Code> = Extract<z.core.$ZodRawIssue, { code: Code }>

/** A type as JSON has it, and a person reads it. */
const types: Readonly<Record<string, string>> = {
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
const formats: Readonly<Record<string, string>> = {
  guid: 'a UUID, such as 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
  uuid: 'a UUID, such as 5f0c7a52-9d1e-4f6b-8a59-2f6d0e0f7b11',
  url: 'a full address, such as https://example.com',
  email: 'an e-mail address',
  datetime: 'a date and time, such as 2026-11-21T09:30:00Z',
  date: 'a date, such as 2026-11-21',
}

/** `at least 1` of what is counted: letters, entries, or the number itself. */
function bound(limit: 'at most' | 'at least', value: number | bigint, origin: string): string {
  const counted = { string: 'character', array: 'entry', set: 'entry', map: 'entry' }[origin]
  if (counted === undefined) return `must be ${limit} ${value}`
  if (limit === 'at least' && Number(value) === 1) return 'must not be empty'
  const one = Number(value) === 1
  return `must have ${limit} ${value} ${one ? counted : counted === 'entry' ? 'entries' : `${counted}s`}`
}

/** What stands inside a union, a key or an entry, each sentence once. */
const inside = (issues: readonly { message: string }[]): string =>
  [...new Set(issues.map(({ message }) => message))].join(', and ')

/** What each kind of mistake is called. A kind that a newer zod brings does not compile until it has its words. */
const words: { [Code in z.core.$ZodIssueCode]: (issue: Issue<Code>) => string | undefined } = {
  invalid_type: ({ expected, input }) => {
    // JSON and query strings carry numbers as text, and `Number('x')` is no number.
    const wanted = `must be ${types[expected] ?? `a ${expected}`}`
    return input === undefined ? `is missing: it ${wanted}` : wanted
  },
  invalid_value: ({ values, input }) => {
    const allowed = values.map((value) => JSON.stringify(value)).join(' or ')
    return input === undefined ? `is missing: it must be ${allowed}` : `must be ${allowed}`
  },
  too_big: ({ maximum, origin, inclusive, exact }) =>
    exact
      ? `must have exactly ${maximum} ${origin === 'string' ? 'characters' : 'entries'}`
      : bound('at most', inclusive === false ? Number(maximum) - 1 : maximum, origin),
  too_small: ({ minimum, origin, inclusive, exact }) =>
    exact
      ? `must have exactly ${minimum} ${origin === 'string' ? 'characters' : 'entries'}`
      : bound('at least', inclusive === false ? Number(minimum) + 1 : minimum, origin),
  invalid_format: ({ format }) =>
    formats[format] === undefined ? 'is not in the form that it must have' : `must be ${formats[format]}`,
  not_multiple_of: ({ divisor }) => `must be a multiple of ${divisor}`,
  unrecognized_keys: ({ keys, inst }) => {
    const known = inst instanceof z.ZodObject ? Object.keys(inst.shape) : []
    const sentences = keys.slice(0, NAMED).map((key) => unknownMember(key, known))
    if (keys.length > NAMED) sentences.push(`and ${keys.length - NAMED} more are not known`)
    return sentences.join('; ')
  },
  invalid_union: ({ errors, options, input, discriminator }) => {
    if (discriminator !== undefined && Array.isArray(options))
      return `its "${discriminator}" must be ${options.map((option) => JSON.stringify(option)).join(' or ')}`
    const sentences = [...new Set(errors.map(inside))].filter((sentence) => sentence !== '')
    if (sentences.length === 0) return 'has a value that is not allowed here'
    return input === undefined && sentences.every((sentence) => sentence.startsWith('is missing: it '))
      ? `is missing: it ${sentences.map((sentence) => sentence.slice('is missing: it '.length)).join(', or ')}`
      : sentences.join(', or ')
  },
  invalid_key: ({ issues }) => `has a name that is not allowed: it ${inside(issues)}`,
  invalid_element: ({ issues }) => `has an entry that is not allowed: it ${inside(issues)}`,
  custom: () => 'has a value that is not allowed here',
}

/** Most characters of a stranger's name for something that a sentence repeats. */
const SHOWN = 60
/** Most unknown names of one object that are told: a body may hold hundreds of thousands. */
const NAMED = 10
/** Most names that a sentence lists. */
const LISTED = 30

/** `"poststatus" is not known here: did you mean "post_status"?`, or what is known. */
export function unknownMember(name: string, known: readonly string[]): string {
  const shown = JSON.stringify(excerpt(name, SHOWN))
  const meant = closest(name, known)
  if (meant !== undefined) return `${shown} is not known here: did you mean "${meant}"?`
  if (known.length === 0) return `${shown} is not known here; nothing is accepted`
  return `${shown} is not known here: known are ${known.slice(0, LISTED).join(', ')}`
}

/** Says what is wrong with a value in plain English, as a phrase after the name of the field. */
const wording: z.core.$ZodErrorMap = (issue) =>
  (words[issue.code] as ((issue: z.core.$ZodRawIssue) => string | undefined) | undefined)?.(issue)

// For every schema of this process: whoever reads with one gets these words, and its own where a schema has them.
z.config({ customError: wording })
