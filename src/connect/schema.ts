import { z } from 'zod'
import { oneOrMany, singleLineText } from '../contract/scalars.ts'
import { newSiteSchema } from '../sites/schema.ts'

const DAY_S = 86_400

const requestedMembers = { id: true, name: true, labels: true, settings: true, url: true } as const

export const newConnectLinkSchema = newSiteSchema.pick(requestedMembers).extend({
  asked_by: singleLineText(100)
    .optional()
    .describe('Who asks, by the name the owner of the site knows; the name of the account if left out.'),
  mail_owner: z
    .boolean()
    .default(false)
    .describe(
      'Mail the link to the `owner_email` of the connected site `id`; `mailed` says what came of it.',
    ),
  expires_in: z
    .int()
    .min(60)
    .max(90 * DAY_S)
    .default(7 * DAY_S)
    .describe('Seconds until the link ends; a week if left out, 90 days at most.'),
})

const connectLinkStatusSchema = z
  .enum(['open', 'used', 'expired', 'revoked'])
  .describe('Only an open link can be used, once.')

export const connectLinkFilterSchema = z.strictObject({
  status: oneOrMany(connectLinkStatusSchema).optional(),
})

export type ConnectLinkStatus = z.output<typeof connectLinkStatusSchema>

/** A connect link without its secret address. */
export const connectLinkSchema = z
  .object({
    id: z.guid(),
    url: z.string().describe("The site's own address, as it was found."),
    status: connectLinkStatusSchema,
    expires_at: z.iso.datetime(),
    rejected_at: z.iso.datetime().nullable().describe('When its owner said no; the link stays open.'),
    problem: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why the last try to use it failed.'),
    site_id: z.guid().nullable().describe('The site that was connected with it.'),
    used_at: z.iso.datetime().nullable(),
    created_at: z.iso.datetime(),
  })
  .meta({ id: 'ConnectLink' })

export const connectLinkWithAddressSchema = connectLinkSchema
  .extend({
    link: z.string().describe("The address for the site's owner to open. Whoever has it can use it."),
    mailed: z
      .object({
        to: z.string().nullable(),
        problem: z.object({ code: z.string(), message: z.string() }).nullable(),
      })
      .nullable()
      .describe('With `mail_owner`: to whom it was mailed, or why it was not. Then send the link yourself.'),
  })
  .meta({ id: 'ConnectLinkWithAddress' })

/** The part of the request that is stored until the link is used. */
export const requestedLinkSchema = newConnectLinkSchema.omit({
  url: true,
  expires_in: true,
  mail_owner: true,
})

export type NewConnectLink = z.output<typeof newConnectLinkSchema>
export type ConnectLinkView = z.output<typeof connectLinkSchema>
export type ConnectLinkWithAddress = z.output<typeof connectLinkWithAddressSchema>
