import { stripTags } from '../../text.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import type { Snapshot } from '../ledger/row.ts'

/** Whether neither the title nor the address is what it was: a person wrote the post anew, or it is another one. */
export const renamed = (before: Snapshot, now: PostRecord): boolean =>
  (['title', 'slug'] as const).every((field) => before[field] === '' || before[field] !== now[field])

/** Characters of a line that two posts are not likely to share, as they do “Conclusion”. */
const TELLING = 40

/** Whether of the text of `before` no telling line is left, nor half of all its lines. */
export function nothingLeft(before: Snapshot, now: PostRecord): boolean {
  if (before.content !== '' && before.content === now.content) return false
  const is = new Set(linesOf(now.content))
  const was = linesOf(before.content)
  const left = was.filter((line) => is.has(line))
  return !left.some(({ length }) => length >= TELLING) && (left.length === 0 || left.length * 2 < was.length)
}

/** Whether most of the text of `before` is left: whoever has changed it has changed that very text. */
export function mostLeft(before: Pick<Snapshot, 'content'>, now: Pick<PostRecord, 'content'>): boolean {
  const is = new Set(linesOf(now.content))
  const was = linesOf(before.content)
  return was.filter((line) => is.has(line)).length * 2 > was.length
}

/** What a reader sees of each line of a post's markup. */
const linesOf = (markup: string): string[] =>
  stripTags(markup)
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '')
