import { z } from 'zod'
import { overlapHours, singleLineText, timestampParam, uuid } from '../contract/scalars.ts'
import { roles } from './authenticate.ts'

/** Body of `POST /v1/keys`. */
export const newKeySchema = z.strictObject({
  name: singleLineText(200).describe('What the key is for, to tell keys apart.'),
  role: z
    .enum(roles)
    .default('owner')
    .describe('What it is allowed to do, as docs/api.md says of each role. Not more than your own key.'),
  site_ids: z
    .array(uuid)
    .max(100)
    .default([])
    .describe('Only these sites, and those with one of `labels`. Both empty: all sites of the account.'),
  labels: z.array(singleLineText(100)).max(50).default([]).describe('Only sites with one of these labels.'),
  expires_at: timestampParam
    .nullable()
    .default(null)
    .describe('From then on it no longer works; null for never.'),
})

/** Body of `PATCH /v1/keys/{uuid}`: what is left out stays as it is. */
export const keyPatchSchema = z.strictObject({
  name: newKeySchema.shape.name.optional(),
  expires_at: timestampParam
    .nullable()
    .optional()
    .describe('From then on it no longer works; null for never.'),
})

export const keySchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    last_four: z.string().describe('Its last four characters.'),
    role: z.enum(roles),
    site_ids: z.array(uuid),
    labels: z.array(z.string()),
    expires_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe('To within an hour; null while nobody has used it.'),
    revoked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Key' })

/** A key as it is shown only once. */
export const keyWithSecretSchema = keySchema
  .extend({ key: z.string().describe('The API key itself: gly_sk_ and 48 hexadecimal characters.') })
  .meta({ id: 'KeyWithSecret' })

/** Body of `POST /v1/keys/{uuid}/rotate`. */
export const keyRotationSchema = z
  .strictObject({
    overlap_hours: overlapHours
      .default(24)
      .describe('Hours for which the old key works beside the new one, 24 if left out; 0 ends it at once.'),
    expires_at: timestampParam
      .nullable()
      .optional()
      .describe('When the new key stops working, null for never; as the old one if left out.'),
  })
  .prefault({})

export const rotatedKeySchema = keyWithSecretSchema
  .extend({
    previous_key_until: z.iso
      .datetime()
      .nullable()
      .describe('Until when the old key works too; null if it does not.'),
  })
  .meta({ id: 'RotatedKey' })

export type KeyRotation = z.output<typeof keyRotationSchema>
export type RotatedKey = z.output<typeof rotatedKeySchema>
export type KeyView = z.output<typeof keySchema>

export const accountSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    credits: z.int().describe('What jobs can be paid with.'),
    unlimited: z.boolean().describe('Jobs cost it nothing; they are still counted.'),
    notify_steps: z
      .boolean()
      .describe(
        'Whether the webhook_url of a document is notified at the end of each step, and not only at its end.',
      ),
    signs_notifications: z
      .boolean()
      .describe('Whether notifications are signed with a secret of the account.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Account' })

export const managedAccountSchema = accountSchema
  .extend({
    disabled_at: z.iso
      .datetime()
      .nullable()
      .describe('Since when its keys no longer work, its webhooks are refused and its deliveries wait.'),
  })
  .meta({ id: 'ManagedAccount' })

/** Body of `POST /v1/accounts`. */
export const newAccountSchema = z.strictObject({
  name: singleLineText(200).describe('Who is asking, as the owner of a site reads it on a connect link.'),
  unlimited: accountSchema.shape.unlimited.default(true),
})

/** Body of `PATCH /v1/account`: what is left out stays as it is. */
export const accountPatchSchema = z.strictObject({
  name: newAccountSchema.shape.name.optional(),
  notify_steps: accountSchema.shape.notify_steps.optional(),
})

/** Body of `PATCH /v1/accounts/{uuid}`: what is left out stays as it is. */
export const managedAccountPatchSchema = z.strictObject({
  name: newAccountSchema.shape.name.optional(),
  disabled: z.boolean().optional(),
  unlimited: accountSchema.shape.unlimited.optional(),
})

/** Body of `POST /v1/accounts/{uuid}/credits`. */
export const newGrantSchema = z.strictObject({
  amount: z.int().min(1).max(1_000_000).describe('Credits to add.'),
  note: singleLineText(200).optional().describe('What its ledger says of them.'),
})

export const creditEntrySchema = z
  .object({
    id: z.string(),
    kind: z
      .enum(['grant', 'charge', 'refund'])
      .describe('grant: credits were given. charge: a job was accepted. refund: that job failed.'),
    amount: z.int().describe('What it changes the balance by; 0 where the account has no limit.'),
    price: z.int().describe('What the job costs by the list of prices, charged or not.'),
    job_id: z.guid().nullable(),
    note: z.string().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'CreditEntry' })

export type NewKey = z.output<typeof newKeySchema>
export type KeyPatch = z.output<typeof keyPatchSchema>
export type ManagedAccount = z.output<typeof managedAccountSchema>
export type ManagedAccountPatch = z.output<typeof managedAccountPatchSchema>
export type NewAccount = z.output<typeof newAccountSchema>
export type NewGrant = z.output<typeof newGrantSchema>
export type AccountView = z.output<typeof accountSchema>
export type AccountPatch = z.output<typeof accountPatchSchema>
export type CreditEntryView = z.output<typeof creditEntrySchema>
