import type { Block, Inline } from '../../../contract/generation/results.ts'
import { surestStarts } from '../sentences.ts'

/** Openings of headings that teach or sum up, which a report does not do. */
const teaching =
  /^(?:how to|how do|why you|what you|step|tips?|ways to|introduction|conclusion|summary|overview|key takeaways?|takeaways?|faqs?|final thoughts|fazit|einleitung|zusammenfassung|conclusiones|conclusión|introducción)\b/i

/** A crosshead as it may stand in a report; empty where it asks, counts or teaches. */
export const newsHeading = (heading: string): string =>
  /[?？؟]$/.test(heading) || /^\d+[.):]/.test(heading) || teaching.test(heading) ? '' : heading

/** Characters of a paragraph of news, beyond which it is divided: some 70 words. */
const LONGEST = 450

/** The same blocks, with long paragraphs divided between sentences. */
export const shortParagraphs = (blocks: readonly Block[]): Block[] =>
  blocks.flatMap((block) => (block.type === 'paragraph' ? divided(block) : [block]))

function divided(block: Block & { type: 'paragraph' }): Block[] {
  const length = (inlines: readonly Inline[]) => inlines.reduce((all, { text }) => all + text.length, 0)
  if (length(block.content) <= LONGEST) return [block]
  const paragraphs: Inline[][] = [[]]
  for (const piece of block.content.flatMap(sentences)) {
    const last = paragraphs.at(-1) ?? []
    if (piece.begins && length(last) + piece.inline.text.length > LONGEST / 2 && last.length > 0)
      paragraphs.push([piece.inline])
    else last.push(piece.inline)
  }
  return paragraphs.map((content) => ({ type: 'paragraph', content: trimmed(content) }))
}

/** An inline item cut between the sentences in it. `begins`: a sentence begins with this piece. */
function sentences(inline: Inline): { inline: Inline; begins: boolean }[] {
  if (inline.type !== 'text') return [{ inline, begins: false }]
  const starts = [0, ...surestStarts(inline.text)]
  return starts.map((start, at) => ({
    inline: { type: 'text', text: inline.text.slice(start, starts[at + 1]) },
    begins: at > 0,
  }))
}

/** Without a space at its ends. */
function trimmed(content: readonly Inline[]): Inline[] {
  const all = content.map((inline, index) => ({
    ...inline,
    text: index === content.length - 1 ? inline.text.trimEnd() : inline.text,
  }))
  return all.filter(({ text }) => text !== '')
}
