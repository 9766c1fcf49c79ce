import { z } from 'zod'

/** Senders write `null` for what is absent. */
const optionalText = z
  .string('expected a string')
  .nullish()
  .transform((value) => value ?? undefined)

/** A URL in `data`; what the object in `content` holds is open (docs/contract.md). */
const picture = z
  .union([z.string(), z.looseObject({})], 'expected a URL, or an object with "url" (or "src") and "alt"')
  .nullish()
  .describe('URL of the featured image, or an object with `url` or `src`, and `alt`.')

/** Where narration stands is open (docs/contract.md). */
const audio = z
  .union([z.string(), z.looseObject({})], 'expected a URL, or an object with "url" (or "src")')
  .nullish()
  .describe('Narration: its URL, or an object with `url` or `src`.')

/** `data.content`: the structured document. Its blocks are read one by one, see `normalise/blocks.ts`. */
export const contentSchema = z.looseObject(
  {
    type: z.literal('document', 'expected "document"').nullish(),
    version: z.literal('1.0', 'expected "1.0", the document format that Galley reads').nullish(),
    meta: z
      .looseObject(
        { title: optionalText, slug: optionalText, description: optionalText },
        'expected an object',
      )
      .nullish(),
    featured_image: picture,
    audio,
    audio_url: optionalText,
    content: z
      .array(z.unknown(), 'expected an array of blocks')
      .describe('Blocks in reading order: heading, paragraph, list, table, code_block, image, quote.'),
  },
  'expected the structured document, an object with "content"',
)

/** `data` of a finished document, as a webhook, a status answer or a preview carries it. */
export const documentDataSchema = z
  .looseObject(
    {
      title: optionalText,
      description: optionalText,
      featured_image: picture,
      audio,
      audio_url: optionalText,
      content: contentSchema,
    },
    'expected an object with "title" and "content"',
  )
  .refine(({ title, content }) => Boolean(title?.trim() || content.meta?.title?.trim()), {
    path: ['title'],
    error: 'expected a title that is not empty, here or in content.meta.title',
  })

export type DocumentData = z.output<typeof documentDataSchema>
