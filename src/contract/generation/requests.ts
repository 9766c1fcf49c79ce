import { z } from 'zod'
import { givenFields, onLossChoices, postStatuses } from '../delivery.ts'
import { postFieldShape } from '../post-fields.ts'
import { countedText, isStorable, singleLineText, termNames, trimNames, uuid } from '../scalars.ts'

/** The tiers of models (docs/contract.md, "Generation"). */
export const tiers = ['basic', 'standard', 'advanced'] as const
export type Tier = (typeof tiers)[number]

/** Pixels of a finished image; `auto` is the landscape that the original falls back to. */
export const imageDimensions = {
  landscape: { width: 1536, height: 1024 },
  square: { width: 1024, height: 1024 },
  portrait: { width: 1024, height: 1536 },
  auto: { width: 1536, height: 1024 },
} as const satisfies Record<ImageSize, { width: number; height: number }>

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

/** Text of `least` to `most` characters that is not only blanks. */
const promptText = (least: number, most: number) =>
  countedText(least, most).refine((text) => /\S/.test(text), 'must have more than blanks')

const tierSchema = z.enum(tiers)

const MAX_WEBHOOK_URL_LENGTH = 2_000

const hasNoPassword = (address: string): boolean => {
  const { username, password } = new URL(address)
  return username === '' && password === ''
}

const webhookUrl = z
  .url({ protocol: /^https?$/, error: 'must be an http or https address, such as https://example.com/hook' })
  .max(MAX_WEBHOOK_URL_LENGTH)
  .refine(isStorable, 'has half of a surrogate pair, which is no character')
  .refine(
    (address) => !URL.canParse(address) || hasNoPassword(address),
    'must not have a user name or a password in it',
  )
  .optional()
  .describe('Receives a POST when the job ends. Use https.')

/** Runs checks across members even where another member is invalid, so that all mistakes are named at once. */
const isObjectPayload = ({ value }: { value: unknown }): boolean =>
  typeof value === 'object' && value !== null

const voiceNames = Object.keys(voices) as [Voice, ...Voice[]]

/** BCP 47: a language of two or three letters, then subtags. */
const LANGUAGE = /^[a-z]{2,3}(-[a-z0-9]{1,8})*$/i

function canonicalLanguage(code: string): string | undefined {
  try {
    return LANGUAGE.test(code) ? Intl.getCanonicalLocales(code)[0] : undefined
  } catch {
    // The shape is right but the tag is not: `en-US-US`.
    return undefined
  }
}

const languageCode = z
  .string()
  .max(35)
  .transform((code, context) => {
    const known = canonicalLanguage(code)
    if (known !== undefined) return known
    context.addIssue({ code: 'custom', message: 'must be a language code, such as en-US' })
    return z.NEVER
  })

/** Members shared by audio jobs and the narration of documents, with the same defaults. */
const speechMembers = {
  voice: z.enum(voiceNames).default('Kore').describe('Who speaks.'),
  language: languageCode.default('en-US').describe('A language code, such as en-US.'),
  format: z
    .enum(audioFormats)
    .default('mp3')
    .describe('mp3 is recommended; opus is Ogg Opus; wav is not compressed, and large.'),
  style: countedText(0, 4_000).optional().describe('How it should be spoken, in your own words.'),
}

/** A refinement and not `max`, which would hide all other mistakes. */
const keywordsSchema = z
  .array(singleLineText(200))
  .refine(({ length }) => length <= 10, 'must have at most 10 entries')
  .meta({ maxItems: 10 })

const textOptions = z
  .strictObject({
    length: z.int().min(100).max(10_000).default(2_000).describe('Words to aim for.'),
    formality: z.enum(['formal', 'professional', 'conversational']).default('professional'),
    voice: z
      .enum(['neutral', 'enthusiastic', 'empathetic', 'authoritative', 'persuasive', 'inspirational'])
      .default('neutral'),
    model: tierSchema.optional().describe('For the text only; by default the tier of the document.'),
  })
  .prefault({})

const imageOptions = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether it gets pictures.'),
    model: z
      .enum(['auto', ...tiers])
      .default('auto')
      .describe('For the pictures only; auto is the tier of the document.'),
  })
  .prefault({})

const researchOptions = z
  .strictObject({
    model: tierSchema.optional().describe('For the research only; by default the tier of the document.'),
  })
  .prefault({})

const audioOptions = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether it is read out as well.'),
    model: tierSchema.optional().describe('For the narration only; by default the tier of the document.'),
    ...speechMembers,
  })
  .prefault({})

const documentRequestMembers = z.strictObject({
  prompt: promptText(10, 5_000).describe('What the document is about.'),
  model: tierSchema.default('standard').describe('The tier of models for all of it.'),
  content_type: z.enum(['article', 'news']).default('article'),
  keywords: keywordsSchema.default([]).describe('What people should find it by.'),
  text: textOptions,
  image: imageOptions,
  research: researchOptions,
  audio: audioOptions,
  webhook_url: webhookUrl,
  site_id: uuid.optional().describe('A connected site, to which the finished document is delivered.'),
  post_status: z
    .enum(postStatuses)
    .optional()
    .describe('The status of the post; draft by default. Needs site_id.'),
  categories: termNames('category').optional().describe('Categories of the post. Needs site_id.'),
  tags: termNames('tag').optional().describe('Tags of the post. Needs site_id.'),
  on_loss: z
    .enum(onLossChoices)
    .optional()
    .describe('What to do if something of the document would be missing. Needs site_id.'),
  metadata: z
    .strictObject(postFieldShape)
    .optional()
    .describe('Fields of the post, as in `delivery.metadata` of a webhook. Needs site_id.'),
})

/** Members about the post: without a site there is none. */
const postMembers = ['post_status', 'on_loss', 'categories', 'tags', 'metadata'] as const

/** Body of `POST /v1/document/create`. */
export const documentRequestSchema = postMembers
  .reduce(
    (schema, name) =>
      schema.refine((sent) => sent[name] === undefined || sent.site_id !== undefined, {
        path: [name],
        error: 'needs site_id: without a site there is no post',
        when: isObjectPayload,
      }),
    documentRequestMembers,
  )
  .transform(withDefaults)

/** Fills in defaults. A step without a tier takes that of the document. */
function withDefaults(sent: z.output<typeof documentRequestMembers>) {
  const { prompt, model, content_type, keywords, text, image, research, audio, webhook_url, site_id } = sent
  return {
    prompt,
    model,
    content_type,
    keywords,
    text: { ...text, model: text.model ?? model },
    image: { ...image, model: image.model === 'auto' ? model : image.model },
    research: { model: research.model ?? model },
    audio: { ...audio, model: audio.model ?? model, style: audio.style || null },
    webhook_url: webhook_url ?? null,
    delivery:
      site_id === undefined
        ? null
        : {
            id: site_id,
            post_status: sent.post_status ?? ('draft' as const),
            ...(sent.on_loss && { on_loss: sent.on_loss }),
            metadata: {
              categories: trimNames(sent.categories),
              tags: trimNames(sent.tags),
              ...givenFields(sent.metadata ?? {}),
            },
          },
  }
}

/** Body of `POST /v1/audio/create`. */
export const audioRequestSchema = z
  .strictObject({
    text: promptText(10, 100_000).describe('What is read out.'),
    ...speechMembers,
    model: tierSchema.default('standard').describe('The tier of models.'),
    webhook_url: webhookUrl,
  })
  .transform(({ style, webhook_url, ...sent }) => ({
    ...sent,
    style: style || null,
    webhook_url: webhook_url ?? null,
  }))

/** Body of `POST /v1/image/create`. */
export const imageRequestSchema = z
  .strictObject({
    prompt: promptText(10, 2_000).describe('What it shows: subjects, colours, positions, layout.'),
    model: tierSchema.default('standard').describe('The tier of models.'),
    style: z
      .enum([
        'photograph',
        'illustration',
        'digital_art',
        '3d_render',
        'painting',
        'sketch',
        'infographic',
        'technical_diagram',
      ])
      .default('photograph'),
    size: z
      .enum(['landscape', 'square', 'portrait', 'auto'])
      .default('landscape')
      .describe('landscape and auto: 1536x1024 pixels, square: 1024x1024, portrait: 1024x1536.'),
    quality: z.enum(['low', 'medium', 'high']).default('high'),
    format: z.enum(['png', 'jpeg', 'webp']).default('png'),
    background: z
      .enum(['auto', 'transparent', 'opaque'])
      .default('auto')
      .describe('transparent is not for jpeg.'),
    webhook_url: webhookUrl,
  })
  .refine(({ format, background }) => format !== 'jpeg' || background !== 'transparent', {
    path: ['background'],
    error: 'cannot be transparent in a jpeg: choose png or webp as the format',
    when: isObjectPayload,
  })
  .transform(({ webhook_url, ...sent }) => ({ ...sent, webhook_url: webhook_url ?? null }))

export type DocumentRequest = z.output<typeof documentRequestSchema>

export type AudioRequest = z.output<typeof audioRequestSchema>

export type ImageRequest = z.output<typeof imageRequestSchema>

export type ImageStyle = ImageRequest['style']
export type ImageSize = ImageRequest['size']
export type ImageQuality = ImageRequest['quality']
export type ImageFormat = ImageRequest['format']
export type ImageBackground = ImageRequest['background']

export interface RequestByKind {
  document: DocumentRequest
  audio: AudioRequest
  image: ImageRequest
}

export type JobKind = keyof RequestByKind
