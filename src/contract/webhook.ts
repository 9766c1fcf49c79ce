import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { truncate } from '../lib/text.ts'
import { assertMarkupWithinLimit } from '../render/render.ts'
import { documentDataSchema } from './document.ts'
import { type Issue, toIssues } from './issues.ts'
import { LIMITS, LimitError } from './limits.ts'
import { collapseToLine, isWireObject } from './normalise/fields.ts'
import { normaliseDocument } from './normalise.ts'
import { countTextUnits } from './payload.ts'
import { isStorable } from './scalars.ts'
import { type Document, isVisible, type NormalisedDocument } from './tree.ts'
import { unknownMembers } from './unknown-members.ts'

/** Kept and acknowledged, not acted on; what they carry is open (docs/contract.md). */
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

export const postStatuses = ['draft', 'publish', 'pending'] as const

/** Lower case, so that one document never counts as two by its spelling. */
export const uuidSchema = z
  .guid('expected a UUID')
  .transform((value) => value.toLowerCase())
  .describe('UUID.')

const isTermName = (name: string): boolean =>
  name.length <= LIMITS.termPath && name.split('>').every((part) => part.trim().length <= LIMITS.termName)

/** Names of categories or tags; how many there are is looked at before each is. */
export const termNames = (what: string) =>
  z
    .array(z.unknown(), `expected an array of ${what} names`)
    .max(LIMITS.terms, { error: `expected at most ${LIMITS.terms} ${what} names`, abort: true })
    .pipe(
      z.array(
        z
          .string(`expected the name of a ${what}, a string`)
          .refine(isTermName, `expected a name of at most ${LIMITS.termName} characters`)
          .refine(isStorable, 'expected a name without NUL and half surrogate pairs'),
      ),
    )
    .meta({
      override: {
        type: 'array',
        items: { type: 'string', maxLength: LIMITS.termPath },
        maxItems: LIMITS.terms,
      },
    })

const names = (what: string) =>
  termNames(what)
    .nullish()
    .transform((list) => (list ?? []).map((name) => name.trim()).filter((name) => name !== ''))

const metadataSchema = z.looseObject(
  { categories: names('category'), tags: names('tag') },
  'expected an object',
)

/** `delivery`: where the finished document goes. Absent where nobody asked for a site. */
export const deliverySchema = z
  .looseObject(
    {
      id: uuidSchema.describe('UUID of the connected site.'),
      post_status: z
        .enum(postStatuses, `expected one of ${quoted(postStatuses)}`)
        .nullish()
        .describe('Status of the post; `draft` where absent.'),
      metadata: metadataSchema.nullish(),
    },
    'expected an object with "id" and "post_status"',
  )
  .transform(({ id, post_status, metadata }) => ({
    id,
    postStatus: post_status ?? 'draft',
    categories: metadata?.categories ?? [],
    tags: metadata?.tags ?? [],
  }))

const completedSchema = z
  .looseObject({
    event: z.literal('document.completed'),
    id: uuidSchema.describe('UUID of the document.'),
    status: z.literal('completed', 'expected "completed"').nullish(),
    data: documentDataSchema,
    delivery: deliverySchema.nullish(),
  })
  .transform(({ event, id, data, delivery }) => ({
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
    id: uuidSchema.describe('UUID of the document.'),
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
  .looseObject({ event: z.enum(otherEventKinds), id: z.string().optional().catch(undefined) })
  .transform(({ event, id }) => ({ event, ...(id === undefined ? {} : { id }) }))

/** The body of a webhook (docs/contract.md). */
export const webhookSchema = z.discriminatedUnion('event', [completedSchema, failedSchema, otherSchema], {
  error: ({ input }) =>
    isWireObject(input)
      ? `expected one of ${quoted(['document.completed', 'document.failed', ...otherEventKinds])}`
      : 'expected a JSON object',
})

export type WebhookEvent = z.output<typeof webhookSchema>
export type CompletedEvent = z.output<typeof completedSchema>
/** What a completed document's `delivery` says, defaults filled in. */
export type DeliveryRequest = z.output<typeof deliverySchema>

/**
 * `ignored`: what a webhook asks for, it seems, that is not done; nothing that keeps it from being taken. `normalised`: the
 * document of a completed event.
 */
type ParsedWebhook =
  | { ok: true; event: WebhookEvent; ignored: Issue[]; normalised?: NormalisedDocument }
  | { ok: false; issues: Issue[] }

/**
 * Reads the parsed JSON body of a webhook. Safe for any depth of nesting; what it accepts can be stored, walked
 * recursively, and made a post of within the `LIMITS`.
 */
export function parseWebhook(json: unknown): ParsedWebhook {
  try {
    return readWebhook(json, countTextUnits(json))
  } catch (error) {
    if (!(error instanceof LimitError)) throw error
    return { ok: false, issues: [{ path: error.path, message: error.message }] }
  }
}

/** @throws LimitError what the document would exceed on its way to a post */
function readWebhook(json: unknown, text: number): ParsedWebhook {
  const result = webhookSchema.safeParse(json)
  if (!result.success) return { ok: false, issues: toIssues(result.error, json) }
  const event = result.data
  if (event.event !== 'document.completed') return { ok: true, event, ignored: [] }
  const normalised = normaliseDocument(event.data, text)
  assertMarkupWithinLimit(normalised)
  if (isEmptyDocument(normalised.document))
    return { ok: false, issues: [{ path: 'data.content.content', message: EMPTY_DOCUMENT_MESSAGE }] }
  const ignored = unknownMembers(json)
  if (event.delivery === undefined) ignored.unshift({ path: 'delivery', message: NO_DELIVERY })
  return { ok: true, event, ignored, normalised }
}

const NO_DELIVERY =
  'is missing, so this document is kept and delivered nowhere: name a connected site in it, as {"id": "UUID", "post_status": "draft"}'

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ')
}

const EMPTY_DOCUMENT_MESSAGE =
  'holds nothing that a reader would see: no text, no picture, no recording. Galley does not create empty posts'

/** Whether nothing would stand in the post: no blocks, or none with anything in it, and no narration. */
export const isEmptyDocument = ({ blocks, audio }: Document): boolean =>
  audio === undefined && !blocks.some(isVisible)

/** The refusal of an empty document where it is not a webhook: 422. */
export const emptyDocumentError = (): GalleyError =>
  new GalleyError({
    code: 'document_empty',
    fault: 'delivery',
    httpStatus: 422,
    message: `The document (data.content.content) ${EMPTY_DOCUMENT_MESSAGE}.`,
  })

/** Characters of a title that lists keep; the post has all of it. */
const MAX_LIST_TITLE = 300

/** The title of a document as lists show it; null where it has none. May hold what the database takes no text with. */
export function listTitle(event: WebhookEvent | null): string | null {
  if (event?.event !== 'document.completed') return null
  const { title, content } = event.data
  const text = collapseToLine(title ?? '') || collapseToLine(content.meta?.title ?? '')
  return truncate(text, MAX_LIST_TITLE) || null
}
