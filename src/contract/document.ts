import { z } from 'zod'
import { collapseToLine } from './normalise/fields.ts'

/** Senders write `null` for what is absent. */
const optionalText = (description: string) =>
  z
    .string('expected a string')
    .nullish()
    .transform((value) => value ?? undefined)
    .describe(description)

const title = optionalText('The title of the post.')
const description = optionalText('What the document is about; the excerpt of the post.')
const audioUrl = optionalText('The URL of the narration, where there is no `audio`.')

const addressOr = (properties: Record<string, { type: 'string' }>) => ({
  anyOf: [{ type: 'string' as const }, { type: 'object' as const, properties, required: ['url'] }],
})

/** A URL in `data`; the object in `content` is open (docs/contract.md). */
const picture = z
  .union([z.string(), z.looseObject({})], 'expected a URL, or an object with "url" (or "src") and "alt"')
  .meta({
    id: 'FeaturedImage',
    description: 'The featured image: its URL, or an object with its URL and its alternative text.',
    examples: [{ url: 'https://example.com/moon.jpg', alt: 'A full moon over a bay' }],
    override: addressOr({ url: { type: 'string' }, alt: { type: 'string' } }),
  })
  .nullish()

/** The place of narration is open (docs/contract.md). */
const audio = z
  .union([z.string(), z.looseObject({})], 'expected a URL, or an object with "url" (or "src")')
  .meta({
    id: 'Narration',
    description: 'The document read aloud: the URL of the recording, or an object with it.',
    examples: ['https://example.com/narration.mp3'],
    override: addressOr({ url: { type: 'string' } }),
  })
  .nullish()

/** Where title, slug and description may stand beside `data`. */
const metaSchema = z
  .looseObject(
    { title, slug: optionalText('The last part of the post’s address.'), description },
    'expected an object',
  )
  .meta({
    id: 'DocumentMeta',
    description:
      'What is said of the document. Title and description are in `data` too, which takes precedence.',
    examples: [{ title: 'Why the tide comes twice a day', slug: 'why-the-tide-comes-twice' }],
  })

/** `data.content`, the structured document. `normalise/blocks.ts` reads its blocks one by one. */
export const contentSchema = z
  .looseObject(
    {
      type: z.literal('document', 'expected "document"').nullish(),
      version: z.literal('1.0', 'expected "1.0", the document format that Galley reads').nullish(),
      meta: metaSchema.nullish(),
      featured_image: picture,
      audio,
      audio_url: audioUrl,
      content: z.array(z.unknown(), 'expected an array of blocks').meta({
        // Any spelling is read (normalise/); one is published.
        override: {
          type: 'array',
          items: { $ref: '#/components/schemas/Block' },
          description: 'The blocks in reading order.',
        },
      }),
    },
    'expected the structured document, an object with "content"',
  )
  .meta({
    id: 'DocumentContent',
    description: 'The structured document.',
    examples: [
      { type: 'document', version: '1.0', content: [{ type: 'paragraph', content: 'The sea rises.' }] },
    ],
  })

/** `data` of a finished document in a webhook, a status answer or a preview. */
export const documentDataSchema = z
  .looseObject(
    { title, description, featured_image: picture, audio, audio_url: audioUrl, content: contentSchema },
    'expected an object with "title" and "content"',
  )
  .refine(
    ({ title, content }) =>
      [title, content.meta?.title].some((written) => collapseToLine(written ?? '') !== ''),
    {
      path: ['title'],
      error: 'expected a title that is not empty, here or in content.meta.title',
    },
  )
  .meta({
    id: 'Document',
    description: 'A finished document. docs/documents.md describes every field and what else is understood.',
    examples: [
      {
        title: 'Why the tide comes twice a day',
        description: 'The moon explains the first high tide; the second is the surprise.',
        content: { content: [{ type: 'paragraph', content: 'The sea rises.' }] },
      },
    ],
  })

export type DocumentData = z.output<typeof documentDataSchema>
