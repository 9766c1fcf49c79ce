import { z } from 'zod'
import { type AudioFormat, audioFormats } from './requests.ts'

/** An inline item of a paragraph. A link has an address as well. */
export type WireInline =
  | { type: 'text' | 'bold' | 'italic' | 'code'; text: string }
  | { type: 'link'; text: string; url: string }

/** A block of a finished document on the wire (docs/contract.md). */
export type WireBlock =
  | { type: 'heading'; level: 1 | 2 | 3 | 4 | 5 | 6; text: string }
  | { type: 'paragraph'; content: WireInline[] }
  | { type: 'list'; ordered: boolean; items: string[] }
  | { type: 'table'; headers: string[]; rows: string[][] }
  | { type: 'code_block'; language: string; value: string }
  | { type: 'image'; url: string; alt: string; image_type: string }
  | { type: 'quote'; value: string }

/** A picture of a document: its address, alternative text, and size in pixels. */
export interface FeaturedImage {
  url: string
  alt: string
  width: number
  height: number
}

/** `data` of a finished audio job, and `data.audio` of a document with narration. */
export interface AudioResult {
  url: string
  /** `<m> min <s> sec`, measured from the file. */
  duration: string
  character_count: number
  format: AudioFormat
}

/** `data` of a finished image job. */
export interface ImageResult {
  url: string
}

/** `data` of a finished document. */
export interface DocumentResult {
  title: string
  description: string
  /** Absent where no images were asked for. */
  featured_image?: string
  content: {
    type: 'document'
    version: '1.0'
    meta: { title: string; slug: string; description: string; word_count: number; reading_time: string }
    featured_image?: FeaturedImage
    content: WireBlock[]
  }
  word_count: number
  /** `<n> min read` */
  reading_time: string
  audio?: AudioResult
}

/** The result of a job, by its kind. */
export interface ResultByKind {
  document: DocumentResult
  audio: AudioResult
  image: ImageResult
}

/** The steps at which a job can fail, as in `error.step`. */
export type GenerationStep = 'researching' | 'generating' | 'images' | 'audio'

/** The reasons why a job fails, as in `error.code`. */
export type GenerationFailureCode =
  | 'CONTENT_MODERATION'
  | 'PROVIDER_UNAVAILABLE'
  | 'PROVIDER_REJECTED'
  | 'INVALID_OUTPUT'
  | 'SOURCES_UNAVAILABLE'
  | 'STORAGE_FAILED'

/** A job's failure, as in its status and its notification. */
export interface JobError {
  step: GenerationStep
  code: GenerationFailureCode
  message: string
}

/* Published results of jobs, for /openapi.json. Galley only writes them. */

const inlineSchema: z.ZodType<WireInline> = z
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
} satisfies Record<WireBlock['type'], z.ZodObject>

const blockSchema: z.ZodType<WireBlock> = z
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

/** `data` of a completed job, by its kind. */
export const resultSchemas = {
  document: document.meta({ id: 'DocumentResult' }),
  audio: audio.meta({ id: 'AudioResult' }),
  image: z.object({ url: z.string() }).meta({ id: 'ImageResult' }),
} satisfies { [Kind in keyof ResultByKind]: z.ZodType<ResultByKind[Kind]> }

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
