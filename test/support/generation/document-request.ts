import type { DocumentRequest } from '../../../src/contract/generation/requests.ts'

type Requested = Partial<Omit<DocumentRequest, 'text' | 'image' | 'audio'>> & {
  text?: Partial<DocumentRequest['text']>
  image?: Partial<DocumentRequest['image']>
  audio?: Partial<DocumentRequest['audio']>
}

/** A request with every default, without pictures, which most tests are not about. */
export const documentRequest = ({ text, image, audio, ...requested }: Requested = {}): DocumentRequest => ({
  prompt: 'How tides work, and why there are two of them each day',
  model: 'standard',
  content_type: 'article',
  keywords: [],
  research: { model: 'standard' },
  webhook_url: null,
  delivery: null,
  ...requested,
  text: { length: 2_000, formality: 'professional', voice: 'neutral', model: 'standard', ...text },
  image: { enabled: false, model: 'standard', ...image },
  audio: {
    enabled: false,
    model: 'standard',
    voice: 'Kore',
    language: 'en-US',
    format: 'mp3',
    style: null,
    ...audio,
  },
})
