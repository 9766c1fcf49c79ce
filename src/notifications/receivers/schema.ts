import { z } from 'zod'
import { isStorable, overlapHours, singleLineText, utcTimestamp, uuid } from '../../contract/scalars.ts'
import { languageCodes } from '../../lib/sentences.ts'
import { receiverFormats } from '../chat.ts'
import { isMailAddress, MAILTO } from '../mail/settings.ts'
import { mailedEvents, notificationEvents } from '../outcomes.ts'

const MAX_ADDRESS_LENGTH = 2_000

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
    'Receives a POST for each event; use https. A mailto: address receives mail: events of sites at once, outcomes of deliveries together after digest_minutes.',
  )

const event = z.enum(notificationEvents)

const events = z
  .array(event)
  .min(1)
  .max(notificationEvents.length)
  .transform((list) => [...new Set(list)])
  .describe('What it is notified of.')

const format = z
  .enum(receiverFormats)
  .describe(
    'How a web address is told: `standard` as `webhooks` describe, or as a message that an incoming webhook of Slack or a workflow of Microsoft Teams takes.',
  )

const language = z.enum(languageCodes).describe('Language of the mails. A web address gets English.')

const siteIds = z
  .array(uuid)
  .max(1_000)
  .describe('Only these sites, and those with one of the labels; with neither, all of the account.')

export const MAX_DIGEST_MINUTES = 24 * 60

const digestMinutes = z
  .int()
  .min(1)
  .max(MAX_DIGEST_MINUTES)
  .describe('For mail alone: minutes for which deliveries are gathered into one mail.')

/** For how long what becomes of deliveries is gathered, where nothing else is said. */
const DIGEST_MINUTES = 15

const labels = z
  .array(singleLineText(100))
  .max(50)
  .describe('Only sites with one of these labels, and those named.')

export const newReceiverSchema = z
  .strictObject({
    kind: z.enum(['webhook', 'email']).optional().describe('As the address says; it may be left out.'),
    name,
    url,
    events: events
      .optional()
      .describe('What it is notified of. Left out: everything; for mail, all but delivery.delivered.'),
    format: format.default('standard'),
    language: language.default('en'),
    site_ids: siteIds.default([]),
    labels: labels.default([]),
    digest_minutes: digestMinutes.optional(),
  })
  .superRefine(({ kind, url, format, language, digest_minutes }, context) => {
    const byAddress = receiverKind(url)
    if (kind !== undefined && kind !== byAddress)
      context.addIssue({
        code: 'custom',
        path: ['kind'],
        message: `does not fit the address, which is of the kind ${byAddress}`,
      })
    if (byAddress === 'webhook' && digest_minutes !== undefined)
      context.addIssue({ code: 'custom', path: ['digest_minutes'], message: 'is for mail alone' })
    if (byAddress === 'webhook' && language !== 'en')
      context.addIssue({ code: 'custom', path: ['language'], message: 'is for mail alone' })
    if (byAddress === 'email' && format !== 'standard')
      context.addIssue({ code: 'custom', path: ['format'], message: 'is for a web address alone' })
  })
  .transform(({ kind: _, events, digest_minutes, ...requested }) => {
    const kind = receiverKind(requested.url)
    const isMail = kind === 'email'
    return {
      ...requested,
      kind,
      events: events ?? (isMail ? mailedEvents : notificationEvents),
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
    format,
    language,
    site_ids: siteIds,
    labels,
    digest_minutes: digestMinutes,
    disabled: z.boolean().describe('A disabled receiver is not notified, and does not catch up later.'),
  })
  .partial()

export const receiverRotationSchema = z
  .strictObject({
    previous_secret_hours: overlapHours
      .default(24)
      .describe('Hours for which everything is signed with the current secret as well; 0 ends it at once.'),
  })
  .prefault({})

export const sampleRequestSchema = z
  .strictObject({ event: event.optional().describe('Which event; the first of its own where left out.') })
  .prefault({})

export const receiverSchema = z
  .object({
    id: uuid,
    kind: z.enum(['webhook', 'email']),
    name: z.string(),
    url: z.string(),
    events: z.array(event),
    format,
    language,
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
