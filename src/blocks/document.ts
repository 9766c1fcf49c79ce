import { LIMITS, type LimitCode, LimitError } from '../contract/limits.ts'
import { isDataUrl, shortDataUrl } from '../contract/payload.ts'
import type { Warning } from '../errors.ts'
import { excerpt, truncate } from '../lib/text.ts'
import type { WarningCode } from '../warnings.ts'
import type { Audio } from './audio/index.ts'
import type { BlockDefinition, FileReference, InlineDefinition } from './define.ts'
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
    const inner = partsOf(block).filter((part): part is Block => !Array.isArray(part))
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

interface DocumentSize {
  blocks: number
  inlines: number
  cells: number
  /** Characters that count for the markup of formulas. */
  formulas: number
}

/** What a reading counts and checks, apart from what it reads. Whatever is beyond a limit throws a `LimitError`. */
export class Limits {
  readonly size: DocumentSize = { blocks: 0, inlines: 0, cells: 0, formulas: 0 }
  /** The `data:` addresses of files, by the short one that stands for each in the tree. */
  readonly inlineFiles = new Map<string, string>()
  /** The places of this document that its links lead to. */
  readonly linkedAnchors = new Set<string>()
  readonly #warnings = new Warnings()
  readonly #files = new Set<string>()
  #where = 'The document'
  #path = 'data'
  #depth = 0

  get warnings(): readonly Warning[] {
    return this.#warnings.list
  }

  /** Sets the current block for warnings and errors. */
  enter(path: string, name: string): void {
    this.#path = path
    this.#where = name
  }

  /** Warns of what could not be understood in the current block. */
  warn(code: WarningCode, message: string): void {
    this.#warnings.add(code, `${this.#where}: ${message}`)
  }

  #refuse(code: LimitCode, name?: string): never {
    throw new LimitError(code, name === undefined ? this.#path : `${this.#path}.${name}`)
  }

  #within(most: number, code: LimitCode, name: string, text: string): string {
    return text.length > most ? this.#refuse(code, name) : text
  }

  count(): void {
    this.size.blocks += 1
    if (this.size.blocks > LIMITS.blocks) this.#refuse('document_too_many_blocks')
  }

  /** Counts one inline node as sent. */
  countInline(): void {
    this.size.inlines += 1
    if (this.size.inlines > LIMITS.inlines) this.#refuse('document_too_many_inlines')
  }

  /** Counts a table's cells before they are created. */
  countCells(rows: number, width: number): void {
    this.size.cells += rows * width
    if (rows * width > LIMITS.cells || this.size.cells > LIMITS.documentCells)
      this.#refuse('document_too_many_cells', 'rows')
  }

  /** Counts a formula. @returns whether it, and all of the document, are short enough to be set */
  formula(latex: string): boolean {
    const formulas = this.size.formulas + latex.length + CHARACTERS_AROUND_FORMULA
    if (latex.length > LIMITS.formula || formulas > LIMITS.formulas) return false
    this.size.formulas = formulas
    return true
  }

  /** Checks a one-line text in the member `name`. */
  line(name: string, text: string): string {
    return this.#within(LIMITS.line, 'document_line_too_long', name, text)
  }

  alternativeText(name: string, text: string): string {
    return this.#within(LIMITS.alternativeText, 'document_alt_too_long', name, text)
  }

  description(name: string, text: string): string {
    return this.#within(LIMITS.description, 'document_description_too_long', name, text)
  }

  #address(name: string, url: string) {
    if (isDataUrl(url)) return repairAddress(shortDataUrl(url))
    return repairAddress(this.#within(LIMITS.address, 'document_address_too_long', name, url))
  }

  /** Checks and repairs the address of a link; warns where it leads nowhere certain. */
  link(name: string, href: string): string {
    const { address, doubtful } = this.#address(name, href)
    if (doubtful)
      this.warn(
        'link_without_host',
        `the link to “${truncate(href, 80)}” names no site; it is kept, and leads to a page of the site that shows the post`,
      )
    if (address.startsWith('#')) this.linkedAnchors.add(address.slice(1))
    return address
  }

  /** Checks, repairs and counts the address of a file. */
  file(name: string, url: string): string {
    const { address } = this.#address(name, url)
    if (isDataUrl(url)) this.inlineFiles.set(address, url)
    this.#files.add(address)
    return this.#files.size > LIMITS.files ? this.#refuse('document_too_many_files') : address
  }

  /** Reads what stands inside a block. */
  nested<T>(read: () => T): T {
    this.#depth += 1
    if (this.#depth > LIMITS.listDepth) this.#refuse('document_too_deep')
    const result = read()
    this.#depth -= 1
    return result
  }
}

/** Warnings as they are found: each sentence once, as many as somebody reads, the number of the rest, and the long ones cut. */
export class Warnings {
  readonly list: Warning[] = []
  readonly #said = new Set<string>()
  #more = 0

  add(code: WarningCode, whole: string): void {
    const message = excerpt(whole, LIMITS.warningLength)
    if (this.#said.has(message)) return
    if (this.list.length < LIMITS.warnings - 1) {
      this.#said.add(message)
      this.list.push({ code, message })
      return
    }
    this.#more += 1
    const more = this.#more
    this.list[LIMITS.warnings - 1] = {
      code: 'warnings_left_out',
      message: `${more} more of such warnings ${more === 1 ? 'is' : 'are'} not listed.`,
    }
  }
}
