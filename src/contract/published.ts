import { z } from 'zod'
import { LIMITS } from './limits.ts'
import type { Block, Inline } from './tree.ts'

/*
 * The published document format, in /openapi.json and docs/documents.md: one spelling of each thing. ../normalise reads
 * this spelling and all others.
 */

const nestedInlineSchema: z.ZodType = z.lazy(() => inlineContentSchema)

/** A kind that holds only inline content. */
const formatSchema = (type: 'bold' | 'italic', description: string, text: string) =>
  z
    .looseObject({ type: z.literal(type), text: nestedInlineSchema })
    .meta({ description, examples: [{ type, text }] })

const textSchema = z.looseObject({ type: z.literal('text'), text: z.string() }).meta({
  id: 'TextInline',
  description: 'Words without any format; white space collapses, as on every page.',
  examples: [{ type: 'text', text: 'The sea rises ' }],
})

const boldSchema = formatSchema('bold', 'Words in bold.', 'towards').meta({ id: 'BoldInline' })

const italicSchema = formatSchema('italic', 'Words in italics.', 'chart datum').meta({ id: 'ItalicInline' })

const linkSchema = z
  .looseObject({
    type: z.literal('link'),
    url: z.string().describe('Where it leads; `#anchor` leads to a heading of the same document.'),
    text: nestedInlineSchema,
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

const inlineContentSchema = z.union([z.string(), z.array(z.union([z.string(), inlineSchema]))]).meta({
  id: 'InlineContent',
  description: 'Running text: a string, or an array of strings and inline items.',
  examples: ['High water', ['High water, ', { type: 'bold', text: 'twice' }, ' a day']],
})

const urlSchema = z.string().describe('A full address, http or https.')

const headingSchema = z
  .looseObject({
    type: z.literal('heading'),
    level: z.int().min(1).max(6).describe('1 to 6; where a document has a 1, all move one down.'),
    text: inlineContentSchema,
    anchor: z.string().optional().describe('The name that links within the document lead to.'),
  })
  .meta({
    id: 'HeadingBlock',
    description: 'A heading.',
    examples: [{ type: 'heading', level: 2, text: 'Two bulges', anchor: 'two-bulges' }],
  })

const paragraphSchema = z.looseObject({ type: z.literal('paragraph'), content: inlineContentSchema }).meta({
  id: 'ParagraphBlock',
  description: 'A paragraph. One without words is left out.',
  examples: [
    {
      type: 'paragraph',
      content: [
        { type: 'text', text: 'The sea rises ' },
        { type: 'bold', text: 'towards' },
        { type: 'text', text: ' the moon, and away from it.' },
      ],
    },
  ],
})

const listEntrySchema: z.ZodType = z
  .lazy(() => z.union([z.string(), listItemSchema]))
  .meta({
    id: 'ListEntry',
    description: 'Text, or an item that holds more than text.',
    examples: ['High water'],
  })

/** A list item that is more than text. */
export const listItemSchema = z
  .looseObject({
    text: inlineContentSchema,
    items: z.array(listEntrySchema).optional().describe('A list inside the item.'),
    ordered: z
      .boolean()
      .optional()
      .describe('Whether that list is numbered; where left out, as the one around it.'),
  })
  .meta({
    id: 'ListItem',
    description: `An item of a list that is more than words. Lists nest ${LIMITS.listDepth} deep at most.`,
    examples: [{ text: 'Spring tide', items: ['new moon', 'full moon'] }],
  })

const listSchema = z
  .looseObject({
    type: z.literal('list'),
    ordered: z.boolean().optional().describe('Numbered; a list with bullets where left out.'),
    start: z.int().optional().describe('The first number of a numbered list.'),
    items: z.array(listEntrySchema),
  })
  .meta({
    id: 'ListBlock',
    description: 'A list, with bullets or numbered.',
    examples: [
      {
        type: 'list',
        ordered: true,
        start: 3,
        items: ['High water', { text: 'Low water', ordered: false, items: ['neap'] }],
      },
    ],
  })

const tableSchema = z
  .looseObject({
    type: z.literal('table'),
    headers: z.array(inlineContentSchema).describe('The cells of the first row; none where empty.'),
    rows: z.array(z.array(inlineContentSchema)).describe('Shorter rows are filled up to the widest.'),
    caption: inlineContentSchema.optional(),
  })
  .meta({
    id: 'TableBlock',
    description: `A table of at most ${LIMITS.cells} cells.`,
    examples: [
      {
        type: 'table',
        headers: ['Port', 'Range'],
        rows: [
          ['Bristol', '12 m'],
          ['Kiel', '0.1 m'],
        ],
        caption: 'Mean range at springs',
      },
    ],
  })

const codeBlockSchema = z
  .looseObject({
    type: z.literal('code_block'),
    value: z.string().describe('The code as it is, with its line breaks and spaces.'),
    language: z.string().optional().describe('As highlighters name it: `ts`, `python`.'),
  })
  .meta({
    id: 'CodeBlock',
    description: 'Code that stands by itself.',
    examples: [
      { type: 'code_block', language: 'ts', value: 'const hours = 12.42\nconst tides = 24 / hours' },
    ],
  })

const imageSchema = z
  .looseObject({
    type: z.literal('image'),
    url: urlSchema,
    alt: z.string().describe('What a screen reader says; empty for a picture that only decorates.'),
    caption: inlineContentSchema.optional().describe('Shown below the picture.'),
    title: z.string().optional().describe('Shown by browsers when the pointer rests on the picture.'),
    image_type: z.string().optional().describe('What kind of picture the generator made; changes nothing.'),
  })
  .meta({
    id: 'ImageBlock',
    description: 'A picture, which is fetched and uploaded to the site.',
    examples: [
      {
        type: 'image',
        url: 'https://example.com/tide-curve.png',
        alt: 'The height of the water over a day, with two highs',
        caption: 'A day at Bristol',
        title: 'Tide curve',
        image_type: 'infographic',
      },
    ],
  })

const quoteSchema = z
  .looseObject({
    type: z.literal('quote'),
    value: inlineContentSchema.describe('A blank line in a string begins another paragraph.'),
    citation: inlineContentSchema.optional().describe('Who said it, or where.'),
  })
  .meta({
    id: 'QuoteBlock',
    description: 'A quotation.',
    examples: [{ type: 'quote', value: 'Time and tide wait for no man.', citation: 'A proverb' }],
  })

const audioSchema = z.looseObject({ type: z.literal('audio'), url: urlSchema }).meta({
  id: 'AudioBlock',
  description: 'A recording amid the text, which is fetched and uploaded to the site.',
  examples: [{ type: 'audio', url: 'https://example.com/surf.mp3' }],
})

/** By type; a block of the tree without a schema does not compile. */
export const blockSchemas = {
  heading: headingSchema,
  paragraph: paragraphSchema,
  list: listSchema,
  table: tableSchema,
  code_block: codeBlockSchema,
  image: imageSchema,
  quote: quoteSchema,
  audio: audioSchema,
} satisfies Record<Block['type'], z.ZodObject>

type BlockSchema = (typeof blockSchemas)[Block['type']]

/** One entry of `content.content`, as published. */
export const blockSchema = z
  .discriminatedUnion('type', Object.values(blockSchemas) as [BlockSchema, ...BlockSchema[]])
  .meta({
    id: 'Block',
    description:
      'A block, by `type`. What is written otherwise is understood where it can be: docs/documents.md.',
  })
