import { z } from 'zod'
import { LIMITS, LimitError } from '../contract/limits.ts'
import { audio } from './audio/index.ts'
import { buttons } from './buttons/index.ts'
import { callout } from './callout/index.ts'
import { codeBlock } from './code-block/index.ts'
import { columns } from './columns/index.ts'
import type { BlockDefinition, ContentSchemas, FileReference, InlineDefinition } from './define.ts'
import { details } from './details/index.ts'
import { embed } from './embed/index.ts'
import { file } from './file/index.ts'
import { footnote, footnotes } from './footnotes/index.ts'
import { gallery } from './gallery/index.ts'
import { heading } from './heading/index.ts'
import { image } from './image/index.ts'
import { inlineImage } from './image/inline.ts'
import {
  bold,
  code,
  highlight,
  italic,
  keyboard,
  strike,
  subscript,
  superscript,
  underline,
} from './inlines/formats.ts'
import { link } from './inlines/link.ts'
import { lineBreak, text } from './inlines/text.ts'
import { list } from './list/index.ts'
import { inlineMath, math } from './math/index.ts'
import { paragraph } from './paragraph/index.ts'
import { preformatted, verse } from './preformatted/index.ts'
import { pullquote } from './pullquote/index.ts'
import { quote } from './quote/index.ts'
import { separator } from './separator/index.ts'
import { table } from './table/index.ts'
import { video } from './video/index.ts'
import type { WireObject } from './wire.ts'
import { inlineText } from './words.ts'

export { inlineText }

/** Every type of block. A new one is its folder and a line here. */
const blocks = [
  heading,
  paragraph,
  list,
  table,
  codeBlock,
  image,
  quote,
  audio,
  separator,
  preformatted,
  verse,
  pullquote,
  details,
  columns,
  callout,
  buttons,
  embed,
  video,
  file,
  gallery,
  math,
  footnotes,
] as const

/** Every kind of inline content. */
const inlines = [
  text,
  bold,
  italic,
  strike,
  underline,
  superscript,
  subscript,
  highlight,
  keyboard,
  code,
  link,
  lineBreak,
  inlineImage,
  inlineMath,
  footnote,
] as const

type NodeOf<Definition> =
  Definition extends BlockDefinition<infer Node, infer _>
    ? Node
    : Definition extends InlineDefinition<infer Node>
      ? Node
      : never

/** A block in the tree. */
export type Block = NodeOf<(typeof blocks)[number]>

/** Inline content in the tree. */
export type Inline = NodeOf<(typeof inlines)[number]>

const definitionsOfBlocks: readonly BlockDefinition<Block>[] = blocks as never
const definitionsOfInlines: readonly InlineDefinition<Inline>[] = inlines as never

const byType = <Definition extends { type: string }>(definitions: readonly Definition[]) =>
  new Map<string, Definition>(definitions.map((definition) => [definition.type, definition]))

const byName = <Definition extends { type: string; aliases: readonly string[] }>(
  definitions: readonly Definition[],
) =>
  new Map<string, Definition>(
    definitions.flatMap((definition) =>
      [definition.type, ...definition.aliases].map((name) => [name, definition] as const),
    ),
  )

const blocksByType = byType(definitionsOfBlocks)
const inlinesByType = byType(definitionsOfInlines)

/** Definitions by every type that senders write. */
export const blocksByName: ReadonlyMap<string, BlockDefinition<Block>> = byName(definitionsOfBlocks)
export const inlinesByName: ReadonlyMap<string, InlineDefinition<Inline>> = byName(definitionsOfInlines)

export const definitionOf = ({ type }: Block): BlockDefinition<Block> =>
  blocksByType.get(type) as BlockDefinition<Block>
export const inlineDefinitionOf = ({ type }: Inline): InlineDefinition<Inline> =>
  inlinesByType.get(type) as InlineDefinition<Inline>

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

const inlineContentSchema: z.ZodType = z
  .union([z.string(), z.array(z.union([z.string(), z.lazy(() => inlineSchema)]))])
  .meta({
    id: 'InlineContent',
    description: 'Running text: a string, or an array of strings and inline items.',
    examples: ['High water', ['High water, ', { type: 'bold', text: 'twice' }, ' a day']],
  })

const content: ContentSchemas = { inlines: inlineContentSchema, block: z.lazy(() => blockSchema) }

type Schemas = Readonly<Record<string, z.ZodObject>>

/** The published schemas, by type. */
export const inlineSchemas: Schemas = Object.fromEntries(
  inlines.map((definition) => [definition.type, definition.schema(content)]),
)
export const blockSchemas: Schemas = Object.fromEntries(
  blocks.map((definition) => [definition.type, definition.schema(content)]),
)

/** One of each block in its published spelling, with its type. */
export const blockExamples: readonly (readonly [type: string, example: WireObject])[] = Object.entries(
  blockSchemas,
).map(([type, schema]) => [type, (schema.meta() as { examples: [WireObject] }).examples[0]])

type Options = [z.ZodObject, ...z.ZodObject[]]

const inlineSchema = z
  .discriminatedUnion('type', Object.values(inlineSchemas) as Options)
  .meta({ id: 'Inline', description: 'A piece of running text, by `type`.' })

/** One entry of `content.content`, as published. */
export const blockSchema: z.ZodType = z
  .discriminatedUnion('type', Object.values(blockSchemas) as Options)
  .meta({
    id: 'Block',
    description:
      'A block, by `type`. What is written otherwise is understood where it can be: docs/documents.md.',
  })
