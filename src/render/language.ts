import type { CodeBlock } from '../contract/tree.ts'
import { withoutEdges } from '../text.ts'
import type { State } from './state.ts'

/** `language-ts`, in the characters that language names are made of; `undefined` where there is none to name. */
export function languageClass({ language }: CodeBlock, { settings }: State): string | undefined {
  if (!settings.code_language_class || language === undefined) return undefined
  // Letters first: the small form of a letter outside ASCII may be one inside it (İ, the Kelvin sign).
  const name = withoutEdges(language.replace(/[^a-z0-9+#.]+/gi, '-'), '-').toLowerCase()
  return name === '' ? undefined : `language-${name}`
}
