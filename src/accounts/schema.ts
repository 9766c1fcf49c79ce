import { z } from 'zod'
import { line } from '../contract/text.ts'

/** Body of `POST /v1/keys`. */
export const newKeySchema = z.strictObject({
  name: line(200).describe('What the key is for, to tell keys apart.'),
})

/** A key as it may always be shown. */
export const keySchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    last_four: z.string().describe('Its last four characters.'),
    created_at: z.iso.datetime(),
    last_used_at: z.iso.datetime().nullable().describe('To within an hour; null while nobody has used it.'),
    revoked_at: z.iso.datetime().nullable(),
  })
  .meta({ id: 'Key' })

/** A key as it is shown this once. */
export const keyWithSecretSchema = keySchema
  .extend({ key: z.string().describe('The API key itself: gly_sk_ and 48 hexadecimal characters.') })
  .meta({ id: 'KeyWithSecret' })

export type KeyView = z.output<typeof keySchema>

/** An account as its keys may see it. */
export const accountSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    credits: z.int().describe('What jobs can be paid with.'),
    unlimited: z.boolean().describe('Jobs cost it nothing; they are counted all the same.'),
    notify_steps: z
      .boolean()
      .describe(
        'Whether the end of each step of a document is told to its webhook_url, and not its end alone.',
      ),
    signs_notifications: z
      .boolean()
      .describe('Whether notifications are signed with a secret of the account.'),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'Account' })

/** Body of `PATCH /v1/account`: what is left out stays as it is. */
export const accountPatchSchema = z.strictObject({
  notify_steps: accountSchema.shape.notify_steps.optional(),
})

/** An entry of the ledger of credits. */
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

export type AccountView = z.output<typeof accountSchema>
export type AccountPatch = z.output<typeof accountPatchSchema>
export type CreditEntryView = z.output<typeof creditEntrySchema>
