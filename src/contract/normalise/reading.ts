import type { Warning } from '../../errors.ts'
import { excerpt } from '../../lib/text.ts'
import { collectWarnings } from '../issues.ts'
import { LIMITS, type LimitCode, LimitError } from '../limits.ts'
import { collectTexts, containsAllWords } from './plain-text.ts'

/** State of reading one document. Every count throws a `LimitError` beyond its limit. */
export interface ReadingContext {
  readonly warnings: readonly Warning[]
  readonly size: Readonly<DocumentSize>
  /** Warns of what could not be understood in the current block. */
  warn(code: string, message: string): void
  /** Sets the current block for warnings and errors. */
  enter(path: string, name: string): void
  /**
   * Whether `read` contains all words of `part`. False once the document has used up its budget: nested content is
   * compared again at each level.
   * @param start index in `read` to begin at
   */
  repeats(read: readonly unknown[], part: unknown, start?: number): boolean
  /** Counts one block or list item. */
  count(): void
  /** Counts one inline node as sent. */
  countInline(): void
  /** Counts a table's cells before they are created. */
  countCells(rows: number, width: number): void
  /** Checks a one-line text, such as an address, in the member `name`. */
  line(name: string, text: string): string
  alternativeText(name: string, text: string): string
  description(name: string, text: string): string
  address(name: string, url: string): string
  /** Checks and counts the address of a picture or a recording. */
  file(name: string, url: string): string
  insideList<T>(read: () => T): T
}

interface DocumentSize {
  blocks: number
  inlines: number
  cells: number
}

/** Comparison budget of a document, in characters and visited values: five times that of a long one. */
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
