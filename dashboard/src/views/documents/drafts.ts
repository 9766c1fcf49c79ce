import { labelsIn } from '../../components/label-text.ts'
import type { JobRequests } from '../../data/jobs.ts'

/** What a form holds of how something is spoken. */
export interface Speech {
  voice: string
  language: string
  format: string
  style: string
}

/** A document as its form holds it: every field as text. */
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
  /** Of single steps; "" is that of the document. */
  models: { text: string; research: string; image: string; audio: string }
  speech: Speech
  /** None, or one. */
  sites: string[]
  post_status: string
  categories: string
  tags: string
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

/** Only what is filled in: what is left out has its default. */
const filled = <Name extends string>(name: Name, value: string) =>
  (value.trim() === '' ? {} : { [name]: value.trim() }) as Partial<Record<Name, never>>

const speechOf = ({ voice, language, format, style }: Speech) =>
  ({
    voice,
    format,
    ...filled('language', language),
    ...filled('style', style),
  }) as Pick<JobRequests['audio'], 'voice' | 'format' | 'language' | 'style'>

/** A document as `POST /v1/document/create` takes it. */
export function documentRequest(draft: DocumentDraft): JobRequests['document'] {
  const { prompt, content_type, model, models, pictures, narration, speech, sites } = draft
  const [site_id] = sites
  return {
    prompt,
    content_type: content_type as never,
    model: model as never,
    keywords: labelsIn(draft.keywords),
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
      categories: labelsIn(draft.categories),
      tags: labelsIn(draft.tags),
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
