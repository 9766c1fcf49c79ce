import type { Providers, TextProvider } from '../../../src/generation/providers/types.ts'

/** One writer for every tier, and nobody else. */
export const providersOf = ({ text }: { text: TextProvider }): Providers => ({
  text: () => [text],
  research: () => [text],
  search: () => [],
  pictures: () => [],
  speech: () => [],
})
