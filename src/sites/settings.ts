import { z } from 'zod'
import { onLossChoices } from '../contract/delivery.ts'
import { defaultFieldShape } from '../contract/post-fields.ts'
import { singleLineText } from '../contract/scalars.ts'
import { renderSettingsSchema } from '../render/options.ts'

type Defaulted = Readonly<Record<string, z.ZodDefault>>

type Patch<Shape extends Defaulted> = {
  [Name in keyof Shape]: Shape[Name] extends z.ZodDefault<infer Inner> ? z.ZodOptional<Inner> : never
}

/** Partial fields of `schema` without defaults: an omitted field stays absent. */
function patchOf<Shape extends Defaulted>(schema: z.ZodObject<Shape>) {
  const fields = Object.entries(schema.shape).map(([name, field]) => {
    const inner = field.unwrap() as z.ZodType
    return [name, inner.optional().describe(field.description ?? '')]
  })
  return z.strictObject(Object.fromEntries(fields) as Patch<Shape>)
}

const termName = singleLineText(200)

/** Every document name is compared with all aliases, and every answer about the site repeats them. */
const MAX_ALIASES = 1_000

/** Characters of all aliases: a list or an export returns a hundred sites at once. */
const MAX_ALIASES_LENGTH = 50_000

const aliases = z
  .record(termName, termName)
  .refine((aliases) => Object.keys(aliases).length <= MAX_ALIASES, `must have at most ${MAX_ALIASES} names`)
  .refine(
    (aliases) => Object.entries(aliases).flat().join('').length <= MAX_ALIASES_LENGTH,
    `must have at most ${MAX_ALIASES_LENGTH} characters in all names together`,
  )

const settingsShape = z.object({
  format: z
    .enum(['auto', 'block', 'classic'])
    .default('auto')
    .describe('Markup of posts: for the block editor, for the classic one, or as fits the site (block).'),
  post_type: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/i, 'must be the REST base of a post type, such as posts or pages')
    .default('posts')
    .describe('REST base of the post type that documents become.'),
  author: singleLineText(200)
    .nullable()
    .default(null)
    .describe(
      'Display name or slug of the WordPress user that posts belong to; null for the one Galley writes as.',
    ),
  author_aliases: aliases
    .default({})
    .describe('Names of authors in documents and the users the site has for them.'),
  always_add: z
    .record(singleLineText(100), z.array(termName).max(50))
    .default({})
    .describe('Terms that every post gets besides its own, by taxonomy: categories, tags, or a custom one.'),
  language: z
    .string()
    .regex(/^[a-z0-9_-]{2,20}$/i, 'must be the code of a language, such as en')
    .nullable()
    .default(null)
    .describe(
      'Code of the language that documents are in, as Polylang has it (en), on a site with several; null for the site’s default.',
    ),
  default_categories: z
    .array(termName)
    .max(50)
    .default([])
    .describe('Categories of a document that names none.'),
  fallback_category: termName
    .nullable()
    .default(null)
    .describe('Category used instead of one that is missing and must not be created; null for none.'),
  category_aliases: aliases
    .default({})
    .describe(
      'Category names of documents and the names the site has for them; `News > Local` names a child.',
    ),
  term_policy: z
    .enum(['create', 'existing_only', 'reject'])
    .default('create')
    .describe('Names without a term: create it, leave it out with a warning, or refuse the delivery.'),
  picture_policy: z
    .enum(['keep_remote', 'hold', 'drop'])
    .default('keep_remote')
    .describe(
      'A picture that cannot enter the library: show it from its own address, hold, or leave it out.',
    ),
  max_picture_bytes: z
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .default(20 * 1024 * 1024)
    .describe('Largest picture or narration to fetch, in bytes.'),
  max_picture_pixels: z
    .int()
    .min(320)
    .max(10_000)
    .nullable()
    .default(2560)
    .describe(
      'Longest side of a picture, in pixels: a larger one is made smaller before the upload; null leaves all as they are.',
    ),
  on_changed_post: z
    .enum(['hold', 'overwrite', 'status_only'])
    .default('hold')
    .describe(
      'A newer document for a post that a person changed: hold, write over it, or set its status alone.',
    ),
  defaults: z
    .strictObject(defaultFieldShape)
    .default({})
    .describe('Fields of posts for documents that leave them out, and whose source says nothing of them.'),
  on_loss: z
    .enum(onLossChoices)
    .default('publish')
    .describe(
      'A document of which something would be missing (a warning of the severity loss): publish it as asked for, leave a draft, or hold.',
    ),
  on_publish_refused: z
    .enum(['pending', 'hold'])
    .default('pending')
    .describe('A user who may not publish: leave the post pending review, with a warning, or hold.'),
  public_check: z
    .boolean()
    .default(true)
    .describe(
      'After a post went public, look at its address as a visitor would, and warn of what does not show it as it is.',
    ),
  concurrency: z
    .int()
    .min(1)
    .max(8)
    .default(2)
    .describe('Requests of deliveries to this site at a time; several as one count once.'),
  batch: z
    .enum(['auto', 'off'])
    .default('auto')
    .describe(
      'Requests about several posts or terms at once: as one, where the site takes that (/batch/v1), or (off) each by itself.',
    ),
  seo_description: z
    .boolean()
    .default(true)
    .describe("Also write the description to the site's SEO field, where it has one that can be written."),
})

const SETTINGS_DESCRIPTION = 'How documents are written as posts.'

/** Settings of a site. Parsing stored settings fills in defaults. */
export const siteSettingsSchema = settingsShape
  .extend({ render: renderSettingsSchema.prefault({}).describe(SETTINGS_DESCRIPTION) })
  .meta({ id: 'SiteSettings' })

/** A partial change of settings: omitted fields stay as they are. */
export const siteSettingsPatchSchema = patchOf(settingsShape)
  .extend({ render: patchOf(renderSettingsSchema).optional().describe(SETTINGS_DESCRIPTION) })
  .meta({ id: 'SiteSettingsPatch' })

export type SiteSettings = z.output<typeof siteSettingsSchema>
export type SiteSettingsPatch = z.output<typeof siteSettingsPatchSchema>

/** Merges a change into settings, field by field; both may be incomplete. */
export function mergeSettings(stored: SiteSettingsPatch, patch: SiteSettingsPatch): SiteSettingsPatch {
  const render = { ...stored.render, ...patch.render }
  return { ...stored, ...patch, ...(Object.keys(render).length > 0 && { render }) }
}
