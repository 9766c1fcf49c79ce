import { z } from 'zod'
import type { Inline } from '../tree.ts'

/*
 * The document format as it is published, in /openapi.json and docs/documents.md: one spelling of each thing. What else
 * is understood is read in ../normalise; the published spelling is read there too, as any other.
 */

const within: z.ZodType = z.lazy(() => inlineContentSchema)

/** A kind that holds inline content of its own, and nothing else. */
const format = (type: 'bold' | 'italic', description: string, text: string) =>
  z.looseObject({ type: z.literal(type), text: within }).meta({ description, examples: [{ type, text }] })

const textSchema = z.looseObject({ type: z.literal('text'), text: z.string() }).meta({
  id: 'TextInline',
  description: 'Words without any format; white space collapses, as on every page.',
  examples: [{ type: 'text', text: 'The sea rises ' }],
})

const boldSchema = format('bold', 'Words in bold.', 'towards').meta({ id: 'BoldInline' })

const italicSchema = format('italic', 'Words in italics.', 'chart datum').meta({ id: 'ItalicInline' })

const linkSchema = z
  .looseObject({
    type: z.literal('link'),
    url: z.string().describe('Where it leads; `#anchor` leads to a heading of the same document.'),
    text: within,
    title: z.string().optional().describe('Shown by browsers when the pointer rests on the link.'),
  })
  .meta({
    id: 'LinkInline',
    description:
      'A link. Where WordPress would not let its scheme through (`javascript:`, `data:`), only the words stay.',
    examples: [
      { type: 'link', url: 'https://example.com/tides', text: 'the tide tables', title: 'For a year' },
    ],
  })

const codeSchema = z.looseObject({ type: z.literal('code'), text: z.string() }).meta({
  id: 'CodeInline',
  description: 'Code amid the text.',
  examples: [{ type: 'code', text: 'ebb()' }],
})

/** By kind; a kind of the tree without a schema does not compile. */
export const inlineSchemas = {
  text: textSchema,
  bold: boldSchema,
  italic: italicSchema,
  link: linkSchema,
  code: codeSchema,
} satisfies Record<Inline['type'], z.ZodObject>

const inlineSchema = z
  .discriminatedUnion('type', [textSchema, boldSchema, italicSchema, linkSchema, codeSchema])
  .meta({ id: 'Inline', description: 'A piece of running text, by `type`.' })

/** Running text, wherever a block has some. */
export const inlineContentSchema = z.union([z.string(), z.array(z.union([z.string(), inlineSchema]))]).meta({
  id: 'InlineContent',
  description: 'Running text: a string, or an array of strings and inline items.',
  examples: ['High water', ['High water, ', { type: 'bold', text: 'twice' }, ' a day']],
})
