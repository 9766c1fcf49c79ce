/** A requested document, with defaults (docs/contract.md, "Generation"). */
export interface DocumentRequest {
  prompt: string
  model: Tier
  content_type: ContentType
  keywords: string[]
  /** `length` in words, as WordPress counts them. `model` defaults to the document's tier. */
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
  /** `delivery` of the finished document's event; null where it goes nowhere. */
  delivery: {
    id: string
    post_status: 'draft' | 'publish' | 'pending'
    metadata: { categories: string[]; tags: string[] }
  } | null
}

/** Requested audio, with defaults. */
export interface AudioRequest {
  text: string
  voice: Voice
  language: string
  format: AudioFormat
  style: string | null
  model: Tier
  webhook_url: string | null
}

/** A requested image, with defaults. */
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

export interface RequestByKind {
  document: DocumentRequest
  audio: AudioRequest
  image: ImageRequest
}

export type JobKind = keyof RequestByKind

/** The tiers of models (docs/contract.md, "Generation"). */
export const tiers = ['basic', 'standard', 'advanced'] as const
export type Tier = (typeof tiers)[number]

export const imageSizes = ['landscape', 'square', 'portrait', 'auto'] as const
export type ImageSize = (typeof imageSizes)[number]

/** Pixels of a finished image; `auto` is the landscape that the original falls back to. */
export const imageDimensions = {
  landscape: { width: 1536, height: 1024 },
  square: { width: 1024, height: 1024 },
  portrait: { width: 1024, height: 1536 },
  auto: { width: 1536, height: 1024 },
} as const satisfies Record<ImageSize, { width: number; height: number }>

export const imageStyles = [
  'photograph',
  'illustration',
  'digital_art',
  '3d_render',
  'painting',
  'sketch',
  'infographic',
  'technical_diagram',
] as const
export type ImageStyle = (typeof imageStyles)[number]

export const imageQualities = ['low', 'medium', 'high'] as const
export type ImageQuality = (typeof imageQualities)[number]

export const imageFormats = ['png', 'jpeg', 'webp'] as const
export type ImageFormat = (typeof imageFormats)[number]

export const imageBackgrounds = ['auto', 'transparent', 'opaque'] as const
export type ImageBackground = (typeof imageBackgrounds)[number]

export const audioFormats = ['mp3', 'opus', 'wav'] as const
export type AudioFormat = (typeof audioFormats)[number]

/** The voices, each with its character. */
export const voices = {
  Kore: 'Smooth',
  Puck: 'Bright',
  Charon: 'Informative',
  Fenrir: 'Energetic',
  Zephyr: 'Bright',
  Aoede: 'Breezy',
  Leda: 'Easy-going',
  Orus: 'Smooth',
  Achernar: 'Soft',
  Achird: 'Friendly',
  Algenib: 'Gravelly',
  Algieba: 'Smooth',
  Alnilam: 'Firm',
  Autonoe: 'Bright',
  Callirrhoe: 'Easy-going',
  Despina: 'Smooth',
  Enceladus: 'Breathy',
  Erinome: 'Informative',
  Gacrux: 'Mature',
  Iapetus: 'Informative',
  Laomedeia: 'Bright',
  Pulcherrima: 'Forward',
  Rasalgethi: 'Informative',
  Sadachbia: 'Energetic',
  Sadaltager: 'Informative',
  Schedar: 'Even',
  Sulafat: 'Warm',
  Umbriel: 'Easy-going',
  Vindemiatrix: 'Gentle',
  Zubenelgenubi: 'Casual',
} as const
export type Voice = keyof typeof voices

export const formalities = ['formal', 'professional', 'conversational'] as const
type Formality = (typeof formalities)[number]

export const textVoices = [
  'neutral',
  'enthusiastic',
  'empathetic',
  'authoritative',
  'persuasive',
  'inspirational',
] as const
type TextVoice = (typeof textVoices)[number]

export const contentTypes = ['article', 'news'] as const
type ContentType = (typeof contentTypes)[number]
