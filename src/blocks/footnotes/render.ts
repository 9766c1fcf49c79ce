import { v5 } from 'uuid'
import type { Inline } from '../index.ts'
import { inlineText } from '../wire.ts'

/** A note as WordPress keeps it, in the meta `footnotes` of the post. */
export interface FootnoteRecord {
  id: string
  /** HTML of the editor. */
  content: string
}

/** Around the id of a note where its number will stand; no text has this character. */
const MARK = '\0'

/** How a reference ends before it has its number: no `sup` to be joined with the next. */
export const REFERENCE_END = `${MARK}</a></sup>`

const references = /<sup[^<>]*><a [^<>]*>\0[^\0]+\0<\/a><\/sup>/g

/** The references to notes of one rendering. */
export interface References {
  /** What stands for a note amid the text. */
  refer(note: Inline[]): string
  /** Numbers the notes as they stand in the markup. What refers to a note may have been left out with what held it. */
  number(markup: string): { markup: string; notes: { id: string; note: Inline[] }[] }
}

/**
 * @param title of the document: with it, notes of two posts on one page have different ids
 * @param inBlock whether the block editor manages them, which tells a reference by its attributes
 */
export function createReferences(title: string, inBlock: boolean): References {
  const ids = new Map<Inline[], string>()
  return {
    refer: (note) => {
      const known = ids.get(note)
      const id = known ?? v5(JSON.stringify([title, ids.size, inlineText(note)]), v5.URL)
      ids.set(note, id)
      const [attributes, own] =
        known === undefined ? [inBlock ? ` data-fn="${id}" class="fn"` : '', ` id="${id}-link"`] : ['', '']
      return `<sup${attributes}><a href="#${id}"${own}>${MARK}${id}${REFERENCE_END}`
    },
    number: (markup) => {
      const numbers = new Map<string, number>()
      const numberOf = (id: string) => {
        const number = numbers.get(id) ?? numbers.size + 1
        numbers.set(id, number)
        return number
      }
      // Every second piece is an id.
      const numbered = markup.split(MARK).map((piece, index) => (index % 2 === 1 ? numberOf(piece) : piece))
      const notes = [...ids].map(([note, id]) => ({ id, note })).filter(({ id }) => numbers.has(id))
      return {
        markup: numbered.join(''),
        notes: notes.sort((one, other) => numberOf(one.id) - numberOf(other.id)),
      }
    },
  }
}

/** A link's words and the references among them, which stand behind it: a link holds no other. */
export function withoutReferences(html: string): [words: string, references: string] {
  if (!html.includes(MARK)) return [html, '']
  return [html.replace(references, ''), (html.match(references) ?? []).join('')]
}
