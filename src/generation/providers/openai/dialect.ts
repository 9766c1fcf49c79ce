import type { GenerationError } from '../../failure.ts'

/** How an endpoint wants to be asked, where those that speak this API differ. */
export interface Dialect {
  /** How JSON is asked for: by its schema, as any JSON, or in words alone. */
  structured: 'schema' | 'json' | 'text'
  /** What the bound of an answer is called. OpenAI's newer models refuse the older name. */
  bound: 'max_tokens' | 'max_completion_tokens'
}

/** How to ask otherwise after it was refused so; undefined where that would change nothing. */
export function otherwise(
  dialect: Dialect,
  refused: GenerationError,
  pinned: Dialect['structured'] | undefined,
): Dialect | undefined {
  const { status } = (refused.details ?? {}) as { status?: number }
  if (status !== 400 && status !== 422) return undefined
  const about = `${(refused.details as { codes?: string }).codes} ${refused.message}`
  if (dialect.bound === 'max_tokens' && /max_completion_tokens/.test(about))
    return { ...dialect, bound: 'max_completion_tokens' }
  if (pinned !== undefined || dialect.structured === 'text') return undefined
  if (!/response_?format|json_?schema|json_?object|structured|schema|grammar/i.test(about)) return undefined
  return { ...dialect, structured: dialect.structured === 'schema' ? 'json' : 'text' }
}
