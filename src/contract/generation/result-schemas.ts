import { z } from 'zod'
import { audioFormats } from './choices.ts'
import type { Block, Inline, JobError, Results } from './results.ts'

/*
 * What comes of jobs, as it is published. Galley makes these and reads them nowhere: /openapi.json says what they are.
 */

const inlineSchema: z.ZodType<Inline> = z
  .union([
    z.object({ type: z.enum(['text', 'bold', 'italic', 'code']), text: z.string() }),
    z.object({ type: z.literal('link'), text: z.string(), url: z.string() }),
  ])
  .meta({ id: 'GeneratedInline', description: 'A piece of running text.' })

const blocks = {
  heading: z.object({ type: z.literal('heading'), level: z.literal([1, 2, 3, 4, 5, 6]), text: z.string() }),
  paragraph: z.object({ type: z.literal('paragraph'), content: z.array(inlineSchema) }),
  list: z.object({ type: z.literal('list'), ordered: z.boolean(), items: z.array(z.string()) }),
  table: z.object({
    type: z.literal('table'),
    headers: z.array(z.string()),
    rows: z.array(z.array(z.string())),
  }),
  code_block: z.object({ type: z.literal('code_block'), language: z.string(), value: z.string() }),
  image: z.object({ type: z.literal('image'), url: z.string(), alt: z.string(), image_type: z.string() }),
  quote: z.object({ type: z.literal('quote'), value: z.string() }),
} satisfies Record<Block['type'], z.ZodObject>

const blockSchema: z.ZodType<Block> = z
  .union(Object.values(blocks))
  .meta({ id: 'GeneratedBlock', description: 'A block of a document that Galley created.' })

const readingTime = z.string().describe('`<n> min read`')
const wordCount = z.int().describe('As WordPress counts.')

const audio = z.object({
  url: z.string(),
  duration: z.string().describe('`<m> min <s> sec`, measured from the file.'),
  character_count: z.int().describe('Characters that are read out.'),
  format: z.enum(audioFormats),
})

const document = z.object({
  title: z.string(),
  description: z.string(),
  featured_image: z.string().optional().describe('Its address; absent where no images were asked for.'),
  content: z.object({
    type: z.literal('document'),
    version: z.literal('1.0'),
    meta: z.object({
      title: z.string(),
      slug: z.string(),
      description: z.string(),
      word_count: wordCount,
      reading_time: readingTime,
    }),
    featured_image: z
      .object({ url: z.string(), alt: z.string(), width: z.int(), height: z.int() })
      .optional(),
    content: z.array(blockSchema).describe('In reading order.'),
  }),
  word_count: wordCount,
  reading_time: readingTime,
  audio: audio.optional().describe('The narration, where it was asked for.'),
})

/** `data` of a job that is completed, by its kind. */
export const resultSchemas = {
  document: document.meta({ id: 'DocumentResult' }),
  audio: audio.meta({ id: 'AudioResult' }),
  image: z.object({ url: z.string() }).meta({ id: 'ImageResult' }),
} satisfies { [Kind in keyof Results]: z.ZodType<Results[Kind]> }

/** How a job failed. */
export const jobErrorSchema = z
  .object({
    step: z.enum(['researching', 'generating', 'images', 'audio']),
    code: z.enum([
      'CONTENT_MODERATION',
      'PROVIDER_UNAVAILABLE',
      'PROVIDER_REJECTED',
      'INVALID_OUTPUT',
      'SOURCES_UNAVAILABLE',
      'STORAGE_FAILED',
    ]),
    message: z.string(),
  })
  .meta({ id: 'JobError' }) satisfies z.ZodType<JobError>
