import { GalleyError } from '../errors.ts'
import { withThousandsSeparators } from '../lib/text.ts'

/**
 * What a document may be at most, and what it may become. Checked where it is received, before it is stored, and again
 * where it is rendered. Beyond a limit the answer is an error that names it, never a crash: a table of 42 KB can have 49
 * million cells. An article of 10,000 words is a hundredth of most of these.
 */
export const LIMITS = {
  /** Values in a payload, objects and arrays included. Each takes 50 to 100 bytes once it is parsed. */
  values: 500_000,
  /** Objects and arrays inside each other in a payload; four of them are one list inside a list. */
  jsonDepth: 500,
  /** UTF-16 code units in all strings of a payload together: as text it must fit into `markup` anyway. */
  textLength: 4_000_000,
  /** Blocks of a document, list items and the paragraphs of a quote counted, as the block editor does. */
  blocks: 20_000,
  /** Lists inside lists. A browser stops nesting at 512 open elements, and each list takes two. */
  listDepth: 100,
  /** Texts, formats, links and code inside blocks: four for every cell of the largest table. */
  inlines: 200_000,
  /** Cells of a table, every row as wide as the widest, the header one of them. The editor opens no larger one. */
  cells: 50_000,
  /** Cells of all tables of a document: nine bytes of markup each where there is nothing in them. */
  documentCells: 100_000,
  /** Pictures and sounds of a document. Each is fetched, and uploaded in a request that takes a site seconds. */
  files: 500,
  /** A title, a slug, an anchor, the language of code. WordPress has 65,535 bytes for a title, and pages repeat it. */
  line: 2_000,
  /** The description, which becomes the excerpt: 65,535 bytes in WordPress, at three for a character. */
  description: 20_000,
  /** Alternative text, which a screen reader reads out to its end. */
  alternativeText: 5_000,
  /** An address. Servers take 8 KB for the first line of a request (nginx, Apache). */
  address: 8_000,
  /** Categories, and tags. Each costs the site a request or two. */
  terms: 100,
  /** The name of one term: `wp_terms.name` is as long. */
  termName: 200,
  /** A category's path, `News > Local`. */
  termPath: 1_000,
  /**
   * Bytes of the markup that a document becomes. PHP takes requests of 8 MB unless a host has raised `post_max_size`, and
   * as JSON a character may take two.
   */
  markup: 4 * 1024 * 1024,
  /** Of them, what a document may take where it is received: the site's addresses of its files may be longer. */
  markupReceived: 3 * 1024 * 1024,
  /** Warnings of one reading, or of one rendering; a person reads the first few. */
  warnings: 100,
  /** Of one warning. */
  warningLength: 500,
  /** Mistakes that one answer names, and characters of the path of each. */
  issues: 50,
  issuePath: 200,
} as const

/** What is said of a document beyond each limit, by the error's code. */
const messages = {
  document_too_many_values: `The payload holds more than ${withThousandsSeparators(LIMITS.values)} values, objects and arrays included. Split the document into several.`,
  document_too_deep: `The document is nested too deeply: at most ${LIMITS.listDepth} lists inside each other, and ${LIMITS.jsonDepth} levels of objects and arrays. Flatten the innermost and send it again.`,
  document_too_long: `The document holds more than ${withThousandsSeparators(LIMITS.textLength)} characters of text. Split it into several documents.`,
  document_too_many_blocks: `The document has more than ${withThousandsSeparators(LIMITS.blocks)} blocks, list items counted. Split it into several documents.`,
  document_too_many_inlines: `The document has more than ${withThousandsSeparators(LIMITS.inlines)} texts, formats and links. Split it into several documents.`,
  document_too_many_cells: `A table has at most ${withThousandsSeparators(LIMITS.cells)} cells, and all tables of a document ${withThousandsSeparators(LIMITS.documentCells)} together, every row as wide as the widest. Split the table, or leave out what is empty.`,
  document_too_many_files: `The document shows more than ${LIMITS.files} pictures and sounds. Split it into several documents.`,
  document_line_too_long: `Titles, slugs, anchors and names of languages have at most ${withThousandsSeparators(LIMITS.line)} characters. Shorten it and send the document again.`,
  document_description_too_long: `A description has at most ${withThousandsSeparators(LIMITS.description)} characters. Shorten it and send the document again.`,
  document_alt_too_long: `Alternative text has at most ${withThousandsSeparators(LIMITS.alternativeText)} characters. Shorten it and send the document again.`,
  document_address_too_long: `An address has at most ${withThousandsSeparators(LIMITS.address)} characters; pictures and sounds cannot be sent inside one. Give the address where the file is.`,
  document_markup_too_long: `The document becomes more than ${withThousandsSeparators(LIMITS.markupReceived)} bytes of markup, more than WordPress takes on most hosts. Split it into several documents.`,
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
