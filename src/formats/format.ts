import { Warnings } from '../blocks/document.ts'
import type { Warning } from '../errors.ts'
import type { Members } from './foreign.ts'

/** Reads the documents of one foreign format into the blocks of ours. */
export interface FormatAdapter {
  /** As `content_format` names it. */
  readonly name: string
  /** Whether a `data.content` without a named format is of this one. Looks at a few members only. */
  detect(value: unknown): boolean
  /**
   * Pure, and as deep as the limits of a payload allow: they were checked before.
   * @param value `data.content` as sent: a string, an array or an object
   */
  read(value: unknown): ForeignDocument
}

/** A foreign document in the spellings of ours (docs/documents.md). What `data` says itself goes first. */
export interface ForeignDocument {
  readonly meta?: {
    readonly title?: string
    readonly slug?: string
    readonly description?: string
    readonly featured_image?: string | { readonly url: string; readonly alt?: string }
    readonly categories?: readonly string[]
    readonly tags?: readonly string[]
  }
  /** Blocks. */
  readonly content: readonly unknown[]
  readonly warnings: readonly Warning[]
}

/** The warnings of one reading. */
export class FormatWarnings extends Warnings {
  /** Words, a picture or an address is missing; the message names it. */
  leftOut(message: string): void {
    this.add('format_left_out', message)
  }

  /** The words are kept in another form. */
  changed(message: string): void {
    this.add('format_changed', message)
  }

  /** Nothing that a reader would see is missing. */
  note(message: string): void {
    this.add('format_note', message)
  }

  /** Those of a document inside this one. */
  addAll(warnings: readonly Warning[]): void {
    for (const { code, message } of warnings) this.add(code, message)
  }
}

/** What documents call what a post says of itself, the surest name first. */
export const metaNames = {
  title: ['title', 'headline', 'heading', 'name'],
  slug: ['slug'],
  description: ['description', 'excerpt', 'summary', 'metaDescription'],
  featured_image:
    'featured_image featuredImage mainImage heroImage coverImage cover_image image cover thumbnail'.split(
      ' ',
    ),
  categories: ['categories', 'category'],
  tags: ['tags', 'tag', 'keywords'],
} as const

/** Each reads one member; undefined where the member is something else. */
interface MetaReaders {
  words(value: unknown): string | undefined
  picture(value: unknown): { readonly url: string; readonly alt?: string } | string | undefined
  terms(value: unknown): readonly string[] | undefined
}

/** What a document says of itself, and the members that say it. */
export function readMeta(
  members: Members,
  { words, picture, terms }: MetaReaders,
): { meta: NonNullable<ForeignDocument['meta']>; read: ReadonlySet<string> } {
  const readers = { title: words, slug: words, description: words, featured_image: picture }
  const meta: Record<string, unknown> = {}
  const read = new Set<string>()
  for (const [member, names] of Object.entries(metaNames)) {
    const readMember = readers[member as keyof typeof readers] ?? terms
    const name = names.find((name) => readMember(members[name]) !== undefined)
    if (name === undefined) continue
    meta[member] = readMember(members[name])
    read.add(name)
  }
  return { meta, read }
}
