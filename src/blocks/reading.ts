import { LIMITS, type LimitCode, LimitError } from '../contract/limits.ts'
import { isDataUrl, shortDataUrl } from '../contract/payload.ts'
import type { Warning } from '../errors.ts'
import { excerpt, truncate } from '../lib/text.ts'
import type { WarningCode } from '../warnings.ts'
import { repairAddress } from './addresses.ts'
import type { Reading } from './define.ts'
import { CHARACTERS_AROUND_FORMULA } from './math/mathml.ts'

/** What a reading counts and checks, apart from what it reads. */
export type ReadingLimits = Omit<
  Reading,
  'notes' | 'inlines' | 'contentOf' | 'marks' | 'rest' | 'block' | 'blocks' | 'mixed'
> & {
  readonly warnings: readonly Warning[]
  readonly size: Readonly<DocumentSize>
  /** The `data:` addresses of files, by the short one that stands for each in the tree. */
  readonly inlineFiles: ReadonlyMap<string, string>
  /** Sets the current block for warnings and errors. */
  enter(path: string, name: string): void
  /** Counts one inline node as sent. */
  countInline(): void
}

interface DocumentSize {
  blocks: number
  inlines: number
  cells: number
  /** Characters that count for the markup of formulas. */
  formulas: number
}

export function createLimits(): ReadingLimits {
  const warnings = collectWarnings()
  const size: DocumentSize = { blocks: 0, inlines: 0, cells: 0, formulas: 0 }
  const files = new Set<string>()
  const inlineFiles = new Map<string, string>()
  let where = 'The document'
  let path = 'data'
  let depth = 0
  const refuse = (code: LimitCode, name?: string): never => {
    throw new LimitError(code, name === undefined ? path : `${path}.${name}`)
  }
  const within =
    (most: number, code: LimitCode) =>
    (name: string, text: string): string =>
      text.length > most ? refuse(code, name) : text
  const withinAddress = within(LIMITS.address, 'document_address_too_long')
  const address = (name: string, url: string) =>
    isDataUrl(url) ? shortDataUrl(url) : withinAddress(name, url)
  const warn = (code: WarningCode, message: string) =>
    warnings.add(code, `${where}: ${excerpt(message, LIMITS.warningLength)}`)
  return {
    warnings: warnings.list,
    size,
    inlineFiles,
    warn,
    enter: (at, name) => {
      path = at
      where = name
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
    formula: (latex) => {
      const formulas = size.formulas + latex.length + CHARACTERS_AROUND_FORMULA
      if (latex.length > LIMITS.formula || formulas > LIMITS.formulas) return false
      size.formulas = formulas
      return true
    },
    line: within(LIMITS.line, 'document_line_too_long'),
    alternativeText: within(LIMITS.alternativeText, 'document_alt_too_long'),
    description: within(LIMITS.description, 'document_description_too_long'),
    link: (name, href) => {
      const { address: repaired, doubtful } = repairAddress(address(name, href))
      if (doubtful)
        warn(
          'link_without_host',
          `the link to “${truncate(href, 80)}” names no site; it is kept, and leads to a page of the site that shows the post`,
        )
      return repaired
    },
    file: (name, url) => {
      const { address: repaired } = repairAddress(address(name, url))
      if (isDataUrl(url)) inlineFiles.set(repaired, url)
      files.add(repaired)
      return files.size > LIMITS.files ? refuse('document_too_many_files') : repaired
    },
    nested: (read) => {
      depth += 1
      if (depth > LIMITS.listDepth) refuse('document_too_deep')
      const result = read()
      depth -= 1
      return result
    },
  }
}

/** Warnings as they are found; what stands in `list` is what a person will see. */
interface Warnings {
  readonly list: readonly Warning[]
  add(code: WarningCode, message: string): void
}

/** Keeps as many warnings as somebody reads, says of the rest how many there were, and cuts the long ones. */
export function collectWarnings(list: Warning[] = []): Warnings {
  let more = 0
  return {
    list,
    add(code, message) {
      if (list.length < LIMITS.warnings - 1) {
        list.push({ code, message: excerpt(message, LIMITS.warningLength) })
        return
      }
      more += 1
      list[LIMITS.warnings - 1] = {
        code: 'warnings_left_out',
        message: `${more} more of such warnings ${more === 1 ? 'is' : 'are'} not listed.`,
      }
    },
  }
}
