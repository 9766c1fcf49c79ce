import type { GenerationError } from '../../failure.ts'

/** How an endpoint wants to be asked, where those that speak this API differ. */
export interface Dialect {
  /** How JSON is asked for: by its schema, as any JSON, or in words alone. */
  structured: 'schema' | 'json' | 'text'
  /** Whether the schema is to be kept to the letter: then some refuse what they cannot hold a model to. */
  strict: boolean
  /** What the bound of an answer is called. OpenAI's newer models refuse the older name. */
  bound: 'max_tokens' | 'max_completion_tokens'
}

/** How to ask otherwise after it was refused so; undefined where that would change nothing. */
export function otherwise(
  dialect: Dialect,
  refused: GenerationError,
  pinned: Dialect['structured'] | undefined,
): Dialect | undefined {
  const { status, codes } = (refused.details ?? {}) as { status?: number; codes?: string }
  if (status !== 400 && status !== 422) return undefined
  const about = `${codes} ${refused.message}`
  const { structured, strict, bound } = dialect
  if (bound === 'max_tokens' && /max_completion_tokens/.test(about))
    return { ...dialect, bound: 'max_completion_tokens' }
  if (structured === 'text' || !/response_?format|json_|structured|schema|grammar/i.test(about))
    return undefined
  if (
    structured === 'schema' &&
    strict &&
    /invalid schema|additionalProperties|strict|'required'/i.test(about)
  )
    return { ...dialect, strict: false }
  if (pinned !== undefined) return undefined
  return { ...dialect, structured: structured === 'schema' ? 'json' : 'text' }
}
