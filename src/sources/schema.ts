import { z } from 'zod'
import { documentDefaultsSchema, postStatuses, uuidSchema } from '../contract/delivery.ts'
import { boundedText, isStorable, overlapHours, singleLineText } from '../contract/scalars.ts'

/** How Standard Webhooks mark a secret that is written in base64. */
const STANDARD_WEBHOOKS_PREFIX = 'whsec_'

/** Bytes that Standard Webhooks ask of a secret at least. */
const MIN_SECRET_BYTES = 24

/** The key behind a signing secret: of `whsec_BASE64` the bytes that it writes; any other is its own bytes. */
export const signingKey = (secret: string): Buffer =>
  secret.startsWith(STANDARD_WEBHOOKS_PREFIX)
    ? Buffer.from(secret.slice(STANDARD_WEBHOOKS_PREFIX.length), 'base64')
    : Buffer.from(secret)

/** Whether a secret that says it is in base64 is, and long enough. Decoding alone takes anything: `!!!!` is no bytes. */
function isValidSigningSecret(secret: string): boolean {
  if (!secret.startsWith(STANDARD_WEBHOOKS_PREFIX)) return true
  const written = secret.slice(STANDARD_WEBHOOKS_PREFIX.length)
  const key = Buffer.from(written, 'base64')
  return (
    key.length >= MIN_SECRET_BYTES && key.toString('base64').replaceAll('=', '') === withoutPadding(written)
  )
}

const withoutPadding = (text: string): string => text.replace(/={1,2}$/, '')

const MAX_NAMED = 1_000

/** How far the documents of a source may go. Replaced as a whole. */
const limitsSchema = z.strictObject({
  sites: z
    .array(uuidSchema)
    .max(MAX_NAMED)
    .default([])
    .describe('Ids of the sites that it may send to. With `labels`, either is enough; with neither, all.'),
  labels: z
    .array(singleLineText(100))
    .max(100)
    .default([])
    .describe('It may send to sites that have one of these labels.'),
  highest_status: z
    .enum(postStatuses)
    .nullable()
    .default(null)
    .describe(
      'A document that asks for more is delivered as this, with a warning: draft, pending, publish, in this order. Null for no limit.',
    ),
})

const storedDefaultsSchema = documentDefaultsSchema.extend({
  site_id: uuidSchema
    .optional()
    .describe('Where a document goes that names no site, so that a sender need know nothing of Galley.'),
  labels: z
    .array(singleLineText(100))
    .min(1)
    .max(50)
    .optional()
    .describe(
      'Such a document goes to every site that has one of these labels, up to 500; where there are more, it has a warning. Not beside `site_id`.',
    ),
})

const defaultsSchema = storedDefaultsSchema.refine(
  ({ site_id, labels }) => site_id === undefined || labels === undefined,
  { path: ['labels'], error: 'stands beside "site_id": give one of them' },
)

export type SourceLimits = z.output<typeof limitsSchema>

const name = singleLineText(200).describe('What people call this sender.')

const ownSecret = boundedText(256)
  .min(16)
  .refine(isValidSigningSecret, 'says whsec_ and must then be at least 24 bytes in base64')
  .describe('A secret the sender already has; `whsec_…` is read as Standard Webhooks write it.')

/** What is asked for is added to its path; a password in it would be stored and shown, and is never sent. */
function isBareAddress(address: string): boolean {
  if (!URL.canParse(address)) return true
  const { username, password, search, hash } = new URL(address)
  return [username, password, search, hash].every((part) => part === '')
}

const upstreamBaseUrl = z
  .url({
    protocol: /^https?$/,
    error: 'must be an http or https address, such as https://api.example.com/v1',
  })
  .max(2000)
  .refine(isStorable, 'has half of a surrogate pair, which is no character')
  .refine(isBareAddress, 'must not have a user name or a password in it, nor a query')
  .describe('Base address of the API that made the documents, ending in its version segment.')

const upstreamApiKey = boundedText(500)
  .min(1)
  .regex(/^[\x20-\x7e]+$/, 'goes into a header, and must be printable ASCII in one line')
  .describe(
    'The API key for that address, and for no other: it must be given again when scheme, host or port change, and is removed with the address. Never shown again.',
  )

/** Body of `POST /v1/sources`. */
export const newSourceSchema = z.strictObject({
  name,
  signing_secret: z
    .union([z.literal(true).describe('Creates one, and shows it once in the answer.'), ownSecret], {
      error:
        'must be true, to have one made, or a secret of 16 to 256 characters; whsec_ and then at least 24 bytes in base64',
    })
    .optional()
    .describe('With one, only webhooks that carry its signature are accepted.'),
  upstream_base_url: upstreamBaseUrl.optional(),
  upstream_api_key: upstreamApiKey.optional(),
  confirm: z
    .boolean()
    .optional()
    .describe(
      'Before a document is delivered, the upstream is asked for it, and what that answers is what is delivered. Needs `upstream_base_url` and `upstream_api_key`.',
    ),
  backfill: z
    .boolean()
    .optional()
    .describe(
      'Documents of which only a step was announced are asked for at the upstream, and delivered. Needs `upstream_base_url` and `upstream_api_key`.',
    ),
  limits: limitsSchema.nullish(),
  defaults: defaultsSchema.nullish(),
})

/** Body of `POST /v1/sources/{uuid}/rotate`. */
export const rotationSchema = z
  .strictObject({
    overlap_hours: overlapHours
      .default(24)
      .describe(
        'Hours for which the old address works beside the new one, 24 if left out; 0 ends it at once.',
      ),
  })
  .prefault({})

/** Body of `PATCH /v1/sources/{uuid}`: what is left out stays as it is, null takes away. */
export const sourcePatchSchema = newSourceSchema.extend({
  name: name.optional(),
  disabled: z.boolean().optional().describe('A disabled source answers 404 to its sender, at once.'),
  signing_secret: newSourceSchema.shape.signing_secret
    .nullable()
    .describe('A new one takes effect at once; the previous one stays valid beside it for a day.'),
  previous_secret_hours: overlapHours
    .optional()
    .describe(
      'Hours for which the previous secret stays valid, 24 if left out; 0 ends it at once. May be given without a new one.',
    ),
  previous_address_hours: overlapHours
    .optional()
    .describe('Hours for which the address before the last rotation still works; 0 ends it at once.'),
  upstream_base_url: upstreamBaseUrl.nullish(),
  upstream_api_key: upstreamApiKey.nullish(),
  unusable: z.null().optional().describe('Null forgets the webhooks that could not be used.'),
})

/** Why a webhook of a known source was not used. */
const unusableReasons = [
  'signature_missing',
  'signature_invalid',
  'signature_expired',
  'body_too_large',
  'not_json',
  'event_unknown',
  'body_invalid',
  'document_empty',
  'document_too_large',
  'site_not_allowed',
] as const

/** Days without one after which a reason is forgotten. */
export const UNUSABLE_QUIET_DAYS = 7

export type UnusableReason = (typeof unusableReasons)[number]

/** A source as it may always be shown. */
export const sourceSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    built_in: z
      .boolean()
      .describe(
        'Galley’s own: of documents that it creates, or that are sent to POST /v1/deliveries. It stays as it is.',
      ),
    signed: z.boolean().describe('Whether its webhooks must carry a signature.'),
    previous_secret_until: z.iso
      .datetime()
      .nullable()
      .describe('Until when the previous signing secret is valid too; null if it is not.'),
    previous_address_until: z.iso
      .datetime()
      .nullable()
      .describe('Until when the address before the last rotation works too; null if it does not.'),
    upstream_base_url: z.string().nullable(),
    has_upstream_api_key: z.boolean(),
    upstream_trouble: z
      .object({ code: z.string(), message: z.string(), until: z.iso.datetime().nullable() })
      .nullable()
      .describe('Why the upstream could not be asked, and until when it is left alone.'),
    confirm: z.boolean(),
    backfill: z.boolean(),
    limits: z.object({
      sites: z.array(z.guid()),
      labels: z.array(z.string()),
      highest_status: z.enum(postStatuses).nullable(),
    }),
    defaults: storedDefaultsSchema,
    unusable: z
      .array(
        z.object({
          reason: z.enum(unusableReasons),
          count: z.int().describe('Requests, repetitions counted.'),
          since: z.iso.datetime(),
          last_at: z.iso.datetime(),
          message: z.string().describe('What was wrong with the last one.'),
        }),
      )
      .describe(
        'The webhooks that could not be used, by reason, the newest first. A reason is left out after a week without one.',
      ),
    disabled: z.boolean(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Source' })

/** A source with what is shown only once. */
export const sourceWithSecretsSchema = sourceSchema
  .extend({
    url: z
      .string()
      .describe('Where the sender posts its webhooks. Whoever knows it may post: keep it secret.'),
    signing_secret: z
      .string()
      .nullable()
      .describe('The secret that was created; null where none was asked for.'),
  })
  .meta({ id: 'SourceWithSecrets' })

export type NewSource = z.output<typeof newSourceSchema>
export type Rotation = z.output<typeof rotationSchema>
export type SourcePatch = z.output<typeof sourcePatchSchema>
export type SourceView = z.output<typeof sourceSchema>
export type SourceWithSecrets = z.output<typeof sourceWithSecretsSchema>
