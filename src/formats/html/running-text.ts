import { nest, type Running, type WireInline } from '../foreign.ts'

/**
 * Running text as leaves in reading order, each with the formats that lie on it. Formats of HTML may begin and end anywhere;
 * as marks of leaves they need no tree until the end.
 */
export interface Leaf {
  readonly marks: readonly Mark[]
  /** Text, or an item of running text that has none of its own: a break, a formula, a footnote. */
  readonly text?: string
  readonly item?: WireInline
  readonly verbatim?: boolean
}

/** `{type: 'bold'}`, `{type: 'link', url}`: an item of running text without its words. */
export type Mark = WireInline

/** Running text, as a string where it is nothing else. */
export type RunningText = string | Running

export const BREAK: Leaf = { marks: [], item: { type: 'break' } }

const isBreak = ({ item }: Leaf): boolean => item?.type === 'break'

/** Adds a format; an inner link replaces an outer one, and code stays the innermost since it holds only a string. */
export function withMark(marks: readonly Mark[], mark: Mark): readonly Mark[] {
  if (marks.some(({ type }) => type === mark.type && type !== 'link')) return marks
  const others = marks.filter(({ type }) => type !== mark.type && type !== 'code')
  const code = marks.filter(({ type }) => type === 'code')
  return [...others, mark, ...code]
}

/** Collapses white space as a browser does: none at the ends, none around a break. */
function collapsed(leaves: readonly Leaf[]): Leaf[] {
  const kept: Leaf[] = []
  let afterSpace = true
  for (const leaf of leaves) {
    if (leaf.text === undefined || leaf.verbatim) {
      if (isBreak(leaf)) trimEnd(kept)
      kept.push(leaf)
      afterSpace = isBreak(leaf)
      continue
    }
    const text = leaf.text.replace(/[ \t\n\r\f]+/g, ' ')
    const rest = afterSpace && text.startsWith(' ') ? text.slice(1) : text
    if (rest === '') continue
    kept.push({ ...leaf, text: rest })
    afterSpace = rest.endsWith(' ')
  }
  trimEnd(kept)
  while (kept.length > 0 && isBreak(kept.at(-1) as Leaf)) {
    kept.pop()
    trimEnd(kept)
  }
  const start = kept.findIndex((leaf) => !isBreak(leaf))
  return start === -1 ? [] : kept.slice(start)
}

function trimEnd(leaves: Leaf[]): void {
  const last = leaves.at(-1)
  if (last?.text === undefined || last.verbatim || !last.text.endsWith(' ')) return
  leaves.pop()
  const text = last.text.slice(0, -1)
  if (text !== '') leaves.push({ ...last, text })
}

/** Splits at two breaks or more: they separate paragraphs in mail and in old editors. */
export function paragraphsOf(leaves: readonly Leaf[]): Leaf[][] {
  const paragraphs: Leaf[][] = [[]]
  const tidy = collapsed(leaves)
  for (const [index, leaf] of tidy.entries()) {
    const after = tidy[index + 1]
    if (isBreak(leaf) && ((after && isBreak(after)) || paragraphs.at(-1)?.length === 0)) {
      if (paragraphs.at(-1)?.length !== 0) paragraphs.push([])
    } else paragraphs.at(-1)?.push(leaf)
  }
  return paragraphs.filter((paragraph) => paragraph.length > 0)
}

/** The leaves as running text of a document. */
export const toRunning = (leaves: readonly Leaf[]): RunningText =>
  joined(
    nest(
      leaves.map(({ marks, item, text = '' }) => ({ content: [item ?? text], around: marks })),
      joined,
    ),
  )

function joined(parts: Running): RunningText {
  const items: (string | WireInline)[] = []
  for (const part of parts) {
    const last = items.at(-1)
    if (typeof last === 'string' && typeof part === 'string') items[items.length - 1] = last + part
    else items.push(part)
  }
  return simplified(items)
}

/** Running text that is nothing but a string as that. */
export function simplified(items: Running): RunningText {
  const [only = ''] = items
  return items.length < 2 && typeof only === 'string' ? only : items
}
