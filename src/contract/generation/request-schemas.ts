import { z } from 'zod'
import { countedText, isStorable, singleLineText, uuid } from '../scalars.ts'
import { postStatuses, termNames } from '../webhook.ts'
import {
  type AudioRequest,
  audioFormats,
  contentTypes,
  type DocumentRequest,
  formalities,
  type ImageRequest,
  imageBackgrounds,
  imageFormats,
  imageQualities,
  imageSizes,
  imageStyles,
  textVoices,
  tiers,
  type Voice,
  voices,
} from './requests.ts'

/** Text of `least` to `most` characters that is not only blanks. */
const promptText = (least: number, most: number) =>
  countedText(least, most).refine((text) => /\S/.test(text), 'must have more than blanks')

const tierSchema = z.enum(tiers)

/** Characters of a webhook address. */
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
  .describe('Is sent a POST when the job ends. Use https.')

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
    formality: z.enum(formalities).default('professional'),
    voice: z.enum(textVoices).default('neutral'),
    model: tierSchema.optional().describe('For the text alone; the tier of the document where left out.'),
  })
  .prefault({})

const imageOptions = z
  .strictObject({
    enabled: z.boolean().default(true).describe('Whether it gets pictures.'),
    model: z
      .enum(['auto', ...tiers])
      .default('auto')
      .describe('For the pictures alone; auto is the tier of the document.'),
  })
  .prefault({})

const researchOptions = z
  .strictObject({
    model: tierSchema.optional().describe('For the research alone; the tier of the document where left out.'),
  })
  .prefault({})

const audioOptions = z
  .strictObject({
    enabled: z.boolean().default(false).describe('Whether it is read out as well.'),
    model: tierSchema
      .optional()
      .describe('For the narration alone; the tier of the document where left out.'),
    ...speechMembers,
  })
  .prefault({})

const documentRequestMembers = z.strictObject({
  prompt: promptText(10, 5_000).describe('What the document is about.'),
  model: tierSchema.default('standard').describe('The tier of models for all of it.'),
  content_type: z.enum(contentTypes).default('article'),
  keywords: keywordsSchema.default([]).describe('What people should find it by.'),
  text: textOptions,
  image: imageOptions,
  research: researchOptions,
  audio: audioOptions,
  webhook_url: webhookUrl,
  site_id: uuid.optional().describe('A connected site, to which the finished document is delivered.'),
  post_status: z.enum(postStatuses).optional().describe('Of the post; draft where left out. Needs site_id.'),
  categories: termNames('category').optional().describe('Categories of the post. Needs site_id.'),
  tags: termNames('tag').optional().describe('Tags of the post. Needs site_id.'),
})

type SentDocumentRequest = z.output<typeof documentRequestMembers>

type PostMember = 'post_status' | 'categories' | 'tags'

/** Whether the member is absent or a delivery uses it. */
const hasDelivery = (name: PostMember) => (sent: Partial<SentDocumentRequest>) =>
  sent[name] === undefined || sent.site_id !== undefined

const requiresDelivery = (name: PostMember) => ({
  path: [name],
  error: 'needs site_id: without a site there is no post',
  when: isObjectPayload,
})

/** Body of `POST /v1/document/create`. */
export const documentRequestSchema = documentRequestMembers
  .refine(hasDelivery('post_status'), requiresDelivery('post_status'))
  .refine(hasDelivery('categories'), requiresDelivery('categories'))
  .refine(hasDelivery('tags'), requiresDelivery('tags'))
  .transform(withDefaults)

const trimmedNames = (names: string[] | undefined): string[] =>
  (names ?? []).map((name) => name.trim()).filter((name) => name !== '')

/** Fills in defaults. A step without a tier takes that of the document. */
function withDefaults(sent: SentDocumentRequest): DocumentRequest {
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
            post_status: sent.post_status ?? 'draft',
            metadata: { categories: trimmedNames(sent.categories), tags: trimmedNames(sent.tags) },
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
  .transform(
    ({ style, webhook_url, ...sent }): AudioRequest => ({
      ...sent,
      style: style || null,
      webhook_url: webhook_url ?? null,
    }),
  )

/** Body of `POST /v1/image/create`. */
export const imageRequestSchema = z
  .strictObject({
    prompt: promptText(10, 2_000).describe('What it shows: subjects, colours, positions, layout.'),
    model: tierSchema.default('standard').describe('The tier of models.'),
    style: z.enum(imageStyles).default('photograph'),
    size: z
      .enum(imageSizes)
      .default('landscape')
      .describe('landscape and auto: 1536x1024 pixels, square: 1024x1024, portrait: 1024x1536.'),
    quality: z.enum(imageQualities).default('high'),
    format: z.enum(imageFormats).default('png'),
    background: z.enum(imageBackgrounds).default('auto').describe('transparent is not for jpeg.'),
    webhook_url: webhookUrl,
  })
  .refine(({ format, background }) => format !== 'jpeg' || background !== 'transparent', {
    path: ['background'],
    error: 'cannot be transparent in a jpeg: choose png or webp as the format',
    when: isObjectPayload,
  })
  .transform(({ webhook_url, ...sent }): ImageRequest => ({ ...sent, webhook_url: webhook_url ?? null }))
