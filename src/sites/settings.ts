import { z } from 'zod'

const termName = z.string().trim().min(1).max(200)

/** The choices of a site, each with what it means; defaults stand in `siteSettingsSchema`. */
const choices = {
  format: z
    .enum(['auto', 'block', 'classic'])
    .describe('Markup of posts: for the block editor, for the classic one, or as fits the site (block).'),
  post_type: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/i, 'must be the REST base of a post type, such as posts or pages')
    .describe('REST base of the post type that documents become.'),
  author: z
    .number()
    .int()
    .positive()
    .nullable()
    .describe('WordPress user id that posts belong to; null for the user Galley writes as.'),
  default_categories: z.array(termName).max(50).describe('Categories of a document that names none.'),
  fallback_category: termName
    .nullable()
    .describe('Category that stands in for one that is missing and may not be made; null for none.'),
  category_aliases: z
    .record(termName, termName)
    .describe(
      'Category names of documents and the names the site has for them; `News > Local` names a child.',
    ),
  term_policy: z
    .enum(['create', 'existing_only', 'reject'])
    .describe('Names without a term: make it, leave it out with a warning, or refuse the delivery.'),
  picture_policy: z
    .enum(['keep_remote', 'hold', 'drop'])
    .describe(
      'A picture that cannot be put into the library: show it from its address, hold, or leave it out.',
    ),
  max_picture_bytes: z
    .number()
    .int()
    .min(1024)
    .max(256 * 1024 * 1024)
    .describe('Largest picture or narration to fetch, in bytes.'),
  on_changed_post: z
    .enum(['hold', 'overwrite', 'status_only'])
    .describe(
      'A newer document for a post that a person changed: hold it, write over it, or set its status alone.',
    ),
  on_publish_refused: z
    .enum(['pending', 'hold'])
    .describe('A user who may not publish: leave the post pending review, with a warning, or hold.'),
  concurrency: z.number().int().min(1).max(8).describe('Deliveries to this site at a time.'),
  seo_description: z
    .boolean()
    .describe("Also write the description to the site's SEO field, where it has one that can be written."),
}

/** How a site wants its posts. Reading what is stored, it fills in what was never set. */
export const siteSettingsSchema = z
  .object({
    format: choices.format.default('auto'),
    post_type: choices.post_type.default('posts'),
    author: choices.author.default(null),
    default_categories: choices.default_categories.default([]),
    fallback_category: choices.fallback_category.default(null),
    category_aliases: choices.category_aliases.default({}),
    term_policy: choices.term_policy.default('create'),
    picture_policy: choices.picture_policy.default('keep_remote'),
    max_picture_bytes: choices.max_picture_bytes.default(20 * 1024 * 1024),
    on_changed_post: choices.on_changed_post.default('hold'),
    on_publish_refused: choices.on_publish_refused.default('pending'),
    concurrency: choices.concurrency.default(2),
    seo_description: choices.seo_description.default(true),
  })
  .meta({ id: 'SiteSettings' })

/** Some of the settings, as a request gives them: what is left out stays as it is. */
export const siteSettingsPatchSchema = z.strictObject(choices).partial().meta({ id: 'SiteSettingsPatch' })

export type SiteSettings = z.output<typeof siteSettingsSchema>
export type SiteSettingsPatch = z.output<typeof siteSettingsPatchSchema>
