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
export type Formality = (typeof formalities)[number]

export const textVoices = [
  'neutral',
  'enthusiastic',
  'empathetic',
  'authoritative',
  'persuasive',
  'inspirational',
] as const
export type TextVoice = (typeof textVoices)[number]

export const contentTypes = ['article', 'news'] as const
export type ContentType = (typeof contentTypes)[number]
