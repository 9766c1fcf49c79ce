import type { GenerationError } from '../failure.ts'
import type { Access } from './access.ts'
import { LONGEST_FAILURE } from './failure-answer.ts'
import { refusal } from './refusal.ts'

/** A failure that came as a 200, as OpenRouter's do; undefined where the answer tells of none. */
export function failureInside(access: Access, body: string): GenerationError | undefined {
  const { error } = objectIn(body) as { error?: { code?: unknown } | null }
  if (error === undefined || error === null) return undefined
  const code = Number(error.code)
  return refusal(access, { status: code >= 400 && code <= 599 ? code : 502, headers: {}, body })
}

function objectIn(body: string): object {
  if (body.length > LONGEST_FAILURE) return {}
  try {
    const value: unknown = JSON.parse(body)
    return value !== null && typeof value === 'object' ? value : {}
  } catch {
    return {}
  }
}
