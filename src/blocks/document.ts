import { LIMITS, type LimitCode, LimitError } from '../contract/limits.ts'
import { isDataUrl, shortDataUrl } from '../contract/payload.ts'
import type { Warning } from '../errors.ts'
import { excerpt, truncate } from '../lib/text.ts'
import type { WarningCode } from '../warnings.ts'
import type { Audio } from './audio/index.ts'
import type { BlockDefinition, FileReference, InlineDefinition, Reading } from './define.ts'
import { type Block, blocksByName, type Inline, inlinesByName } from './index.ts'
import { CHARACTERS_AROUND_FORMULA, MAX_MATHML_PER_CHARACTER } from './math/mathml.ts'
import { inlineText, repairAddress } from './wire.ts'

/** The strict tree inside Galley: nothing behind it reads the wire. */
export interface Document {
  title: string
  slug?: string
  description?: string
  featuredImage?: { url: string; alt: string; caption?: string }
  /** In reading order; narration is `audio`, not a block. */
  blocks: Block[]
  audio?: Audio
}

/** A document, and the warnings of reading it. */
export interface NormalisedDocument {
  document: Document
  /** The files that the document brings inside itself: a `data:` address, by the short one that stands for it in the tree. */
  inlineFiles: ReadonlyMap<string, string>
  warnings: Warning[]
  /** Size of what becomes markup; `text` in UTF-16 code units. */
  size: DocumentSize & { text: number }
}

/*
 * Maximum bytes of markup per unit under any settings, images excluded; a test measures them with the worst shapes. The
 * worst character is a bracket in a URL that appears twice, percent-encoded.
 */
const MAX_BYTES_PER_UNIT = {
  text: 20,
  blocks: 400,
  inlines: 180,
  cells: 10,
  formulas: MAX_MATHML_PER_CHARACTER,
}

/** An upper bound of the bytes of a document's markup. */
export const maxMarkupBytes = ({ size }: NormalisedDocument): number =>
  Object.entries(MAX_BYTES_PER_UNIT).reduce(
    (sum, [unit, bytes]) => sum + bytes * size[unit as keyof typeof size],
    0,
  )

export const definitionOf = ({ type }: Block): BlockDefinition<Block> =>
  blocksByName.get(type) as BlockDefinition<Block>
export const inlineDefinitionOf = ({ type }: Inline): InlineDefinition<Inline> =>
  inlinesByName.get(type) as InlineDefinition<Inline>

export const partsOf = (block: Block): (Inline[] | Block)[] => definitionOf(block).parts(block)

/** Visits blocks and everything inside them, in reading order. @throws LimitError for a tree that no reading has made */
export function walkBlocks(all: readonly Block[], visit: (block: Block) => void, depth = 1): void {
  if (depth > LIMITS.listDepth) throw new LimitError('document_too_deep')
  for (const block of all) {
    visit(block)
    const inner = definitionOf(block).blocks?.(block) ?? []
    if (inner.length > 0) walkBlocks(inner, visit, depth + 1)
  }
}

/** The files of blocks, in reading order. */
export function filesOf(all: readonly Block[]): FileReference[] {
  const files: FileReference[] = []
  walkBlocks(all, (block) => {
    files.push(...(definitionOf(block).files?.(block) ?? []))
    for (const part of partsOf(block)) if (Array.isArray(part)) addInlineFiles(files, part)
  })
  return files
}

function addInlineFiles(files: FileReference[], inlines: readonly Inline[]): void {
  for (const inline of inlines)
    if (inline.type === 'inline_image')
      files.push({ kind: 'picture', url: inline.url, alt: inline.alt, title: '' })
    else addInlineFiles(files, childrenOf(inline))
}

/** The running texts of blocks, in reading order: a paragraph, an item, a cell and a note is one each. */
export const textsOf = (all: readonly Block[]): Inline[][] =>
  all.flatMap(partsOf).flatMap((part) => (Array.isArray(part) ? [part, ...notesAmid(part)] : textsOf([part])))

const notesAmid = (inlines: readonly Inline[]): Inline[][] =>
  inlines.flatMap((inline) => (inline.type === 'footnote' ? [inline.note] : notesAmid(childrenOf(inline))))

/** The running text inside an inline node. */
const childrenOf = (inline: Inline): readonly Inline[] =>
  'children' in inline ? inline.children : inline.type === 'footnote' ? inline.note : []

/** What a person would read aloud of blocks, in order. */
export const spokenTexts = (all: readonly Block[]): string[] =>
  all.flatMap((block) => {
    const { parts, spoken = parts } = definitionOf(block)
    return spoken(block).flatMap((part) => (Array.isArray(part) ? [inlineText(part)] : spokenTexts([part])))
  })

/** Whether a reader sees anything of a block: text, a picture, a recording, a page of another site. */
export function isVisible(block: Block): boolean {
  let hasAddress = filesOf([block]).length > 0
  walkBlocks([block], (inside) => {
    hasAddress ||= 'url' in inside
  })
  return hasAddress || textsOf([block]).some((content) => inlineText(content).trim() !== '')
}

/** What a reading counts and checks, apart from what it reads. */
export type ReadingLimits = Omit<
  Reading,
  'notes' | 'inlines' | 'contentOf' | 'marks' | 'rest' | 'warnOfUnread' | 'block' | 'blocks' | 'mixed'
> & {
  readonly warnings: readonly Warning[]
  readonly size: Readonly<DocumentSize>
  /** The `data:` addresses of files, by the short one that stands for each in the tree. */
  readonly inlineFiles: ReadonlyMap<string, string>
  /** The places of this document that its links lead to. */
  readonly linkedAnchors: ReadonlySet<string>
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
  const linkedAnchors = new Set<string>()
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
  const warn = (code: WarningCode, message: string) => warnings.add(code, `${where}: ${message}`)
  return {
    warnings: warnings.list,
    size,
    inlineFiles,
    linkedAnchors,
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
      if (repaired.startsWith('#')) linkedAnchors.add(repaired.slice(1))
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

/** Keeps each sentence once, as many as somebody reads, says of the rest how many there were, and cuts the long ones. */
export function collectWarnings(list: Warning[] = []): Warnings {
  const said = new Set<string>()
  let more = 0
  return {
    list,
    add(code, whole) {
      const message = excerpt(whole, LIMITS.warningLength)
      if (said.has(message)) return
      if (list.length < LIMITS.warnings - 1) {
        said.add(message)
        list.push({ code, message })
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
