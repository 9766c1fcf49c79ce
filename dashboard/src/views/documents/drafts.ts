import { formatLabels, parseLabels } from '../../../../src/lib/label-list.ts'
import { type Inputs, inputsOf, valuesOf } from '../../components/post-fields/inputs.ts'
import { formsOf } from '../../components/post-fields/post-fields.tsx'
import { postFieldForms, sourceDefaultFields } from '../../components/post-fields/table.ts'
import type { JobRequests } from '../../data/jobs.ts'

/** The voice fields of a form. */
export interface Speech {
  voice: string
  language: string
  format: string
  style: string
}

/** The fields of the document form, as text. */
export interface DocumentDraft {
  prompt: string
  content_type: string
  length: string
  pictures: boolean
  narration: boolean
  keywords: string
  formality: string
  voice: string
  model: string
  /** The tiers of single steps; "" is the document's. */
  models: { text: string; research: string; image: string; audio: string }
  speech: Speech
  /** At most one. */
  sites: string[]
  post_status: string
  /** What to do where something would be missing; "" is what the site says. */
  on_loss: string
  categories: string
  tags: string
  /** WordPress's sidebar. */
  fields: Inputs
  webhook_url: string
}

export interface AudioDraft {
  text: string
  model: string
  speech: Speech
  webhook_url: string
}

export interface ImageDraft {
  prompt: string
  model: string
  style: string
  size: string
  quality: string
  format: string
  background: string
  webhook_url: string
}

/** Only filled fields are sent; the others have defaults. */
const filled = <Name extends string>(name: Name, value: string) =>
  (value.trim() === '' ? {} : { [name]: value.trim() }) as Partial<Record<Name, never>>

const speechOf = ({ voice, language, format, style }: Speech) =>
  ({
    voice,
    format,
    ...filled('language', language),
    ...filled('style', style),
  }) as Pick<JobRequests['audio'], 'voice' | 'format' | 'language' | 'style'>

/** The body of `POST /v1/document/create`. */
export function documentRequest(draft: DocumentDraft): JobRequests['document'] {
  const { prompt, content_type, model, models, pictures, narration, speech, sites } = draft
  const [site_id] = sites
  const metadata = valuesOf(postFieldForms, draft.fields)
  return {
    prompt,
    content_type: content_type as never,
    model: model as never,
    keywords: parseLabels(draft.keywords),
    text: {
      length: Number(draft.length),
      formality: draft.formality as never,
      voice: draft.voice as never,
      ...filled('model', models.text),
    },
    research: filled('model', models.research),
    image: { enabled: pictures, ...(pictures && filled('model', models.image)) },
    audio: {
      enabled: narration,
      ...(narration && { ...speechOf(speech), ...filled('model', models.audio) }),
    },
    ...filled('webhook_url', draft.webhook_url),
    ...(site_id !== undefined && {
      site_id,
      post_status: draft.post_status as never,
      ...filled('on_loss', draft.on_loss),
      categories: parseLabels(draft.categories),
      tags: parseLabels(draft.tags),
      ...(Object.keys(metadata).length > 0 && { metadata }),
    }),
  }
}

export const audioRequest = ({ text, model, speech, webhook_url }: AudioDraft): JobRequests['audio'] => ({
  text,
  model: model as never,
  ...speechOf(speech),
  ...filled('webhook_url', webhook_url),
})

export const imageRequest = ({ webhook_url, ...draft }: ImageDraft): JobRequests['image'] =>
  ({ ...draft, ...filled('webhook_url', webhook_url) }) as JobRequests['image']

/** The request of an earlier job; undefined for a new one. */
type EarlierRequest = Readonly<Record<string, unknown>>

const textOf = (value: unknown, otherwise = ''): string =>
  typeof value === 'string' ? value : typeof value === 'number' ? String(value) : otherwise

const partOf = (value: unknown): EarlierRequest =>
  typeof value === 'object' && value !== null ? (value as EarlierRequest) : {}

const listOf = (value: unknown): string =>
  Array.isArray(value) ? formatLabels(value.filter((one) => typeof one === 'string')) : ''

const speechIn = ({ voice, language, format, style }: EarlierRequest): Speech => ({
  voice: textOf(voice, 'Kore'),
  language: textOf(language, 'en-US'),
  format: textOf(format, 'mp3'),
  style: textOf(style),
})

/** The fields of a new document, or of one like an earlier job, without what belonged to that one document. */
export function documentDraft(earlier: EarlierRequest = {}): DocumentDraft {
  const [text, image, audio, research, delivery] = [
    partOf(earlier.text),
    partOf(earlier.image),
    partOf(earlier.audio),
    partOf(earlier.research),
    partOf(earlier.delivery),
  ]
  const { categories, tags, ...fields } = partOf(delivery.metadata)
  const model = textOf(earlier.model, 'standard')
  /** A step with the document's tier needs no tier of its own. */
  const ofStep = (step: EarlierRequest) => (step.model === model ? '' : textOf(step.model))
  return {
    prompt: textOf(earlier.prompt),
    content_type: textOf(earlier.content_type, 'article'),
    length: textOf(text.length, '2000'),
    pictures: image.enabled !== false,
    narration: audio.enabled === true,
    keywords: listOf(earlier.keywords),
    formality: textOf(text.formality, 'professional'),
    voice: textOf(text.voice, 'neutral'),
    model,
    models: { text: ofStep(text), research: ofStep(research), image: ofStep(image), audio: ofStep(audio) },
    speech: speechIn(audio),
    sites: typeof delivery.id === 'string' ? [delivery.id] : [],
    post_status: textOf(delivery.post_status, 'draft'),
    on_loss: textOf(delivery.on_loss),
    categories: listOf(categories),
    tags: listOf(tags),
    fields: inputsOf(formsOf(sourceDefaultFields), fields),
    webhook_url: textOf(earlier.webhook_url),
  }
}

export const audioDraft = (earlier: EarlierRequest = {}): AudioDraft => ({
  text: textOf(earlier.text),
  model: textOf(earlier.model, 'standard'),
  speech: speechIn(earlier),
  webhook_url: textOf(earlier.webhook_url),
})

export const imageDraft = (earlier: EarlierRequest = {}): ImageDraft => ({
  prompt: textOf(earlier.prompt),
  model: textOf(earlier.model, 'standard'),
  style: textOf(earlier.style, 'photograph'),
  size: textOf(earlier.size, 'landscape'),
  quality: textOf(earlier.quality, 'high'),
  format: textOf(earlier.format, 'png'),
  background: textOf(earlier.background, 'auto'),
  webhook_url: textOf(earlier.webhook_url),
})
