import type { z } from 'zod'
import { beginning, excerpt as cut } from '../text.ts'
import { LIMITS } from './limits.ts'
import './wording.ts'

/** One thing wrong with a payload: which field, and what was wrong and what is allowed. */
export interface Issue {
  /** `data.content.meta.title`; empty for the payload as a whole. */
  path: string
  message: string
}

/** zod's issues as sentences, each with the value that was found. */
export const issuesOf = (error: z.ZodError, input: unknown): Issue[] =>
  fewest(error.issues).map(({ path, message }) => {
    const found = path.reduce<unknown>(member, input)
    return {
      path: pathOf(path),
      message: found === undefined ? missing(message) : `${message}; got ${excerpt(found)}`,
    }
  })

/** As many mistakes as somebody reads: a list of a hundred thousand wrong values is one. */
export const fewest = <T>(issues: readonly T[]): readonly T[] => issues.slice(0, LIMITS.issues)

/** `data.content.12.rows`, cut where a name in it is long. */
export const pathOf = (path: readonly PropertyKey[]): string =>
  cut(path.map((key) => cut(String(key), LIMITS.issuePath)).join('.'), LIMITS.issuePath)

const missing = (message: string): string =>
  message.startsWith('is missing') ? message : `missing: ${message}`

const member = (value: unknown, key: PropertyKey): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined

/** Enough of a value to recognise it; containers by kind only, as they may be deep. */
export function excerpt(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = typeof value === 'string' ? JSON.stringify(beginning(value, 61)) : String(value)
  return cut(text, 60)
}
