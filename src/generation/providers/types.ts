import type {
  ImageBackground,
  ImageFormat,
  ImageQuality,
  ImageSize,
  Tier,
  Voice,
} from '../../contract/generation/requests.ts'
import { jobFailure } from '../failure.ts'

export interface CallContext {
  /** Sent as `Idempotency-Key`: the same for the same call, never for another. */
  idempotencyKey: string
  /** Aborted when the claim on the job is lost, or the process must end: the answer is of no use any more. */
  signal: AbortSignal
}

/** A call sends one request and returns the unchecked answer; `read` parses it. Both throw `GalleyError`s. */
export interface Provider {
  /** As the settings name it: how people know it, and where its pause is kept. */
  readonly name: string
  readonly model: string
  /** Requests that one process has under way with it at once, by the settings; 4 where they do not say. */
  readonly concurrency?: number | undefined
}

export interface TextRequest {
  system: string
  messages: { role: 'user' | 'assistant'; content: string }[]
  /** The answer is to be JSON of this schema; plain text without one. */
  schema?: { name: string; json: Record<string, unknown> }
}

export interface WrittenText {
  text: string
  /** `length`: it was cut off. `refused`: its provider's moderation, or itself, declined. */
  finish: 'stop' | 'length' | 'refused'
}

export interface TextProvider extends Provider {
  write(request: TextRequest, context: CallContext): Promise<RawAnswer>
  read(answer: RawAnswer): WrittenText
  /** Removes the provider's key from words of an answer that an error quotes. */
  redact?(text: string): string
}

export interface SearchHit {
  url: string
  title: string
  published?: string | undefined
}

export interface SearchProvider extends Provider {
  search(query: { query: string; limit: number; news: boolean }, context: CallContext): Promise<RawAnswer>
  read(answer: RawAnswer): SearchHit[]
}

export interface PictureRequest {
  /** What it shows, with the style put into words. */
  prompt: string
  /** What it shows in the words of who asked, for a provider that sets them in type. */
  subject: string
  size: ImageSize
  quality: ImageQuality
  background: ImageBackground
  format: ImageFormat
}

export interface PictureProvider extends Provider {
  /** What it is, where a person should know, such as a drawn card that no model made. */
  readonly notice: string | null
  /** Why it can never do this, in words for who asked; undefined where it can. Asked before a job is made. */
  cannot(request: PictureRequest): string | undefined
  draw(request: PictureRequest, context: CallContext): Promise<RawAnswer>
  /** The file as the provider made it; converted afterwards to what was asked for (`generation/pipeline/pictures.ts`). */
  read(answer: RawAnswer, context: CallContext): Promise<Buffer>
}

export interface SpeechRequest {
  text: string
  voice: Voice
  language: string
  style: string | null
}

export interface Speech {
  samples: Buffer
  sampleRate: number
}

export interface SpeechProvider extends Provider {
  readonly notice: string | null
  /** Characters of one request at most, where that is less than Galley sends. */
  readonly longestText?: number | undefined
  /** The voice used, whether it is exact, and the language spoken where the requested one is unknown. */
  voice(voice: Voice, language: string): { name: string; exact: boolean; language?: string }
  speak(request: SpeechRequest, context: CallContext): Promise<RawAnswer>
  read(answer: RawAnswer): Speech
}

/** The providers that the settings name, by what they do and tier, the preferred first; an empty list where there is none. */
export interface Providers {
  text(tier: Tier): readonly TextProvider[]
  /** For the questions of research, which another model may answer than the text. */
  research(tier: Tier): readonly TextProvider[]
  search(): readonly SearchProvider[]
  pictures(tier: Tier): readonly PictureProvider[]
  speech(tier: Tier): readonly SpeechProvider[]
}

/** A provider's answer, stored before it is read: up to 1 MiB of text in the row, the rest in the storage. */
export interface RawAnswer {
  provider: string
  model: string
  body: string | Buffer
  /** Of speech, which may be bare samples. */
  contentType?: string
  /** Of speech: its provider takes no style, and one was asked for. */
  withoutStyle?: boolean
  /** Of a picture: its provider takes no quality. */
  withoutQuality?: boolean
  usage?: Record<string, number> | undefined
  /** What that cost by the prices in the settings, in millionths of their currency; undefined without a price. */
  costMicros?: number | undefined
}

/** The provider that gave an answer. @throws GenerationError where it is no longer configured */
export function findAnsweringProvider<Candidate extends Provider>(
  candidates: readonly Candidate[],
  { provider, model }: Pick<RawAnswer, 'provider' | 'model'>,
): Candidate {
  const named = candidates.filter(({ name }) => name === provider)
  const found = named.find((candidate) => candidate.model === model) ?? named[0]
  if (found !== undefined) return found
  throw jobFailure(
    'INVALID_OUTPUT',
    `The answer of the provider ${provider} (${model}) cannot be read any more: the settings do not name it. Try again.`,
  )
}
