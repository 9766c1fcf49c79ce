import type { z } from 'zod'
import './wording.ts'

/** One thing wrong with a payload: which field, and what was wrong and what is allowed. */
export interface Issue {
  /** `data.content.meta.title`; empty for the payload as a whole. */
  path: string
  message: string
}

/** zod's issues as sentences, each with the value that was found. */
export const issuesOf = (error: z.ZodError, input: unknown): Issue[] =>
  error.issues.map(({ path, message }) => {
    const found = path.reduce<unknown>(member, input)
    return {
      path: path.map(String).join('.'),
      message: found === undefined ? missing(message) : `${message}; got ${excerpt(found)}`,
    }
  })

const missing = (message: string): string =>
  message.startsWith('is missing') ? message : `missing: ${message}`

const member = (value: unknown, key: PropertyKey): unknown =>
  value !== null && typeof value === 'object' ? (value as Record<PropertyKey, unknown>)[key] : undefined

/** Enough of a value to recognise it; containers by kind only, as they may be deep. */
export function excerpt(value: unknown): string {
  if (Array.isArray(value)) return `an array of ${value.length}`
  if (value !== null && typeof value === 'object') return 'an object'
  const text = JSON.stringify(value)
  return text.length > 60 ? `${text.slice(0, 60)}…` : text
}
