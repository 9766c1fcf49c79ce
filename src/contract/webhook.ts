import { z } from 'zod'
import { GalleyError } from '../errors.ts'
import { truncate } from '../lib/text.ts'
import { documentDataSchema } from './document.ts'
import { LIMITS } from './limits.ts'
import { collapseToLine, isWireObject } from './normalise/fields.ts'
import { isStorable } from './scalars.ts'
import { type Document, isVisible } from './tree.ts'

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

export const postStatuses = ['draft', 'publish', 'pending'] as const

/** Lower case, so that spellings of one id do not count as two documents. */
export const uuidSchema = z
  .guid('expected a UUID')
  .transform((value) => value.toLowerCase())
  .describe('UUID.')

const isTermName = (name: string): boolean =>
  name.length <= LIMITS.termPath && name.split('>').every((part) => part.trim().length <= LIMITS.termName)

/** Names of categories or tags; their number is checked before each name. */
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

/** `delivery`: where the finished document goes. Absent where no site was requested. */
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
/** `delivery` of a completed document, with defaults. */
export type DeliveryRequest = z.output<typeof deliverySchema>

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ')
}

export const EMPTY_DOCUMENT_MESSAGE =
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
  const { title, content } = event.data
  const text = collapseToLine(title ?? '') || collapseToLine(content.meta?.title ?? '')
  return truncate(text, MAX_LIST_TITLE) || null
}
