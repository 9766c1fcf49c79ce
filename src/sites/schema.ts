import { z } from 'zod'
import { boundedText, singleLineText } from '../contract/scalars.ts'
import { siteReportSchema } from './health/report.ts'
import { type SiteSettingsPatch, siteSettingsPatchSchema, siteSettingsSchema } from './settings.ts'

export const siteStatusSchema = z
  .enum(['connected', 'problem', 'paused', 'needs_owner', 'stopped'])
  .describe(
    'problem: the last check found something that deliveries do not get past; they are still tried. paused: tried again at paused_until. needs_owner: nothing is sent until somebody acts. stopped: by hand; nothing is sent until somebody resumes it.',
  )

const url = singleLineText(2000).describe('Address of the site, as you would type it into a browser.')
const username = singleLineText(200).describe('The WordPress user to write as.')
const applicationPassword = boundedText(500)
  .min(1)
  .describe(
    'An application password of that user (WordPress: Users, Profile). Stored encrypted, never shown.',
  )
const name = singleLineText(200).describe('What people call the site; its own title if left out.')
export const MAX_LABELS = 50

const labels = z.array(singleLineText(100)).max(MAX_LABELS).describe('Labels to group sites by.')

/** Accepts settings beside the other fields or under `settings`; beside wins. */
const withSettings = <Shape extends z.ZodRawShape>(shape: Shape) =>
  z.strictObject({ ...shape, settings: siteSettingsPatchSchema.optional(), ...siteSettingsPatchSchema.shape })

/** Body of `POST /v1/sites`. */
export const newSiteSchema = withSettings({
  url,
  username,
  application_password: applicationPassword,
  name: name.optional(),
  id: z
    .guid()
    .toLowerCase()
    .optional()
    .describe(
      "The sender's own UUID of the site, to be kept; made if left out. Another account may use the same.",
    ),
  labels: labels.default([]),
})

/** Body of `PATCH /v1/sites/{uuid}`: omitted fields stay as they are. */
export const sitePatchSchema = withSettings({
  url: url.describe(
    'New address of the same site, after it moved. Another site is connected under its own id.',
  ),
  username,
  application_password: applicationPassword,
  name,
  labels,
}).partial()

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
    status: siteStatusSchema,
    trouble: z.object({ code: z.string(), message: z.string() }).nullable(),
    paused_until: z.iso.datetime().nullable(),
    stopped: z
      .object({ at: z.iso.datetime(), reason: z.string().nullable() })
      .nullable()
      .describe('Since when it is paused by hand, and why; null where it is not.'),
    labels: z.array(z.string()),
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
export const settingsFromRequest = ({ settings, ...requested }: Partial<NewSite>): SiteSettingsPatch => {
  const beside = Object.entries(requested).filter(([name]) => name in siteSettingsPatchSchema.shape)
  return { ...settings, ...Object.fromEntries(beside) }
}
