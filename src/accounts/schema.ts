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
