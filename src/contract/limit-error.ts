import { GalleyError } from '../errors.ts'
import { grouped } from '../text.ts'
import { LIMITS } from './limits.ts'

/** What is said of a document beyond each limit, by the error's code. */
const messages = {
  document_too_many_values: `The payload holds more than ${grouped(LIMITS.values)} values, objects and arrays included. Split the document into several.`,
  document_too_deep: `The document is nested too deeply: at most ${LIMITS.listDepth} lists inside each other, and ${LIMITS.jsonDepth} levels of objects and arrays. Flatten the innermost and send it again.`,
  document_too_long: `The document holds more than ${grouped(LIMITS.textLength)} characters of text. Split it into several documents.`,
  document_too_many_blocks: `The document has more than ${grouped(LIMITS.blocks)} blocks, list items counted. Split it into several documents.`,
  document_too_many_inlines: `The document has more than ${grouped(LIMITS.inlines)} texts, formats and links. Split it into several documents.`,
  document_too_many_cells: `A table has at most ${grouped(LIMITS.cells)} cells, and all tables of a document ${grouped(LIMITS.documentCells)} together, every row as wide as the widest. Split the table, or leave out what is empty.`,
  document_too_many_files: `The document shows more than ${LIMITS.files} pictures and sounds. Split it into several documents.`,
  document_line_too_long: `Titles, slugs, anchors and names of languages have at most ${grouped(LIMITS.line)} characters. Shorten it and send the document again.`,
  document_description_too_long: `A description has at most ${grouped(LIMITS.description)} characters. Shorten it and send the document again.`,
  document_alt_too_long: `Alternative text has at most ${grouped(LIMITS.alternativeText)} characters. Shorten it and send the document again.`,
  document_address_too_long: `An address has at most ${grouped(LIMITS.address)} characters; pictures and sounds cannot be sent inside one. Give the address where the file is.`,
  document_markup_too_long: `The document becomes more than ${grouped(LIMITS.markupReceived)} bytes of markup, more than WordPress takes on most hosts. Split it into several documents.`,
} as const

export type LimitCode = keyof typeof messages

/** A document beyond one of the `LIMITS`: permanent, the delivery's own, 422. */
export class LimitError extends GalleyError {
  /** Where it is, `data.content.content.12.rows`. */
  readonly path: string

  constructor(code: LimitCode, path = 'data.content') {
    const message = messages[code]
    super({ code, message, fault: 'delivery', httpStatus: 422, details: [{ path, message }] })
    this.path = path
  }
}
