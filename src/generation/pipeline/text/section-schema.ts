import { z } from 'zod'
import { textsOf } from '../../../blocks/document.ts'
import type { Block, Inline } from '../../../blocks/index.ts'
import { normaliseDocument } from '../../../blocks/read.ts'
import { type Cell, contentOf } from '../../../blocks/table/index.ts'
import { inlineText } from '../../../blocks/wire.ts'
import { LimitError } from '../../../contract/limits.ts'
import { documentDataSchema } from '../../../contract/webhook.ts'
import { readHtml } from '../../../formats/html.ts'
import { markdownToHtml } from '../../../formats/markdown.ts'
import { hasText } from './inlines.ts'

const proseSchema = z.string().max(20_000)
const line = z.string().max(2_000)

/** A block as a model writes it: marks in the text (`**bold**`, `[words](s1)`) instead of trees, which it gets wrong. */
const writtenBlock = z.union([
  z.object({ type: z.literal('paragraph'), text: proseSchema }),
  z.object({ type: z.literal('subheading'), text: proseSchema }),
  z.object({ type: z.literal('list'), ordered: z.boolean(), items: z.array(proseSchema).max(200) }),
  z.object({
    type: z.literal('table'),
    headers: z.array(line).max(20),
    rows: z.array(z.array(line).max(20)).max(200),
  }),
  z.object({ type: z.literal('code'), language: line, code: z.string().max(40_000) }),
  z.object({ type: z.literal('quote'), text: proseSchema }),
])
export type WrittenBlock = z.output<typeof writtenBlock>

export const sectionSchema = z
  .object({ blocks: z.array(writtenBlock).max(300) })
  .refine(({ blocks }) => blocks.some(hasContent), {
    path: ['blocks'],
    error: 'must have a paragraph, a list, a table or code with something in it',
  })
export type SectionAnswer = z.output<typeof sectionSchema>

function hasContent(block: WrittenBlock): boolean {
  if (block.type === 'list') return block.items.some(hasText)
  if (block.type === 'table') return block.rows.flat().some(hasText)
  if (block.type === 'code') return block.code.trim() !== ''
  return block.type !== 'subheading' && hasText(block.text)
}

/** Members under which models put the blocks of a section. */
const blockMembers = 'blocks content section body paragraphs text answer result data'.split(' ')

/** Reads a section of another shape as any document and converts it. Undefined where it has no blocks. */
export function coerceSection(json: unknown): { blocks: WrittenBlock[] } | undefined {
  const blocks = blocksIn(json, 3)
  return blocks && unlessTooMuch(() => ({ blocks: toWrittenBlocks(blocks) }))
}

const htmlBlock = /<\/(?:p|div|h[1-6]|ul|ol|li|blockquote|t[hd])\s?>/i

/** The blocks of a text with HTML in it, as models write it out of habit; undefined of any other. */
export function blocksOfHtml(text: string): WrittenBlock[] | undefined {
  if (!htmlBlock.test(text.replace(/`[^`]*`/g, ''))) return undefined
  return unlessTooMuch(() => toWrittenBlocks(readHtml(markdownToHtml(text)).content))
}

function unlessTooMuch<Read>(read: () => Read): Read | undefined {
  try {
    return read()
  } catch (error) {
    if (error instanceof LimitError) return undefined
    throw error
  }
}

function toWrittenBlocks(wire: readonly unknown[]): WrittenBlock[] {
  const data = documentDataSchema.parse({ title: 'none', content: { content: wire } })
  return normaliseDocument(data).document.blocks.flatMap(toWrittenBlock)
}

function blocksIn(json: unknown, depth: number): unknown[] | undefined {
  if (typeof json === 'string') return json.trim() === '' ? undefined : json.split(/\n{2,}/)
  if (Array.isArray(json)) {
    const [only] = json
    return json.length === 1 && depth > 0 ? (blocksInObject(only, depth - 1) ?? json) : json
  }
  return depth > 0 ? blocksInObject(json, depth) : undefined
}

function blocksInObject(json: unknown, depth: number): unknown[] | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const wire = json as Record<string, unknown>
  if (typeof wire.type === 'string' && depth < 3) return undefined
  const home = blockMembers.find((name) => Object.hasOwn(wire, name))
  return home === undefined ? undefined : blocksIn(wire[home], depth - 1)
}

function toWrittenBlock(block: Block): WrittenBlock[] {
  switch (block.type) {
    case 'heading':
      return [{ type: 'subheading', text: inlineText(block.content) }]
    case 'paragraph':
      return [{ type: 'paragraph', text: toMarkdown(block.content) }]
    case 'list':
      return [{ type: 'list', ordered: block.ordered, items: textsOf([block]).map(toMarkdown) }]
    case 'table':
      return [
        { type: 'table', headers: block.headers.map(words), rows: block.rows.map((row) => row.map(words)) },
      ]
    case 'code_block':
      return [{ type: 'code', language: block.language ?? '', code: block.value }]
    case 'quote':
      return [{ type: 'quote', text: textsOf(block.content).map(inlineText).join('\n') }]
    default:
      return textsOf([block]).map((content) => ({ type: 'paragraph', text: toMarkdown(content) }))
  }
}

const toMarkdown = (inlines: readonly Inline[]): string => inlines.map(markdownMark).join('')

function markdownMark(inline: Inline): string {
  const text = inlineText([inline])
  if (inline.type === 'link') return `[${text}](${inline.href})`
  const around = markdownMarks[inline.type] ?? ''
  return around + text + around
}

const markdownMarks: { readonly [Type in Inline['type']]?: string } = { bold: '**', italic: '*', code: '`' }

const words = (cell: Cell): string => inlineText(contentOf(cell))
