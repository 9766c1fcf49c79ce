import { z } from 'zod'
import { isStorable, singleLineText, utcTimestamp, uuid } from '../../contract/scalars.ts'
import { isMailAddress, MAILTO } from '../mail/settings.ts'
import { notificationEvents } from '../notify.ts'

const MAX_ADDRESS_LENGTH = 2_000
const DAY_HOURS = 24

const isBare = (address: string): boolean => {
  if (!URL.canParse(address)) return true
  const { username, password } = new URL(address)
  return username === '' && password === ''
}

const name = singleLineText(200).describe('What people call it.')

const isReachable = (address: string): boolean =>
  !address.startsWith(MAILTO) || isMailAddress(address.slice(MAILTO.length))

const url = z
  .url({
    protocol: /^(https?|mailto)$/,
    error:
      'must be an http or https address, such as https://example.com/hook, or one of mail, such as mailto:ann@example.com',
  })
  .max(MAX_ADDRESS_LENGTH)
  .refine(isStorable, 'has half of a surrogate pair, which is no character')
  .refine(isBare, 'must not have a user name or a password in it')
  .refine(isReachable, 'must be mailto: and the address of one mailbox, without a name')
  .describe(
    'Is sent a POST for each event; use https. With mailto: and an address, is sent mail: what happens to sites at once, what becomes of deliveries gathered for digest_minutes.',
  )

const event = z.enum(notificationEvents)

const events = z
  .array(event)
  .min(1)
  .max(notificationEvents.length)
  .transform((list) => [...new Set(list)])
  .describe('What it is notified of.')

const siteIds = z
  .array(uuid)
  .max(1_000)
  .describe('Only these sites, and those with one of the labels; with neither, all of the account.')

const digestMinutes = z
  .int()
  .min(1)
  .max(24 * 60)
  .describe('For mail alone: minutes for which deliveries are gathered into one mail.')

/** For how long what becomes of deliveries is gathered, where nothing else is said. */
const DIGEST_MINUTES = 15

const labels = z
  .array(singleLineText(100))
  .max(50)
  .describe('Only sites with one of these labels, and those named.')

/** Body of `POST /v1/receivers`. */
export const newReceiverSchema = z
  .strictObject({
    kind: z.enum(['webhook', 'email']).optional().describe('As the address says; it may be left out.'),
    name,
    url,
    events: events
      .optional()
      .describe('What it is notified of. Left out: everything; for mail, all but delivery.delivered.'),
    site_ids: siteIds.default([]),
    labels: labels.default([]),
    digest_minutes: digestMinutes.optional(),
  })
  .superRefine(({ kind, url, digest_minutes }, context) => {
    const byAddress = receiverKind(url)
    if (kind !== undefined && kind !== byAddress)
      context.addIssue({
        code: 'custom',
        path: ['kind'],
        message: `does not fit the address, which is of the kind ${byAddress}`,
      })
    if (byAddress === 'webhook' && digest_minutes !== undefined)
      context.addIssue({ code: 'custom', path: ['digest_minutes'], message: 'is for mail alone' })
  })
  .transform(({ kind: _, events, digest_minutes, ...requested }) => {
    const kind = receiverKind(requested.url)
    const isMail = kind === 'email'
    return {
      ...requested,
      kind,
      events: events ?? notificationEvents.filter((outcome) => !isMail || outcome !== 'delivery.delivered'),
      digest_minutes: isMail ? (digest_minutes ?? DIGEST_MINUTES) : null,
    }
  })

/** How one is told, by its address. */
export const receiverKind = (url: string): 'webhook' | 'email' =>
  url.startsWith(MAILTO) ? 'email' : 'webhook'

/** Body of `PATCH /v1/receivers/{uuid}`: what is left out stays as it is. */
export const receiverPatchSchema = z
  .strictObject({
    name,
    url,
    events,
    site_ids: siteIds,
    labels,
    digest_minutes: digestMinutes,
    disabled: z.boolean().describe('A disabled receiver is not notified, and does not catch up later.'),
  })
  .partial()

/** Body of a rotation, which may be left out. */
export const receiverRotationSchema = z
  .strictObject({
    previous_secret_hours: z
      .int()
      .min(0)
      .max(30 * DAY_HOURS)
      .default(DAY_HOURS)
      .describe('Hours for which everything is signed with the current secret as well; 0 ends it at once.'),
  })
  .prefault({})

/** Body of a test, which may be left out. */
export const sampleRequestSchema = z
  .strictObject({ event: event.optional().describe('Which event; the first of its own where left out.') })
  .prefault({})

/** A receiver as it may always be shown. */
export const receiverSchema = z
  .object({
    id: uuid,
    kind: z.enum(['webhook', 'email']),
    name: z.string(),
    url: z.string(),
    events: z.array(event),
    site_ids: z.array(uuid),
    labels: z.array(z.string()),
    digest_minutes: z.int().nullable().describe('Null for a webhook.'),
    previous_secret_until: utcTimestamp
      .nullable()
      .describe('Until when everything is signed with the previous secret as well.'),
    disabled: z.boolean(),
    created_at: utcTimestamp,
  })
  .meta({ id: 'Receiver' })

/** A receiver with what is shown only once. */
export const receiverWithSecretSchema = receiverSchema
  .extend({
    secret: z
      .string()
      .nullable()
      .describe(
        'Verifies webhook-signature as Standard Webhooks say (standardwebhooks.com). Shown only once; null for mail.',
      ),
  })
  .meta({ id: 'ReceiverWithSecret' })

export type NewReceiver = z.output<typeof newReceiverSchema>
export type ReceiverPatch = z.output<typeof receiverPatchSchema>
export type ReceiverView = z.output<typeof receiverSchema>
