import { collapseToLine, membersOf } from '../blocks/wire.ts'
import type { ContentFormat, TextFormat } from '../contract/delivery.ts'
import { countTextUnits } from '../contract/payload.ts'
import type { Warning } from '../errors.ts'
import { excerpt, scalarText, truncate } from '../lib/text.ts'
import { elementsOf, type Members, plain } from './foreign.ts'
import type { ForeignDocument } from './format.ts'
import { formats } from './index.ts'
import { isOurs } from './plain-text.ts'
import { TextReader } from './text-format.ts'

/** How a document is written, as `delivery` says; undefined where it does not. */
export interface Written {
  readonly contentFormat?: ContentFormat | undefined
  readonly textFormat?: TextFormat | undefined
}

/** A document in our format. */
export interface Translation {
  readonly data: unknown
  /** Of the document itself, for a delivery that names none. */
  readonly terms: { readonly categories?: readonly string[]; readonly tags?: readonly string[] }
  readonly warnings: readonly Warning[]
  /** The format that was recognised and cannot be read; nothing of the document is in `data`. */
  readonly unreadable?: string
}

/**
 * Reads the `data` of a document that is not, or may not be, written as ours. Pure.
 * @throws LimitError
 */
export function translate(data: Members, { contentFormat, textFormat }: Written): Translation {
  if (isOurs(data.content)) return withTexts(data, textFormat)
  const content = withoutString(data.content)
  const isText = typeof content === 'string'
  const named = formats.find(({ name }) => name === contentFormat && textualFormats.has(name) === isText)
  const adapter = named ?? formats.find(({ detect }) => detect(content))
  // Any string may be Markdown.
  const isSure = named !== undefined || (adapter !== undefined && !isText)
  const unreadable = isSure ? undefined : unreadableFormat(content)
  if (unreadable !== undefined)
    return { data: { title: unreadable, ...data, content: PLACEHOLDER }, terms: {}, warnings: [], unreadable }
  return adapter === undefined ? { data, terms: {}, warnings: [] } : asOurs(data, adapter.read(content))
}

const textualFormats = new Set(['markdown', 'html'])

/** Editors store their JSON as a string, too. @throws LimitError */
function withoutString(content: unknown): unknown {
  if (typeof content !== 'string' || !/^\s*[{[]\s*["{[]/.test(content)) return content
  try {
    const json: unknown = JSON.parse(content)
    countTextUnits(json)
    return json
  } catch (error) {
    if (error instanceof SyntaxError) return content
    throw error
  }
}

const PLACEHOLDER = { content: [{ type: 'paragraph', content: '…' }] }

/** Our own document, with its strings read in their format. */
function withTexts(data: Members, format: TextFormat = 'plain'): Translation {
  if (format === 'plain') return { data, terms: {}, warnings: [] }
  const reader = new TextReader(format)
  const { content, ...others } = membersOf(data.content)
  const meta = membersOf(others.meta)
  const translated = {
    ...data,
    ...reader.words(data),
    content: {
      ...others,
      ...(others.meta !== undefined && { meta: { ...meta, ...reader.words(meta) } }),
      content: reader.blocks(elementsOf(content)),
    },
  }
  return { data: translated, terms: {}, warnings: reader.warnings.list }
}

function asOurs(data: Members, { meta = {}, content, warnings }: ForeignDocument): Translation {
  const { categories, tags, slug, ...own } = meta
  const blocks = content.map(membersOf)
  const [first, ...rest] = blocks
  const head = titleHeading(first)
  const named = collapseToLine(scalarText(data.title)) || collapseToLine(own.title ?? '')
  // The page shows the title above the text already.
  const isTitle = head !== '' && (named === '' || named === head)
  const derived = named || head ? undefined : deriveTitle(data.file_name, blocks)
  return {
    data: {
      ...own,
      ...data,
      title: named || head || (derived?.title ?? ''),
      description: data.description ?? own.description,
      featured_image: data.featured_image ?? own.featured_image,
      content: {
        type: 'document',
        version: '1.0',
        ...(slug !== undefined && { meta: { slug } }),
        content: isTitle ? rest : content,
      },
    },
    terms: { ...(categories && { categories }), ...(tags && { tags }) },
    warnings: derived === undefined ? warnings : [...warnings, derived.note],
  }
}

const titleHeading = (block: Members | undefined): string =>
  block?.type === 'heading' && block.level === 1 ? collapseToLine(plain(block.text)) : ''

/** Characters of a title that is the beginning of a text. */
const MAX_FIRST_WORDS = 70

/** A title for a document that names none, and begins with no heading of level 1. */
function deriveTitle(file: unknown, blocks: readonly Members[]) {
  const found = [
    ['first heading of level 1', blocks.map(titleHeading).find((text) => text !== '')],
    ['file’s name', titleOfFile(scalarText(file))],
    ['first words', firstWords(blocks)],
  ] as const
  const [what, title] = found.find(([, text]) => text) ?? []
  if (!title) return undefined
  const message = `The document names no title, so its ${what} ${what === 'first words' ? 'are' : 'is'} used: “${excerpt(title, 200)}”.`
  return { title, note: { code: 'format_note', message } as const }
}

/** The name of a file as a person writes a title: without its end, and with spaces. */
function titleOfFile(name: string): string {
  const words = collapseToLine(name.replace(/\.\w{1,8}$/, '').replace(/[-_]+/g, ' '))
  return words.charAt(0).toUpperCase() + words.slice(1)
}

/** The beginning of the first text, to the end of a word. */
function firstWords(blocks: readonly Members[]): string {
  const texts = blocks.flatMap(({ text, content, value, items, headers, summary, caption, alt }) => [
    ...[text, content, value, summary],
    ...[elementsOf(items)[0], elementsOf(headers)[0], caption, alt],
  ])
  const words = texts.map((text) => collapseToLine(plain(text))).find((text) => text !== '') ?? ''
  if (words.length <= MAX_FIRST_WORDS) return words
  return `${truncate(words, MAX_FIRST_WORDS).replace(/\s\S*$/, '')}…`
}

/** The name of a format that is known by its signature and has no adapter. */
function unreadableFormat(content: unknown): string | undefined {
  if (typeof content === 'string') return signatures.find(([start]) => start.test(content.slice(0, 200)))?.[1]
  const { ops, blocks, entityMap, cards, sections } = membersOf(content)
  if (Array.isArray(ops)) return 'a Delta of Quill'
  if (Array.isArray(blocks) && typeof entityMap === 'object') return 'raw content of Draft.js'
  if (Array.isArray(cards) && Array.isArray(sections)) return 'Mobiledoc'
  const [first] = Array.isArray(content) ? content.map(membersOf) : []
  if (!Array.isArray(first?.children)) return undefined
  return first.props === undefined ? 'nodes of Slate' : 'blocks of BlockNote'
}

const signatures: readonly (readonly [RegExp, string])[] = [
  [/^\s*\{\\rtf/, 'RTF'],
  [/^\s*(?:%PDF-|JVBERi0)/, 'PDF'],
  [/^\s*UEsDB/, 'a Word document or another archive'],
  [/^\s*\\documentclass/, 'LaTeX'],
]
