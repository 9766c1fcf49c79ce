import { labelText } from '../../components/label-text.ts'
import type { AudioDraft, DocumentDraft, ImageDraft, Speech } from './drafts.ts'

/** What was requested before, as it is kept with its job; nothing for a new request. */
type Kept = Readonly<Record<string, unknown>>

const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : otherwise

const partOf = (value: unknown): Kept => (typeof value === 'object' && value !== null ? (value as Kept) : {})

const listOf = (value: unknown): string =>
  Array.isArray(value) ? labelText(value.filter((one) => typeof one === 'string')) : ''

const speechIn = ({ voice, language, format, style }: Kept): Speech => ({
  voice: textOf(voice, 'Kore'),
  language: textOf(language, 'en-US'),
  format: textOf(format, 'mp3'),
  style: textOf(style),
})

/** A document to begin with: like one that was requested before, or with every default. */
export function documentDraft(kept: Kept = {}): DocumentDraft {
  const [text, image, audio, research, delivery] = [
    partOf(kept.text),
    partOf(kept.image),
    partOf(kept.audio),
    partOf(kept.research),
    partOf(kept.delivery),
  ]
  const { categories, tags } = partOf(delivery.metadata)
  const model = textOf(kept.model, 'standard')
  /** A tier that is that of the document need not be chosen. */
  const ofStep = (step: Kept) => (step.model === model ? '' : textOf(step.model))
  return {
    prompt: textOf(kept.prompt),
    content_type: textOf(kept.content_type, 'article'),
    length: textOf(text.length, '2000'),
    pictures: image.enabled !== false,
    narration: audio.enabled === true,
    keywords: listOf(kept.keywords),
    formality: textOf(text.formality, 'professional'),
    voice: textOf(text.voice, 'neutral'),
    model,
    models: { text: ofStep(text), research: ofStep(research), image: ofStep(image), audio: ofStep(audio) },
    speech: speechIn(audio),
    sites: typeof delivery.id === 'string' ? [delivery.id] : [],
    post_status: textOf(delivery.post_status, 'draft'),
    categories: listOf(categories),
    tags: listOf(tags),
    webhook_url: textOf(kept.webhook_url),
  }
}

export const audioDraft = (kept: Kept = {}): AudioDraft => ({
  text: textOf(kept.text),
  model: textOf(kept.model, 'standard'),
  speech: speechIn(kept),
  webhook_url: textOf(kept.webhook_url),
})

export const imageDraft = (kept: Kept = {}): ImageDraft => ({
  prompt: textOf(kept.prompt),
  model: textOf(kept.model, 'standard'),
  style: textOf(kept.style, 'photograph'),
  size: textOf(kept.size, 'landscape'),
  quality: textOf(kept.quality, 'high'),
  format: textOf(kept.format, 'png'),
  background: textOf(kept.background, 'auto'),
  webhook_url: textOf(kept.webhook_url),
})
