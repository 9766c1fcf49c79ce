import type { AudioFormat } from './choices.ts'

/** An inline item of a paragraph: what it is and its text; a link has its address as well. */
export type Inline =
  | { type: 'text' | 'bold' | 'italic' | 'code'; text: string }
  | { type: 'link'; text: string; url: string }

/** A block of a finished document, as it goes over the wire (docs/contract.md). */
export type Block =
  | { type: 'heading'; level: 1 | 2 | 3 | 4 | 5 | 6; text: string }
  | { type: 'paragraph'; content: Inline[] }
  | { type: 'list'; ordered: boolean; items: string[] }
  | { type: 'table'; headers: string[]; rows: string[][] }
  | { type: 'code_block'; language: string; value: string }
  | { type: 'image'; url: string; alt: string; image_type: string }
  | { type: 'quote'; value: string }

/** A picture of a document: where it is served, what it shows in words, and its size in pixels. */
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
    content: Block[]
  }
  word_count: number
  /** `<n> min read` */
  reading_time: string
  audio?: AudioResult
}

/** What comes of a job, by its kind. */
export interface Results {
  document: DocumentResult
  audio: AudioResult
  image: ImageResult
}

/** The steps at which a job can fail, as `error.step` names them. */
export type Step = 'researching' | 'generating' | 'images' | 'audio'

/** The reasons for which a job fails, as `error.code` names them. */
export type FailureCode =
  | 'CONTENT_MODERATION'
  | 'PROVIDER_UNAVAILABLE'
  | 'PROVIDER_REJECTED'
  | 'INVALID_OUTPUT'
  | 'SOURCES_UNAVAILABLE'
  | 'STORAGE_FAILED'

/** How a job failed, as its status and its notification tell it. */
export interface JobError {
  step: Step
  code: FailureCode
  message: string
}
