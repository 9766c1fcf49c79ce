import { createHash } from 'node:crypto'
import { decodeHTML } from 'entities'

/** The text of a post: what a person edits and what kses rewrites. */
export interface PostText {
  title: string
  content: string
  excerpt: string
}

/**
 * Identifies the text of a post whether it was read from what we sent or from what WordPress stored. Kses
 * rewrites without changing the meaning: `/>` becomes ` />`, `&#91;` becomes `&#091;`, a bare `&` becomes
 * `&amp;` (docs/wordpress.md); stored bytes are therefore never compared with sent bytes.
 */
export function fingerprint({ title, content, excerpt }: PostText): string {
  const neutral = [title, content, excerpt].map(withoutKsesTraces)
  return createHash('sha256').update(JSON.stringify(neutral)).digest('hex')
}

/** Whether a text was stored as it was sent, but for what kses rewrites. */
export const isSameText = (stored: string, sent: string): boolean =>
  withoutKsesTraces(stored) === withoutKsesTraces(sent)

const withoutKsesTraces = (text: string): string =>
  decodeHTML(text).replaceAll(' />', '/>').replaceAll('\r\n', '\n').trim()
