import { GalleyError } from '../errors.ts'
import { withThousandsSeparators } from '../lib/text.ts'

/**
 * Limits of a document and its markup. Checked at intake, before it is stored, and again at rendering. Exceeding one is
 * a named error, never a crash: a table of 42 KB can have 49 million cells. An article of 10,000 words is a hundredth of
 * most of these.
 */
export const LIMITS = {
  /** Values in a payload, including objects and arrays. Each takes 50 to 100 bytes once parsed. */
  values: 500_000,
  /** Nested objects and arrays in a payload; a list inside a list takes four. */
  jsonDepth: 500,
  /** UTF-16 code units in all strings of a payload but files; as text it must fit into `markup` anyway. */
  textLength: 4_000_000,
  /** Blocks of a document, including list items and the paragraphs of a quote, as the block editor counts. */
  blocks: 20_000,
  /** Nested lists. A browser stops nesting at 512 open elements, and each list takes two. */
  listDepth: 100,
  /** Texts, formats, links and code inside blocks: four per cell of the largest table. */
  inlines: 200_000,
  /** Cells of a table, header included, every row as wide as the widest. The editor opens no larger one. */
  cells: 50_000,
  /** Cells of all tables of a document; an empty one takes nine bytes of markup. */
  documentCells: 100_000,
  /** Characters of LaTeX in a formula, and in all of a document; a thousand take some 15 ms to set. More stays LaTeX. */
  formula: 2_000,
  formulas: 30_000,
  /** Pictures and recordings of a document. Each is fetched, and uploaded in a request of some seconds. */
  files: 500,
  /** A title, slug, anchor or language of code. WordPress stores 65,535 bytes of a title, and pages repeat it. */
  line: 2_000,
  /** The description, which becomes the excerpt: WordPress stores 65,535 bytes, at three per character. */
  description: 20_000,
  /** Alternative text, which a screen reader reads to its end. */
  alternativeText: 5_000,
  /** An address, unless it is a `data:` one. Servers accept 8 KB for the request line (nginx, Apache). */
  address: 8_000,
  /** Categories, and tags. Each takes a request or two. */
  terms: 100,
  /** The name of a term, the length of `wp_terms.name`. */
  termName: 200,
  /** A category's path, `News > Local`. */
  termPath: 1_000,
  /** Bytes of markup. PHP accepts requests of 8 MB (`post_max_size`), and JSON may take two bytes per character. */
  markup: 4 * 1024 * 1024,
  /** The part allowed at intake: the site's addresses of its files may be longer. */
  markupReceived: 3 * 1024 * 1024,
  /** Warnings of one reading or rendering. */
  warnings: 100,
  /** Characters of one warning. */
  warningLength: 500,
  /** Mistakes per answer, and characters of the path of each. */
  issues: 50,
  issuePath: 200,
} as const

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
  document_address_too_long: `An address has at most ${withThousandsSeparators(LIMITS.address)} characters, unless the file itself stands in it (data:image/png;base64,…). Shorten it and send the document again.`,
  document_too_slow:
    'The document takes longer to read than Galley waits for one document. Split it into several, or send it in Galley’s own format.',
  document_markup_too_long: `The document becomes more than ${withThousandsSeparators(LIMITS.markupReceived)} bytes of markup, more than WordPress takes on most hosts. Split it into several documents.`,
} as const

export type LimitCode = keyof typeof messages

/** A document beyond one of the `LIMITS`: permanent, specific to the delivery, 422. */
export class LimitError extends GalleyError {
  /** `data.content.content.12.rows` */
  readonly path: string

  constructor(code: LimitCode, path = 'data.content', cause?: unknown) {
    const message = messages[code]
    super({ code, message, fault: 'delivery', httpStatus: 422, details: [{ path, message }], cause })
    this.path = path
  }
}
