import type {
  AudioFormat,
  ContentType,
  Formality,
  ImageBackground,
  ImageFormat,
  ImageQuality,
  ImageSize,
  ImageStyle,
  TextVoice,
  Tier,
  Voice,
} from './choices.ts'

/** A document that was asked for, with every default in its place (docs/contract.md, "Generation"). */
export interface DocumentRequest {
  prompt: string
  model: Tier
  content_type: ContentType
  keywords: string[]
  /** `length` in words, as WordPress counts them. `model` is the tier of the text, the global one where none was given. */
  text: { length: number; formality: Formality; voice: TextVoice; model: Tier }
  image: { enabled: boolean; model: Tier }
  research: { model: Tier }
  audio: {
    enabled: boolean
    model: Tier
    voice: Voice
    language: string
    format: AudioFormat
    style: string | null
  }
  webhook_url: string | null
  /** What the finished document's event carries as `delivery`; null where it goes nowhere. */
  delivery: {
    id: string
    post_status: 'draft' | 'publish' | 'pending'
    metadata: { categories: string[]; tags: string[] }
  } | null
}

/** Audio that was asked for, with every default. */
export interface AudioRequest {
  text: string
  voice: Voice
  language: string
  format: AudioFormat
  style: string | null
  model: Tier
  webhook_url: string | null
}

/** An image that was asked for, with every default. */
export interface ImageRequest {
  prompt: string
  model: Tier
  style: ImageStyle
  size: ImageSize
  quality: ImageQuality
  format: ImageFormat
  background: ImageBackground
  webhook_url: string | null
}

/** What was asked for, by the kind of job. */
export interface Requests {
  document: DocumentRequest
  audio: AudioRequest
  image: ImageRequest
}

export type JobKind = keyof Requests
