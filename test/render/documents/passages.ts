import { decodeHTMLStrict } from 'entities'
import { type Document, partsOf, textsOf } from '../../../src/blocks/document.ts'
import type { Block, Inline } from '../../../src/blocks/index.ts'
import type { List } from '../../../src/blocks/list/index.ts'
import { type Cell, contentOf, type Table } from '../../../src/blocks/table/index.ts'
import type { RenderOptions } from '../../../src/render/options.ts'
import {
  addressKey,
  codePassage,
  letters,
  linkFormat,
  passage,
  picturePassage,
  type Run,
} from '../../support/editor/passages.ts'
import { readable } from './words.ts'

type Given = Pick<RenderOptions, 'format' | 'media' | 'settings'>

const told = new Set<string>('heading paragraph list table code_block image quote audio'.split(' '))

/** Whether {@link documentPassages} can tell a document: lists in lists, and paragraphs in quotes. */
export const hasPassages = ({ blocks }: Pick<Document, 'blocks'>): boolean =>
  blocks.every((block) => {
    if (!told.has(block.type) || (block.type === 'table' && hasSpans(block))) return false
    if (textsOf([block]).some(hasItem)) return false
    const inside = partsOf(block).filter((part): part is Block => !Array.isArray(part))
    const expected = block.type === 'list' ? 'list' : 'paragraph'
    return inside.every(({ type }) => type === expected) && hasPassages({ blocks: inside })
  })

/** What a reader should find, and where: read from the tree, in the words of {@link shownPassages}. */
export function documentPassages({ blocks, audio }: Document, given: Given): string[] {
  const narration = audio === undefined ? [] : [audio]
  const all = given.settings.audio === 'top' ? [...narration, ...blocks] : [...blocks, ...narration]
  const levels = blocks.flatMap((block) => (block.type === 'heading' ? [block.level] : []))
  const down = Math.max(0, given.settings.top_heading_level - Math.min(6, ...levels))
  return all.flatMap((block) => read(block, given, down))
}

function read(block: Block, { format, media, settings }: Given, down: number): string[] {
  switch (block.type) {
    case 'heading': {
      const level = Math.min(6, block.level + down)
      return passage(`h${level} ${letters(block.anchor ?? '')}`, runs(block.content))
    }
    case 'paragraph':
      return passage('paragraph', runs(block.content))
    case 'list':
      return listPassages(block, '')
    case 'table':
      return tablePassages(block)
    case 'code_block': {
      const value = readable(block.value.replace(/\r\n?/g, '\n').replace(/[\v\f]/g, ' '))
      const language = settings.code_language_class ? (block.language ?? '') : ''
      return value.trim() === '' ? [] : [codePassage(asciiLetters(language), value)]
    }
    case 'image': {
      const caption = runs(block.caption ?? [])
      const file = media.get(block.url)
      const source = file?.url ?? block.url
      if (!leadsTo(source, ['http:', 'https:'])) return passage('paragraph', caption)
      const chosen = { none: '', media: source, attachment: file?.link ?? '' }[settings.image_link]
      const own = block.link ?? ''
      const href = leadsTo(own, ['http:', 'https:', 'mailto:']) ? own : chosen
      const [alt = '', title = ''] = [block.alt, block.title ?? ''].map(
        format === 'block' ? withoutEntities : readable,
      )
      return [picturePassage(source, alt, title, href), ...passage('caption', caption)]
    }
    case 'quote':
      return [
        ...block.content.flatMap((inner) =>
          inner.type === 'paragraph' ? passage('quote', runs(inner.content)) : [],
        ),
        ...passage('citation', runs(block.citation ?? [])),
      ]
    case 'audio': {
      const source = media.get(block.url)?.url ?? block.url
      return leadsTo(source, ['http:', 'https:']) ? [`sound: ${addressKey(source)}`] : []
    }
    default:
      return []
  }
}

function listPassages({ ordered, start, items }: List, place: string): string[] {
  const name = `${place}${ordered ? `ol${start === undefined ? '' : ` from ${start}`}` : 'ul'}`
  return items.flatMap(({ content, blocks }, index) => {
    const own = `${name} item ${index + 1}`
    const below = blocks.flatMap((block) => (block.type === 'list' ? listPassages(block, `${own} > `) : []))
    return [...passage(own, runs(content)), ...below]
  })
}

function tablePassages({ headers, rows: body, footer = [], caption }: Table): string[] {
  const head = headers.length > 0 ? [headers] : []
  const rows = footer.length > 0 ? [...body, footer] : body
  const cells = [...head, ...rows].flatMap((row, index) =>
    row.flatMap((cell, column) =>
      passage(
        `${isHeader(cell, row === headers) ? 'th' : 'td'} ${index + 1} ${column + 1}`,
        runs(contentOf(cell)),
      ),
    ),
  )
  const hasCells = [...head, ...rows].some((row) => row.length > 0)
  return [...cells, ...passage(hasCells ? 'caption' : 'paragraph', runs(caption ?? []))]
}

const isHeader = (cell: Cell, isHead: boolean): boolean =>
  Array.isArray(cell) ? isHead : (cell.header ?? isHead)

const isItem = new Set<Inline['type']>(['inline_image', 'math', 'footnote'])

const hasItem = (inlines: readonly Inline[]): boolean =>
  inlines.some((inline) => isItem.has(inline.type) || ('children' in inline && hasItem(inline.children)))

/** What spans stands elsewhere in editors that know no spans. */
const hasSpans = ({ headers, rows, footer = [] }: Table): boolean =>
  [headers, ...rows, footer].some((cells) =>
    cells.some((cell) => !Array.isArray(cell) && (cell.colspan ?? cell.rowspan) !== undefined),
  )

function runs(nodes: readonly Inline[], formats: readonly string[] = []): Run[] {
  return nodes.flatMap((node) => {
    if (node.type === 'text') return { text: readable(node.text), formats }
    if (node.type === 'break') return { text: ' ', formats }
    return 'children' in node ? runs(node.children, withFormat(formats, node)) : []
  })
}

/** No format is twice around a text, and no link in another. */
function withFormat(
  formats: readonly string[],
  node: Extract<Inline, { children: Inline[] }>,
): readonly string[] {
  if (node.type !== 'link') return [...new Set([...formats, node.type])]
  const linked = formats.some((format) => format.startsWith('link'))
  if (linked || !leadsTo(node.href, ['http:', 'https:', 'mailto:'])) return formats
  return [...formats, linkFormat(node.href, readable(node.title ?? ''))]
}

/** Whether a browser would go there by one of these protocols. */
function leadsTo(address: string, protocols: readonly string[]): boolean {
  const written = address.replace(/\p{Cc}|\ufeff|\ufffc/gu, '').trim()
  return written !== '' && protocols.includes(new URL(written, 'https://page.invalid/').protocol)
}

const asciiLetters = (text: string): string => text.replace(/[^a-z\d]/gi, '')

/** The block editor takes what looks like an entity in a picture's attributes for one. */
function withoutEntities(value: string): string {
  const decoded = readable(decodeHTMLStrict(readable(value)))
  return decoded === value ? value : withoutEntities(decoded)
}
