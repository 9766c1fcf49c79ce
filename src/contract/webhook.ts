import { z } from 'zod'
import { type Document, isVisible, type NormalisedDocument } from '../blocks/document.ts'
import { normaliseDocument, titleOf } from '../blocks/read.ts'
import { isWireObject, membersOf, type WireObject } from '../blocks/wire.ts'
import { GalleyError, type Warning } from '../errors.ts'
import { isOurs, warnOfMarkup } from '../formats/plain-text.ts'
import { type TranslatedWebhook, translateWebhook } from '../formats/translate-webhook.ts'
import { excerpt, truncate } from '../lib/text.ts'
import { severityOf, warningCodeSchema } from '../warnings.ts'
import {
  deliverySchema,
  deliveryWithoutSiteSchema,
  metadataSchema,
  type SourceDefaults,
  withSourceDefaults,
  writtenSchema,
} from './delivery.ts'
import { closestName, excerptValue, type Issue, toIssues, unknownMemberMessage } from './issues.ts'
import { LIMITS, LimitError } from './limits.ts'
import { countTextUnits } from './payload.ts'
import { postFields } from './post-fields.ts'
import { documentIdSchema, EXPECTED_DOCUMENT_ID, quoted } from './scalars.ts'

/** Senders write `null` for what is absent. */
const optionalText = (description: string) =>
  z
    .string('expected a string')
    .nullish()
    .transform((value) => value ?? undefined)
    .describe(description)

const title = optionalText('The title of the post.')
const description = optionalText('What the document is about; the excerpt of the post.')
const audioUrl = optionalText('The URL of the narration, where there is no `audio`.')

const addressOr = (properties: Record<string, { type: 'string' }>) => ({
  anyOf: [{ type: 'string' as const }, { type: 'object' as const, properties, required: ['url'] }],
})

/** A URL in `data`; the object in `content` is open (docs/contract.md). */
const picture = z
  .union([z.string(), z.looseObject({})], 'expected a URL, or an object with "url" (or "src") and "alt"')
  .meta({
    id: 'FeaturedImage',
    description: 'The featured image: its URL, or an object with its URL and its alternative text.',
    examples: [{ url: 'https://example.com/moon.jpg', alt: 'A full moon over a bay' }],
    override: addressOr({ url: { type: 'string' }, alt: { type: 'string' } }),
  })
  .nullish()

/** The place of narration is open (docs/contract.md). */
const audio = z
  .union([z.string(), z.looseObject({})], 'expected a URL, or an object with "url" (or "src")')
  .meta({
    id: 'Narration',
    description: 'The document read aloud: the URL of the recording, or an object with it.',
    examples: ['https://example.com/narration.mp3'],
    override: addressOr({ url: { type: 'string' } }),
  })
  .nullish()

/** Where title, slug and description may stand beside `data`. */
const metaSchema = z
  .looseObject(
    { title, slug: optionalText('The last part of the post’s address.'), description },
    'expected an object',
  )
  .meta({
    id: 'DocumentMeta',
    description:
      'What is said of the document. Title and description are in `data` too, which takes precedence.',
    examples: [{ title: 'Why the tide comes twice a day', slug: 'why-the-tide-comes-twice' }],
  })

/** `data.content`, the structured document. `src/blocks` reads them one by one. */
export const contentSchema = z
  .looseObject(
    {
      type: z.literal('document', 'expected "document"').nullish(),
      version: z.literal('1.0', 'expected "1.0", the document format that Galley reads').nullish(),
      meta: metaSchema.nullish(),
      featured_image: picture,
      audio,
      audio_url: audioUrl,
      content: z.array(z.unknown(), 'expected an array of blocks').meta({
        // Any spelling is read (normalise/); one is published.
        override: {
          type: 'array',
          items: { $ref: '#/components/schemas/Block' },
          description: 'The blocks in reading order.',
        },
      }),
    },
    'expected the structured document, an object with "content"',
  )
  .meta({
    id: 'DocumentContent',
    description: 'The structured document.',
    examples: [
      { type: 'document', version: '1.0', content: [{ type: 'paragraph', content: 'The sea rises.' }] },
    ],
  })

/** `data` of a finished document in a webhook, a status answer or a preview. */
export const documentDataSchema = z
  .looseObject(
    { title, description, featured_image: picture, audio, audio_url: audioUrl, content: contentSchema },
    'expected an object with "title" and "content"',
  )
  .refine((data) => titleOf(data) !== '', {
    path: ['title'],
    error: 'expected a title that is not empty, here or in content.meta.title',
  })
  .meta({
    id: 'Document',
    description: 'A finished document. docs/documents.md describes every field and what else is understood.',
    examples: [
      {
        title: 'Why the tide comes twice a day',
        description: 'The moon explains the first high tide; the second is the surprise.',
        content: { content: [{ type: 'paragraph', content: 'The sea rises.' }] },
      },
    ],
  })

export type DocumentData = z.output<typeof documentDataSchema>

/** `data` of a document in any format. */
export const sentDataSchema = z
  .looseObject({
    ...documentDataSchema.shape,
    file_name: z
      .string()
      .nullish()
      .describe('The name of its file: the title of a document in another format that has none.'),
    content: z
      .union([contentSchema, z.string(), z.array(z.unknown()), z.looseObject({})])
      .describe('The structured document, or a document in a format of `delivery.content_format`.'),
  })
  .meta({ id: 'SentDocument' })

/** Stored and acknowledged without effect; their content is open (docs/contract.md). */
export const otherEventKinds = [
  'research.completed',
  'research.failed',
  'text.completed',
  'text.failed',
  'image.completed',
  'image.failed',
  'audio.completed',
  'audio.failed',
] as const

const documentId = documentIdSchema.describe('UUID of the document, or the sender’s own reference.')

const completedShape = {
  event: z.literal('document.completed'),
  id: documentId,
  status: z.literal('completed', 'expected "completed"').nullish(),
  data: documentDataSchema,
  delivery: deliverySchema.nullish(),
}

const completedSchema = z.looseObject(completedShape).transform(({ event, id, data, delivery }) => ({
  event,
  id,
  status: 'completed' as const,
  data,
  ...(delivery ? { delivery } : {}),
}))

const errorText = z
  .string('expected a string')
  .nullish()
  .transform((value) => value ?? '')

const failedSchema = z
  .looseObject({
    event: z.literal('document.failed'),
    id: documentId,
    error: z.looseObject(
      { step: errorText, message: errorText, code: errorText },
      'expected an object with "step", "message" and "code"',
    ),
  })
  .transform(({ event, id, error: { step, message, code } }) => ({
    event,
    id,
    error: { step, message, code },
  }))

const otherSchema = z
  .looseObject({ event: z.enum(otherEventKinds), id: documentIdSchema.optional().catch(undefined) })
  .transform(({ event, id }) => ({ event, ...(id === undefined ? {} : { id }) }))

/** The body of a webhook (docs/contract.md). */
const webhookSchema = z.discriminatedUnion('event', [completedSchema, failedSchema, otherSchema], {
  error: ({ input }) =>
    isWireObject(input)
      ? `expected one of ${quoted(['document.completed', 'document.failed', ...otherEventKinds])}`
      : 'expected a JSON object',
})

/** The same as it may be sent: with a document in any format. */
export const sentWebhookSchema = z.discriminatedUnion('event', [
  z.looseObject({ ...completedShape, data: sentDataSchema }),
  failedSchema,
  otherSchema,
])

export type WebhookEvent = z.output<typeof webhookSchema>
export type CompletedEvent = z.output<typeof completedSchema>

const EMPTY_DOCUMENT_MESSAGE =
  'holds nothing that a reader would see: no text, no picture, no recording. Galley does not create empty posts'

/** Whether the post would be empty: no visible block and no narration. */
export const isEmptyDocument = ({ blocks, audio }: Document): boolean =>
  audio === undefined && !blocks.some(isVisible)

/** The 422 for an empty document outside a webhook. */
export const emptyDocumentError = (): GalleyError =>
  new GalleyError({
    code: 'document_empty',
    fault: 'delivery',
    httpStatus: 422,
    message: `The document (data.content.content) ${EMPTY_DOCUMENT_MESSAGE}.`,
  })

/** Characters of a title in lists; the post has all of it. */
const MAX_LIST_TITLE = 300

/** The title of a document in lists; null where it has none. May hold characters that the database rejects. */
export function listTitle(event: WebhookEvent | null): string | null {
  if (event?.event !== 'document.completed') return null
  const title = titleOf(event.data)
  return (title.length > MAX_LIST_TITLE ? truncate(title, MAX_LIST_TITLE) : title) || null
}

/** Unknown members named per object. */
const MAX_NAMED = 10

const envelope = ['event', 'id', 'status', 'data', 'delivery', 'error']
const ofDelivery = Object.keys(deliveryWithoutSiteSchema.shape)
const ofMetadata = Object.keys(metadataSchema.shape)
const ofSeo = Object.keys(postFields.seo.schema.shape)
const ofPicture = ['url', 'alt', 'caption']
/** Of the contract, and not read: Galley counts by itself. */
const counts = ['word_count', 'reading_time']
const ofData = [...Object.keys(documentDataSchema.shape), 'slug', ...counts]
const ofContent = Object.keys(contentSchema.shape)
const ofMeta = [...Object.keys(metaSchema.shape), ...counts]

/** How a payload names its sites: a webhook by `delivery.id`, a call of the API by its `site_ids`. */
type SiteMember = 'delivery.id' | 'site_ids'

type Homes = Readonly<Record<string, string>>

/** Members in the wrong place, and where they belong; `site_id` belongs in the {@link SiteMember}. */
const homesInDelivery: Homes = Object.fromEntries([
  ...ofMetadata.map((name) => [name, `delivery.metadata.${name}`]),
  ...ofDelivery.map((name) => [name, `delivery.${name}`]),
])

/** What of the post's fields senders write beside the text. */
const homesInData: Homes = Object.fromEntries(
  ofMetadata.filter((name) => !ofData.includes(name)).map((name) => [name, `delivery.metadata.${name}`]),
)

export const toWarnings = (ignored: readonly Issue[]): Warning[] =>
  ignored.map(({ path, message }) => ({
    code: 'member_unknown',
    message: `${path}: ${message}${message.endsWith('?') ? '' : '.'}`,
  }))

/**
 * Lists what a webhook or preview asks for that Galley ignores, each with its probable meaning. Every unknown member of
 * `delivery` is named. Elsewhere, where senders add their own, only misspelled or misplaced names are.
 */
export function unknownMembers(body: unknown, siteMember: SiteMember = 'delivery.id'): Issue[] {
  if (!isWireObject(body)) return []
  const homes = { site_id: siteMember, ...homesInDelivery }
  const { data, delivery } = body
  const metadata = isWireObject(delivery) && isWireObject(delivery.metadata) ? delivery.metadata : {}
  // A document of another format has members of its own.
  const content = isWireObject(data) && isOurs(data.content) ? data.content : {}
  const inDelivery = siteMember === 'delivery.id' ? ['id', ...ofDelivery] : ofDelivery
  return [
    ...unknownIn('', body, { known: envelope, homes, isOpen: true }),
    ...unknownIn('delivery', delivery, { known: inDelivery, homes }),
    ...unknownIn('delivery.metadata', metadata, { known: ofMetadata, homes }),
    ...unknownIn('delivery.metadata.seo', metadata.seo, { known: ofSeo }),
    ...unknownIn('delivery.metadata.featured_image', metadata.featured_image, { known: ofPicture }),
    ...unknownIn('data', data, { known: ofData, homes: homesInData, isOpen: true }),
    ...unknownIn('data.content', content, { known: ofContent, homes: homesInData, isOpen: true }),
    ...unknownIn('data.content.meta', content.meta, { known: ofMeta, homes: homesInData, isOpen: true }),
  ]
}

interface Place {
  known: readonly string[]
  /** Members that belong elsewhere, and where. */
  homes?: Homes
  /** Senders add their own: what resembles no name is not named. */
  isOpen?: boolean
}

/** Names of one object that are compared with those that are known. */
const MAX_COMPARED = 100

function unknownIn(path: string, wire: unknown, { known, homes = {}, isOpen = false }: Place): Issue[] {
  if (!isWireObject(wire)) return []
  const isLeftOut = (name: string) => wire[name] === undefined || wire[name] === null
  const unknown = Object.keys(wire).filter((name) => !known.includes(name) && !(isOpen && isLeftOut(name)))
  if (unknown.length === 0) return []
  // A known name that is present is not suggested again: what resembles it is the sender's own.
  const free = known.filter(isLeftOut)
  const elsewhere = Object.keys(homes).filter((name) => !known.includes(name))
  const meaning = (name: string, isCompared: boolean): string | undefined => {
    if (Object.hasOwn(homes, name)) return `is not read here: it belongs in ${homes[name]}`
    if (!isCompared) return undefined
    if (closestName(name, free) !== undefined) return unknownMemberMessage(name, free)
    const home = closestName(name, elsewhere)
    if (home !== undefined) return `is not read here: did you mean ${homes[home]}?`
    return isOpen ? undefined : unknownMemberMessage(name, known)
  }
  return unknown
    .flatMap((name, index) => {
      const message = meaning(name, index < MAX_COMPARED)
      const shown = excerpt(name, 60)
      return message === undefined ? [] : [{ path: path === '' ? shown : `${path}.${shown}`, message }]
    })
    .slice(0, MAX_NAMED)
}

/** `ignored`: members that Galley does not act on, without refusing them. `normalised`: the document of a completed event. */
type ParsedWebhook =
  | {
      ok: true
      event: WebhookEvent
      ignored: Issue[]
      normalised?: NormalisedDocument
      /** The format of a document that is known and cannot be read: it waits for a person. */
      unreadable?: string
    }
  /** `error`: what the document as a whole exceeds or lacks. */
  | { ok: false; issues: Issue[]; reason: DocumentReason; error?: GalleyError }

/** Why the body of a webhook cannot be used. */
type DocumentReason = 'event_unknown' | 'body_invalid' | 'document_empty' | 'document_too_large'

/**
 * Reads the parsed JSON body of a webhook. Safe for any depth of nesting; what it accepts can be stored, walked
 * recursively. How long its markup becomes is asked elsewhere.
 */
export function parseWebhook(json: unknown): ParsedWebhook {
  try {
    return readOurs(json, countTextUnits(json), () => unknownMembers(json))
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return beyondLimit(error)
  }
}

/**
 * {@link parseWebhook}, of a document in any format.
 * @param defaults what its source says for documents that leave it out
 * @param siteId where it goes, if it names no site itself
 */
export async function readWebhook(
  json: unknown,
  {
    findIgnored = () => unknownMembers(json),
    defaults,
    siteId,
  }: {
    findIgnored?: () => Issue[]
    defaults?: SourceDefaults | undefined
    siteId?: string | undefined
  } = {},
): Promise<ParsedWebhook> {
  try {
    // Within the limits, whatever reads it from here on may recurse.
    const text = countTextUnits(json)
    const completed = completedBySource(json, defaults, siteId)
    const { json: ours, warnings, unreadable } = await inOurFormat(completed, defaults)
    const parsed = readOurs(ours, ours === completed ? text : countTextUnits(ours), findIgnored, defaults)
    if (!parsed.ok || parsed.normalised === undefined) return parsed
    const { normalised } = parsed
    return {
      ...parsed,
      normalised: { ...normalised, warnings: [...warnings, ...normalised.warnings] },
      ...(unreadable !== undefined && { unreadable }),
    }
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return beyondLimit(error)
  }
}

/**
 * The webhook with a document of ours, where it is written otherwise. Mistakes stay for the schema.
 * @throws LimitError
 */
export async function inOurFormat(json: unknown, defaults: SourceDefaults = {}): Promise<TranslatedWebhook> {
  const webhook = membersOf(json)
  const data = membersOf(webhook.data)
  const said = writtenSchema.safeParse(webhook.delivery ?? {})
  if (webhook.event !== 'document.completed' || data.content === undefined || !said.success)
    return { json, warnings: [] }
  const contentFormat = said.data.content_format ?? defaults.content_format ?? undefined
  const textFormat = said.data.text_format ?? defaults.text_format ?? 'plain'
  if (!isOurs(data.content) || contentFormat !== undefined || textFormat !== 'plain')
    return translateWebhook(webhook, data, { contentFormat, textFormat })
  return { json, warnings: warnOfMarkup([data.title, data.description, data.content.content]) }
}

/** Whether a finished document leaves open where it goes, so that its source may say it. */
export function namesNoSite(json: unknown): json is WireObject {
  if (!isWireObject(json) || json.event !== 'document.completed') return false
  const delivery = json.delivery ?? {}
  return isWireObject(delivery) && (delivery.id ?? null) === null
}

/** The webhook with a site, and with what its source says for documents that leave it out. Mistakes stay for the schema. */
function completedBySource(
  json: unknown,
  defaults: SourceDefaults | undefined,
  siteId: string | undefined,
): unknown {
  if (!isWireObject(json) || json.event !== 'document.completed') return json
  const delivery = json.delivery ?? (siteId === undefined ? undefined : {})
  if (!isWireObject(delivery) || !isWireObject(delivery.metadata ?? {})) return json
  if (siteId === undefined && Object.keys(defaults ?? {}).length === 0) return json
  const site = siteId !== undefined && namesNoSite(json) ? { id: siteId } : {}
  return { ...json, delivery: withSourceDefaults({ ...delivery, ...site }, defaults ?? {}) }
}

/** The refusal of a document beyond a limit. */
export const beyondLimit = (error: LimitError) => ({
  ok: false as const,
  issues: [{ path: error.path, message: error.message }],
  reason: 'document_too_large' as const,
  error,
})

/** @throws LimitError what the document would exceed on its way to a post */
function readOurs(
  json: unknown,
  text: number,
  findIgnored: () => Issue[],
  { labels }: SourceDefaults = {},
): ParsedWebhook {
  const result = webhookSchema.safeParse(json)
  if (!result.success) {
    const issues = toIssues(result.error, json)
    const reason = issues[0]?.path === 'event' ? 'event_unknown' : 'body_invalid'
    return { ok: false, issues, reason }
  }
  const event = result.data
  if (event.event !== 'document.completed') return { ok: true, event, ignored: unreadId(json, event) }
  const normalised = normaliseDocument(event.data, text)
  normalised.warnings.unshift(...toldLosses(event.data.warnings))
  if (isEmptyDocument(normalised.document))
    return {
      ok: false,
      issues: [{ path: 'data.content.content', message: EMPTY_DOCUMENT_MESSAGE }],
      reason: 'document_empty',
      error: emptyDocumentError(),
    }
  const ignored = findIgnored()
  if (event.delivery === undefined)
    ignored.unshift({ path: 'delivery', message: labels ? noSiteLabelled(labels) : NO_DELIVERY })
  return { ok: true, event, ignored, normalised }
}

const toldSchema = z.looseObject({
  code: warningCodeSchema.optional().catch(undefined),
  message: z.string().trim().min(1),
  severity: z.string().optional(),
})

/** What is missing in a document already, as whoever made it says in `data.warnings`. */
function toldLosses(warnings: unknown): Warning[] {
  if (!Array.isArray(warnings)) return []
  return warnings.slice(0, LIMITS.warnings).flatMap((warning) => {
    const { code, message, severity } = toldSchema.safeParse(warning).data ?? {}
    const isLoss = code !== undefined && severityOf(code) === 'loss'
    if (message === undefined || (severity ?? (isLoss && 'loss')) !== 'loss') return []
    return [{ code: isLoss ? code : 'sender_loss', message: excerpt(message, LIMITS.warningLength) }]
  })
}

/** An event that is merely kept may have any id; what is none is said. */
function unreadId(json: unknown, event: WebhookEvent): Issue[] {
  const id = isWireObject(json) ? (json.id ?? undefined) : undefined
  return event.id !== undefined || id === undefined
    ? []
    : [{ path: 'id', message: `${EXPECTED_DOCUMENT_ID}; got ${excerptValue(id)}` }]
}

const noSiteLabelled = (labels: readonly string[]): string =>
  `names no site, and no site has the label ${labels.join(' or ')}, to which its source delivers: the document is kept, and delivered nowhere. Give a site that label, and send the document again`

const NO_DELIVERY =
  'is missing, so this document is kept and delivered nowhere: name a connected site in it, as {"id": "UUID", "post_status": "draft"}'
