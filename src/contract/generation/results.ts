import { z } from 'zod'
import { warningSchema } from '../../warnings.ts'
import { audioFormats } from './requests.ts'

// Published results of jobs, for /openapi.json. Galley only writes them.

const inlineSchema = z
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
}

const blockSchema = z
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

const featuredImage = z.object({ url: z.string(), alt: z.string(), width: z.int(), height: z.int() })

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
    featured_image: featuredImage.optional(),
    content: z.array(blockSchema).describe('In reading order.'),
  }),
  word_count: wordCount,
  reading_time: readingTime,
  audio: audio.optional().describe('The narration, where it was asked for.'),
})

/** What a person should know of a job. */
export const jobWarningsSchema = z
  .array(warningSchema)
  .optional()
  .describe(
    'What a person should know that did not stop it, such as what is missing; absent where there is nothing.',
  )

const warned = { warnings: jobWarningsSchema }

/** `data` of a completed job, by its kind. */
export const resultSchemas = {
  document: document.extend(warned).meta({ id: 'DocumentResult' }),
  audio: audio.extend(warned).meta({ id: 'AudioResult' }),
  image: z.object({ url: z.string(), ...warned }).meta({ id: 'ImageResult' }),
}

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
      'BUDGET_EXCEEDED',
    ]),
    message: z.string(),
  })
  .meta({ id: 'JobError' })

/** An inline item of a paragraph. A link has an address as well. */
export type WireInline = z.output<typeof inlineSchema>

/** A block of a finished document on the wire (docs/contract.md). */
export type WireBlock = z.output<typeof blockSchema>

export type FeaturedImage = z.output<typeof featuredImage>

export type ResultByKind = { [Kind in keyof typeof resultSchemas]: z.output<(typeof resultSchemas)[Kind]> }
export type DocumentResult = ResultByKind['document']
/** `data` of a finished audio job, and `data.audio` of a document with narration. */
export type AudioResult = ResultByKind['audio']
export type ImageResult = ResultByKind['image']

export type JobError = z.output<typeof jobErrorSchema>
export type GenerationStep = JobError['step']
export type GenerationFailureCode = JobError['code']
