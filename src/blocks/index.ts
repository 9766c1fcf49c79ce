import { z } from 'zod'
import { audio } from './audio/index.ts'
import { buttons } from './buttons/index.ts'
import { callout } from './callout/index.ts'
import { codeBlock } from './code-block/index.ts'
import { columns } from './columns/index.ts'
import type { BlockDefinition, ContentSchemas, InlineDefinition, PublishedSpelling } from './define.ts'
import { details } from './details/index.ts'
import { embed } from './embed/index.ts'
import { file } from './file/index.ts'
import { footnote, footnotes } from './footnotes/index.ts'
import { gallery } from './gallery/index.ts'
import { heading } from './heading/index.ts'
import { image } from './image/index.ts'
import { inlineImage } from './image/inline.ts'
import { formats } from './inlines/formats.ts'
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

const inlines = [text, ...formats, link, lineBreak, inlineImage, inlineMath, footnote] as const

type NodeOf<Definition> =
  Definition extends BlockDefinition<infer Node, infer _>
    ? Node
    : Definition extends InlineDefinition<infer Node>
      ? Node
      : never

export type Block = NodeOf<(typeof blocks)[number]>

export type Inline = NodeOf<(typeof inlines)[number]>

const definitionsByName = <Definition extends { type: string; aliases: readonly string[] }>(
  definitions: readonly Definition[],
) =>
  new Map<string, Definition>(
    definitions.flatMap((definition) =>
      [definition.type, ...definition.aliases].map((name) => [name, definition] as const),
    ),
  )

/** Definitions by their types, and by every other that senders write. */
export const blocksByName: ReadonlyMap<string, BlockDefinition<Block>> = definitionsByName(blocks as never)
export const inlinesByName: ReadonlyMap<string, InlineDefinition<Inline>> = definitionsByName(
  inlines as never,
)

const inlineContentSchema: z.ZodType = z
  .union([z.string(), z.array(z.union([z.string(), z.lazy(() => inlineSchema)]))])
  .meta({
    id: 'InlineContent',
    description: 'Running text: a string, or an array of strings and inline items.',
    examples: ['High water', ['High water, ', { type: 'bold', text: 'twice' }, ' a day']],
  })

const content: ContentSchemas = { inlines: inlineContentSchema, block: z.lazy(() => blockSchema) }

type Schemas = Readonly<Record<string, z.ZodObject>>

const pascalCase = (type: string): string =>
  type.replace(/(?:^|_)(.)/g, (_match, letter: string) => letter.toUpperCase())

/** The published schemas, by type: `HeadingBlock`, `CodeBlock`, `BoldInline`, `ImageInline`. */
const publishedSchemas = (definitions: readonly PublishedSpelling[], suffix: 'Block' | 'Inline'): Schemas =>
  Object.fromEntries(
    definitions.map(({ type, description, example, shape }) => [
      type,
      z.looseObject({ type: z.literal(type), ...shape(content) }).meta({
        id: pascalCase(type).replace(suffix, '') + suffix,
        description,
        examples: [{ type, ...example }],
      }),
    ]),
  )

export const inlineSchemas = publishedSchemas(inlines, 'Inline')
export const blockSchemas = publishedSchemas(blocks, 'Block')

/** One of each block in its published spelling, with its type. */
export const blockExamples: readonly (readonly [type: string, example: WireObject])[] = blocks.map(
  ({ type, example }) => [type, { type, ...example }],
)

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
