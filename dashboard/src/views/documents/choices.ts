import { __ } from '@wordpress/i18n'
import type { JobRequests } from '../../data/jobs.ts'

type Audio = Required<JobRequests['audio']>
type Image = Required<JobRequests['image']>
type Text = Required<NonNullable<JobRequests['document']['text']>>
type Words<Value extends string> = () => Record<Value, string>

/** The options of all fields, in words. */
export const tiers: Words<Text['model']> = () => ({
  basic: __('Basic', 'galley'),
  standard: __('Standard', 'galley'),
  advanced: __('Advanced', 'galley'),
})

/** The tiers of a step; "" is the document's tier. */
export const tiersOfStep = (): Record<string, string> => ({
  '': __('As the document', 'galley'),
  ...tiers(),
})

export const contentTypes: Words<NonNullable<JobRequests['document']['content_type']>> = () => ({
  article: __('Article', 'galley'),
  news: __('News', 'galley'),
})

export const formalities: Words<Text['formality']> = () => ({
  professional: __('Professional', 'galley'),
  formal: __('Formal', 'galley'),
  conversational: __('Conversational', 'galley'),
})

export const textVoices: Words<Text['voice']> = () => ({
  neutral: __('Neutral', 'galley'),
  enthusiastic: __('Enthusiastic', 'galley'),
  empathetic: __('Empathetic', 'galley'),
  authoritative: __('Authoritative', 'galley'),
  persuasive: __('Persuasive', 'galley'),
  inspirational: __('Inspirational', 'galley'),
})

export const postStatuses: Words<NonNullable<JobRequests['document']['post_status']>> = () => ({
  draft: __('A draft', 'galley'),
  pending: __('Pending review', 'galley'),
  publish: __('Published at once', 'galley'),
})

export const audioFormats: Words<Audio['format']> = () => ({
  mp3: __('MP3', 'galley'),
  opus: __('Opus, in Ogg', 'galley'),
  wav: __('WAV: not compressed, and large', 'galley'),
})

export const imageStyles: Words<Image['style']> = () => ({
  photograph: __('Photograph', 'galley'),
  illustration: __('Illustration', 'galley'),
  digital_art: __('Digital art', 'galley'),
  '3d_render': __('3D render', 'galley'),
  painting: __('Painting', 'galley'),
  sketch: __('Sketch', 'galley'),
  infographic: __('Infographic', 'galley'),
  technical_diagram: __('Technical diagram', 'galley'),
})

export const imageSizes: Words<Image['size']> = () => ({
  landscape: __('Landscape, 1536 × 1024', 'galley'),
  square: __('Square, 1024 × 1024', 'galley'),
  portrait: __('Portrait, 1024 × 1536', 'galley'),
  auto: __('Whatever fits, 1536 × 1024', 'galley'),
})

export const imageQualities: Words<Image['quality']> = () => ({
  high: __('High', 'galley'),
  medium: __('Medium', 'galley'),
  low: __('Low', 'galley'),
})

export const imageFormats: Words<Image['format']> = () => ({
  png: __('PNG', 'galley'),
  jpeg: __('JPEG', 'galley'),
  webp: __('WebP', 'galley'),
})

export const imageBackgrounds: Words<Image['background']> = () => ({
  auto: __('Whatever fits', 'galley'),
  transparent: __('Transparent', 'galley'),
  opaque: __('Opaque', 'galley'),
})
