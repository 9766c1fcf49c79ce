import type { Warning } from '../../errors.ts'
import { counted } from '../../text.ts'
import { resolveTerms, type Taxonomy } from '../../wordpress/terms/index.ts'
import type { PostRecord, TermResult } from '../../wordpress/types.ts'
import type { Delivering } from './context.ts'

/** Ids of the categories and tags the webhook asked for. */
export interface ResolvedTerms {
  categories: number[]
  tags: number[]
}

/**
 * Turns the names of categories and tags into ids, making what is missing where the site allows it.
 * @param post as reserved: of what its type does not have, nothing is made
 */
export async function terms(delivering: Delivering, post: PostRecord): Promise<ResolvedTerms> {
  const { ledger, warnings } = delivering
  delivering.progress.enter('terms')
  await ledger.assertHeld()
  const { categories, tags } = await resolveWanted({ ...delivering, lacks: post.lacks })
  warnings.push(...categories.warnings, ...tags.warnings)
  ledger.keep(
    'terms',
    'resolved',
    `${counted(categories.ids.length, 'category', 'categories')}, ${counted(tags.ids.length, 'tag')}`,
  )
  return { categories: categories.ids, tags: tags.ids }
}

/** What a delivery wants and where; all that its terms depend on. */
interface Wanting extends Pick<Delivering, 'wanted' | 'site' | 'postType'> {
  /** What posts of this type do not have. */
  lacks: readonly string[]
}

/** @param resolve how names become ids; the preview's makes no term */
export async function resolveWanted(
  wanting: Wanting,
  resolve: typeof resolveTerms = resolveTerms,
): Promise<{ categories: TermResult; tags: TermResult }> {
  const { wanted, site, lacks } = wanting
  const policy = site.settings.term_policy
  const language = site.settings.language ?? undefined
  return {
    categories: lacks.includes('categories')
      ? noneTaken(wanting, 'categories')
      : await resolveCategories(wanting, resolve),
    tags: lacks.includes('tags')
      ? noneTaken(wanting, 'tags')
      : await resolve(site.client, { taxonomy: 'tags', names: wanted.tags, policy, language }),
  }
}

/** A type of post without this taxonomy: a term would be made for nothing. */
function noneTaken({ wanted, site, postType }: Wanting, taxonomy: Taxonomy): TermResult {
  const names = wanted[taxonomy]
  const unavailable: Warning = {
    code: `${taxonomy}_unavailable`,
    message: `Posts of the type ${postType} on ${site.name} have no ${taxonomy}, so ${names.map((name) => `“${name}”`).join(', ')} was neither made nor set. Register the taxonomy for that type in WordPress, or choose another post_type in the site's settings.`,
  }
  return { ids: [], warnings: names.length === 0 ? [] : [unavailable] }
}

/** The categories asked for, or the site's own for a document without any, or its fallback. */
async function resolveCategories(
  { wanted, site }: Pick<Wanting, 'wanted' | 'site'>,
  resolve: typeof resolveTerms,
): Promise<TermResult> {
  const { default_categories, fallback_category, term_policy, category_aliases } = site.settings
  const names = wanted.categories.length > 0 ? wanted.categories : default_categories
  const language = site.settings.language ?? undefined
  const asked = {
    taxonomy: 'categories',
    names,
    policy: term_policy,
    aliases: category_aliases,
    language,
  } as const
  const resolved = await resolve(site.client, asked)
  if (resolved.ids.length > 0 || names.length === 0 || fallback_category === null) return resolved

  const fallback = await resolve(site.client, {
    taxonomy: 'categories',
    names: [fallback_category],
    policy: 'existing_only',
    language,
  })
  const taken = {
    code: 'term_fallback',
    message: `The post got the site's fallback category instead, “${fallback_category}”.`,
  }
  return {
    ids: fallback.ids,
    warnings: [...resolved.warnings, ...fallback.warnings, ...(fallback.ids.length > 0 ? [taken] : [])],
  }
}
