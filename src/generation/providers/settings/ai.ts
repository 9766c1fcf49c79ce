import type { Mistake } from './mistake.ts'

/** The three settings that suffice for text. */
export interface AiVariables {
  GALLEY_AI_URL?: string | undefined
  GALLEY_AI_KEY?: string | undefined
  GALLEY_AI_MODEL?: string | undefined
}

/** The name of the provider that `GALLEY_AI_URL` describes. */
export const AI = 'ai'

/** What is missing of the three. */
export function aiMistakes({ GALLEY_AI_URL: url, GALLEY_AI_KEY: key, GALLEY_AI_MODEL: model }: AiVariables) {
  const needs = (path: string, by: string): Mistake => ({ path, message: `is required with ${by}` })
  return [
    ...(url !== undefined && model === undefined ? [needs('GALLEY_AI_MODEL', 'GALLEY_AI_URL')] : []),
    ...(url === undefined && (key ?? model) !== undefined
      ? [needs('GALLEY_AI_URL', model === undefined ? 'GALLEY_AI_KEY' : 'GALLEY_AI_MODEL')]
      : []),
  ]
}
