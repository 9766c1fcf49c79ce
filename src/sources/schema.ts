import { z } from 'zod'
import { isStorable, line, text } from '../contract/text.ts'
import { postStatuses } from '../contract/webhook.ts'
import { defaultsSchema, limitsSchema } from './limit-schema.ts'
import { isSoundSecret } from './signing-key.ts'

const name = line(200).describe('What people call this sender.')

const DAY_HOURS = 24

const ownSecret = text(256)
  .min(16)
  .refine(isSoundSecret, 'says whsec_ and must then be at least 24 bytes in base64')
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

const upstreamApiKey = text(500)
  .min(1)
  .regex(/^[\x20-\x7e]+$/, 'goes into a header, and must be printable ASCII in one line')
  .describe(
    'The API key for that address, and for no other: it must be given again when scheme, host or port change, and is removed with the address. Never shown again.',
  )

/** Hours for which what was before stays valid beside what is new. */
const hoursBeside = () =>
  z
    .int()
    .min(0)
    .max(30 * DAY_HOURS)
    .optional()

const confirm = z
  .boolean()
  .optional()
  .describe(
    'Before a document is delivered, the upstream is asked for it, and what that answers is what is delivered. Needs `upstream_base_url` and `upstream_api_key`.',
  )

const backfill = z
  .boolean()
  .optional()
  .describe(
    'Documents of which only a step was announced are asked for at the upstream, and delivered. Needs `upstream_base_url` and `upstream_api_key`.',
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
  confirm,
  backfill,
  limits: limitsSchema.nullish(),
  defaults: defaultsSchema.nullish(),
})

/** Body of `POST /v1/sources/{uuid}/rotate`. */
export const rotationSchema = z
  .strictObject({
    overlap_hours: hoursBeside().describe(
      'Hours for which the old address works beside the new one, 24 if left out; 0 ends it at once.',
    ),
  })
  .default({})

/** Body of `PATCH /v1/sources/{uuid}`: what is left out stays as it is, null takes away. */
export const sourcePatchSchema = z.strictObject({
  name: name.optional(),
  disabled: z.boolean().optional().describe('A disabled source answers 404 to its sender, at once.'),
  signing_secret: newSourceSchema.shape.signing_secret
    .nullable()
    .describe('A new one takes effect at once; the previous one stays valid beside it for a day.'),
  previous_secret_hours: hoursBeside().describe(
    'Hours for which the previous secret stays valid, 24 if left out; 0 ends it at once. May be given without a new one.',
  ),
  previous_address_hours: hoursBeside().describe(
    'Hours for which the address before the last rotation still works; 0 ends it at once.',
  ),
  upstream_base_url: upstreamBaseUrl.nullish(),
  upstream_api_key: upstreamApiKey.nullish(),
  confirm,
  backfill,
  limits: limitsSchema.nullish(),
  defaults: defaultsSchema.nullish(),
})

/** A source as it may always be shown. */
export const sourceSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
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
    defaults: z.object({
      post_status: z.enum(postStatuses).optional(),
      categories: z.array(z.string()).optional(),
      tags: z.array(z.string()).optional(),
    }),
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
