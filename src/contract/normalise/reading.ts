import type { Warning } from '../../errors.ts'
import { excerpt } from '../../lib/text.ts'
import { collectWarnings } from '../issues.ts'
import { LIMITS, type LimitCode, LimitError } from '../limits.ts'
import { collectTexts, containsAllWords } from './plain-text.ts'

/** What one reading of a document gathers on its way. Every count throws a `LimitError` where it is exceeded. */
export interface ReadingContext {
  readonly warnings: readonly Warning[]
  /** What was read so far. */
  readonly size: Readonly<DocumentSize>
  /** Says what could not be understood; `where` is the block being read. */
  warn(code: string, message: string): void
  /** Names the block being read, for the warnings and errors that follow. */
  enter(path: string, name: string): void
  /**
   * Whether what is read says all words of another part. Where a document has had much compared, no more is: what holds
   * both is looked at again with each level around it.
   * @param start where in `read` to begin
   */
  repeats(read: readonly unknown[], part: unknown, start?: number): boolean
  /** Counts one block or list item. */
  count(): void
  /** Counts one inline node as it was sent. */
  countInline(): void
  /** Counts a table's cells, before any is made. */
  countCells(rows: number, width: number): void
  /** A text of one line, an address and the like, in the member `name` of what is being read. */
  line(name: string, text: string): string
  alternativeText(name: string, text: string): string
  description(name: string, text: string): string
  address(name: string, url: string): string
  /** The address of a picture or a sound. */
  file(name: string, url: string): string
  /** Reads the insides of a list. */
  insideList<T>(read: () => T): T
}

/** How much there is of what becomes markup. */
interface DocumentSize {
  blocks: number
  inlines: number
  cells: number
}

/** Characters in all that one document has compared, and values that were looked at for them: five times what is in a long one. */
const MAX_COMPARED = 500_000

export function createReading(): ReadingContext {
  const warnings = collectWarnings()
  const size: DocumentSize = { blocks: 0, inlines: 0, cells: 0 }
  const files = new Set<string>()
  let where = 'The document'
  let path = 'data'
  let depth = 0
  let compared = 0
  const refuse = (code: LimitCode, name?: string): never => {
    throw new LimitError(code, name === undefined ? path : `${path}.${name}`)
  }
  const within =
    (most: number, code: LimitCode) =>
    (name: string, text: string): string =>
      text.length > most ? refuse(code, name) : text
  const address = within(LIMITS.address, 'document_address_too_long')
  return {
    warnings: warnings.list,
    size,
    warn: (code, message) => warnings.add(code, `${where}: ${excerpt(message, LIMITS.warningLength)}`),
    enter: (at, name) => {
      path = at
      where = name
    },
    repeats: (read, part, start = 0) => {
      if (compared > MAX_COMPARED) return false
      const [before, words] = [collectTexts(read.slice(start)), collectTexts(part)]
      for (const { text, values } of [before, words]) compared += text.length + values
      return containsAllWords(before.text, words.text)
    },
    count: () => {
      size.blocks += 1
      if (size.blocks > LIMITS.blocks) refuse('document_too_many_blocks')
    },
    countInline: () => {
      size.inlines += 1
      if (size.inlines > LIMITS.inlines) refuse('document_too_many_inlines')
    },
    countCells: (rows, width) => {
      size.cells += rows * width
      if (rows * width > LIMITS.cells || size.cells > LIMITS.documentCells)
        refuse('document_too_many_cells', 'rows')
    },
    line: within(LIMITS.line, 'document_line_too_long'),
    alternativeText: within(LIMITS.alternativeText, 'document_alt_too_long'),
    description: within(LIMITS.description, 'document_description_too_long'),
    address,
    file: (name, url) => {
      files.add(address(name, url))
      return files.size > LIMITS.files ? refuse('document_too_many_files') : url
    },
    insideList: (read) => {
      depth += 1
      if (depth > LIMITS.listDepth) refuse('document_too_deep')
      const result = read()
      depth -= 1
      return result
    },
  }
}
