import type { Warning } from '../errors.ts'

/**
 * The strict tree inside Galley. `normalise.ts` creates it from any spelling; nothing behind it reads the wire
 * (docs/contract.md, "The document").
 */
export type Inline =
  | { type: 'text'; text: string }
  | { type: 'bold'; children: Inline[] }
  | { type: 'italic'; children: Inline[] }
  | { type: 'link'; href: string; title?: string; children: Inline[] }
  | { type: 'code'; text: string }

export interface ListItem {
  content: Inline[]
  lists: List[]
}

export interface Heading {
  type: 'heading'
  level: 1 | 2 | 3 | 4 | 5 | 6
  content: Inline[]
  anchor?: string
}
export interface Paragraph {
  type: 'paragraph'
  content: Inline[]
}
export interface List {
  type: 'list'
  ordered: boolean
  start?: number
  items: ListItem[]
}
export interface Table {
  type: 'table'
  headers: Inline[][]
  rows: Inline[][][]
  caption?: Inline[]
}
export interface CodeBlock {
  type: 'code_block'
  language?: string
  value: string
}
export interface Image {
  type: 'image'
  url: string
  alt: string
  imageType?: string
  caption?: Inline[]
  title?: string
}
export interface Quote {
  type: 'quote'
  paragraphs: Inline[][]
  citation?: Inline[]
}
export interface Audio {
  type: 'audio'
  url: string
}

export type Block = Heading | Paragraph | List | Table | CodeBlock | Image | Quote | Audio

export interface Document {
  title: string
  slug?: string
  description?: string
  featuredImage?: { url: string; alt: string }
  /** In reading order; narration is `audio`, not a block. */
  blocks: Block[]
  audio?: Audio
}

/** A document, and the warnings of reading it. */
export interface NormalisedDocument {
  document: Document
  warnings: Warning[]
  /** Size of what becomes markup; `text` in UTF-16 code units. */
  size: { blocks: number; inlines: number; cells: number; text: number }
}

/** Members of the tree that a reader sees. */
const visibleMembers: ReadonlySet<string> = new Set(['text', 'value', 'url'])

/** Whether a reader sees anything of a block: text, a picture, a recording. */
export const isVisible = (block: Block): boolean => hasVisibleMember(block)

/** Recursion is safe: the tree is within the depth limit. */
function hasVisibleMember(node: unknown): boolean {
  if (Array.isArray(node)) return node.some(hasVisibleMember)
  if (typeof node !== 'object' || node === null) return false
  return Object.entries(node).some(([name, part]) =>
    typeof part === 'string' ? visibleMembers.has(name) && part.trim() !== '' : hasVisibleMember(part),
  )
}
