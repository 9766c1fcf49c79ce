import type { DocumentRequest, ImageRequest } from '../../src/contract/generation/requests.ts'

/** A request for an image. */
export const image = (prompt: string, more: Partial<ImageRequest> = {}): ImageRequest => ({
  prompt,
  model: 'standard',
  style: 'photograph',
  size: 'square',
  quality: 'high',
  format: 'png',
  background: 'auto',
  webhook_url: null,
  ...more,
})

/** A request for a document, with nothing but text. */
export const documentRequest = (more: Partial<DocumentRequest> = {}): DocumentRequest => ({
  prompt: 'About the sea',
  model: 'standard',
  content_type: 'article',
  keywords: [],
  text: { length: 100, formality: 'formal', voice: 'neutral', model: 'standard' },
  image: { enabled: false, model: 'standard' },
  research: { model: 'standard' },
  audio: { enabled: false, model: 'standard', voice: 'Kore', language: 'en-US', format: 'mp3', style: null },
  webhook_url: null,
  delivery: null,
  ...more,
})
