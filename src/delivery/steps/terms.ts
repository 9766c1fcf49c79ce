import { counted } from '../../text.ts'
import { resolveTerms } from '../../wordpress/terms/index.ts'
import type { TermResult } from '../../wordpress/types.ts'
import type { Delivering } from './context.ts'

/** Ids of the categories and tags the webhook asked for. */
export interface ResolvedTerms {
  categories: number[]
  tags: number[]
}

/** Turns the names of categories and tags into ids, making what is missing where the site allows it. */
export async function terms(delivering: Delivering): Promise<ResolvedTerms> {
  const { ledger, warnings } = delivering
  delivering.step = 'terms'
  await ledger.assertHeld()
  const { categories, tags } = await resolveWanted(delivering)
  warnings.push(...categories.warnings, ...tags.warnings)
  ledger.keep(
    'terms',
    'resolved',
    `${counted(categories.ids.length, 'category', 'categories')}, ${counted(tags.ids.length, 'tag')}`,
  )
  return { categories: categories.ids, tags: tags.ids }
}

/** What a delivery wants and where; all that its terms depend on. */
type Wanting = Pick<Delivering, 'wanted' | 'site'>

/** @param resolve how names become ids; the preview's makes no term */
export async function resolveWanted(
  { wanted, site }: Wanting,
  resolve: typeof resolveTerms = resolveTerms,
): Promise<{ categories: TermResult; tags: TermResult }> {
  const categories = await resolveCategories({ wanted, site }, resolve)
  const policy = site.settings.term_policy
  const tags = await resolve(site.client, { taxonomy: 'tags', names: wanted.tags, policy })
  return { categories, tags }
}

/** The categories asked for, or the site's own for a document without any, or its fallback. */
async function resolveCategories(
  { wanted, site }: Wanting,
  resolve: typeof resolveTerms,
): Promise<TermResult> {
  const { default_categories, fallback_category, term_policy, category_aliases } = site.settings
  const names = wanted.categories.length > 0 ? wanted.categories : default_categories
  const asked = { taxonomy: 'categories', names, policy: term_policy, aliases: category_aliases } as const
  const resolved = await resolve(site.client, asked)
  if (resolved.ids.length > 0 || names.length === 0 || fallback_category === null) return resolved

  const fallback = await resolve(site.client, {
    taxonomy: 'categories',
    names: [fallback_category],
    policy: 'existing_only',
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
