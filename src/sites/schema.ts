import { z } from 'zod'
import { boundedText, singleLineText } from '../contract/scalars.ts'
import { isMailAddress } from '../notifications/mail/settings.ts'
import { siteReportSchema } from './health/report.ts'
import { siteStates } from './health/state.ts'
import { type SiteSettingsPatch, siteSettingsPatchSchema, siteSettingsSchema } from './settings.ts'

export const siteStateSchema = z
  .enum(siteStates)
  .describe(
    'working: deliveries get through. down: it fails, and Galley tries it again at next_try. needs_owner: its WordPress has to be put right; where next_try is null, nothing is sent until then. needs_you: the same, of what only you can change: its address, a setting or a secret. paused: a person paused it. unchecked: nothing was sent to it yet, and no check was made.',
  )

const url = singleLineText(2000).describe('Address of the site, as you would type it into a browser.')

export const MAX_LABELS = 50

const labels = z.array(singleLineText(100)).max(MAX_LABELS).describe('Labels to group sites by.')

const ownerEmail = z
  .string()
  .refine(isMailAddress, 'must be the address of one mailbox, without a name')
  .describe('E-mail address of the owner of the site, who can be mailed a link to connect it again.')

/** Body of `POST /v1/sites`. Accepts settings beside the other fields or under `settings`; beside wins. */
export const newSiteSchema = z.strictObject({
  url,
  username: singleLineText(200).describe('The WordPress user to write as.'),
  application_password: boundedText(500)
    .min(1)
    .describe(
      'An application password of that user (WordPress: Users, Profile). Stored encrypted, never shown.',
    ),
  name: singleLineText(200).describe('What people call the site; its own title if left out.').optional(),
  id: z
    .guid()
    .toLowerCase()
    .optional()
    .describe(
      "The sender's own UUID of the site, to be kept; made if left out. Another account may use the same.",
    ),
  labels: labels.default([]),
  owner_email: ownerEmail.optional(),
  settings: siteSettingsPatchSchema.optional(),
  ...siteSettingsPatchSchema.shape,
})

/** Body of `PATCH /v1/sites/{uuid}`: omitted fields stay as they are. */
export const sitePatchSchema = newSiteSchema
  .omit({ id: true })
  .extend({
    url: url.describe(
      'New address of the same site, after it moved. Another site is connected under its own id.',
    ),
    labels,
    owner_email: ownerEmail.nullable(),
  })
  .partial()

/** Body of `POST /v1/sites/{uuid}/pause`, which is optional. */
export const sitePauseSchema = z
  .strictObject({
    reason: singleLineText(500).optional().describe('Why, for whoever meets the paused site.'),
  })
  .prefault({})

/** A site in answers, without its credentials. */
export const siteSchema = z
  .object({
    id: z.guid(),
    name: z.string(),
    url: z.string().describe('Without a trailing slash.'),
    rest_root: z.string(),
    username: z.string(),
    state: siteStateSchema,
    trouble: z
      .object({ code: z.string(), message: z.string() })
      .nullable()
      .describe('Why deliveries do not get through; null where the last one did.'),
    since: z.iso.datetime().nullable().describe('Since when; null for a site that works or is unchecked.'),
    next_try: z.iso.datetime().nullable().describe('When a site in trouble is tried again.'),
    stopped: z
      .object({ at: z.iso.datetime(), reason: z.string().nullable() })
      .nullable()
      .describe('Since when it is paused by hand, and why; null where it is not.'),
    labels: z.array(z.string()),
    owner_email: z.string().nullable().describe('Of the owner of the site, where it is known.'),
    settings: siteSettingsSchema,
    report: siteReportSchema.nullable().describe('The last report; null before the first check.'),
    created_at: z.iso.datetime(),
    updated_at: z.iso.datetime(),
  })
  .meta({ id: 'Site' })

export type NewSite = z.output<typeof newSiteSchema>
export type SitePatch = z.output<typeof sitePatchSchema>
export type SiteView = z.output<typeof siteSchema>

/** The settings of a request, from either place. */
export const settingsFromRequest = ({
  settings,
  ...requested
}: Partial<Omit<NewSite, 'owner_email'>>): SiteSettingsPatch => {
  const beside = Object.entries(requested).filter(([name]) => name in siteSettingsPatchSchema.shape)
  return { ...settings, ...Object.fromEntries(beside) }
}
