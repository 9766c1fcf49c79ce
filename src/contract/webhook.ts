import { z } from 'zod'
import { documentDataSchema } from './document.ts'
import { type Issue, issuesOf } from './issues.ts'
import { findExcess } from './limits.ts'
import { isWire } from './normalise/fields.ts'

/** spec.md, "Event kinds": kept and acknowledged, not acted on. Their payloads are not shown there. */
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

const names = (what: string) =>
  z
    .array(z.string(`expected the name of a ${what}, a string`), `expected an array of ${what} names`)
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

/** The body of a webhook, spec.md "Events". */
export const webhookSchema = z.discriminatedUnion('event', [completedSchema, failedSchema, otherSchema], {
  error: ({ input }) =>
    isWire(input)
      ? `expected one of ${quoted(['document.completed', 'document.failed', ...otherEventKinds])}`
      : 'expected a JSON object',
})

export type WebhookEvent = z.output<typeof webhookSchema>
export type CompletedEvent = z.output<typeof completedSchema>
export type FailedEvent = z.output<typeof failedSchema>
/** What a completed document's `delivery` says, defaults filled in. */
export type DeliveryRequest = z.output<typeof deliverySchema>

export type ParsedWebhook = { ok: true; event: WebhookEvent } | { ok: false; issues: Issue[] }

/**
 * Reads the parsed JSON body of a webhook. Safe for any depth of nesting; what it accepts can be stored and
 * walked recursively.
 */
export function parseWebhook(json: unknown): ParsedWebhook {
  const excess = findExcess(json)
  if (excess) return { ok: false, issues: [{ path: 'data.content', message: excess.message }] }
  const result = webhookSchema.safeParse(json)
  return result.success
    ? { ok: true, event: result.data }
    : { ok: false, issues: issuesOf(result.error, json) }
}

function quoted(values: readonly string[]): string {
  return values.map((value) => `"${value}"`).join(', ')
}
