import type { Warning } from '../../errors.ts'
import { pluralize } from '../../lib/text.ts'
import type { Taxonomy } from '../../wordpress/terms/find-or-create.ts'
import { resolveTerms } from '../../wordpress/terms/resolve.ts'
import type { PostMembers, PostRecord, TermResult } from '../../wordpress/types.ts'
import { sameIds } from '../post-snapshot.ts'
import type { Delivering } from './context.ts'
import { resolveFields } from './resolve-fields.ts'
import type { FilledPost } from './verify.ts'

export interface ResolvedTerms {
  categories: number[]
  tags: number[]
  remembered: ReadonlySet<number>
  /** What the other fields of the post name (resolve-fields.ts). */
  members: PostMembers
}

/** Turns names of categories and tags into ids, making what the site allows. @param post as reserved: its type's taxonomies */
export async function resolveDeliveryTerms(delivering: Delivering, post: PostRecord): Promise<ResolvedTerms> {
  const { ledger, warnings } = delivering
  delivering.progress.step = 'terms'
  await ledger.assertHeld()
  const { categories, tags } = await resolveRequestedTerms({ ...delivering, lacks: post.lacks })
  warnings.push(...categories.warnings, ...tags.warnings)
  ledger.defer(
    'terms',
    'resolved',
    `${pluralize(categories.ids.length, 'category', 'categories')}, ${pluralize(tags.ids.length, 'tag')}`,
  )
  return resolvedTerms(categories, tags, await resolveFields(delivering))
}

const resolvedTerms = (categories: TermResult, tags: TermResult, members: PostMembers): ResolvedTerms => ({
  members,
  categories: categories.ids,
  tags: tags.ids,
  remembered: new Set([...(categories.remembered ?? []), ...(tags.remembered ?? [])]),
})

/** The terms looked up again, where WordPress has dropped a remembered one. Null where nothing else comes of it. */
export async function recheckTerms(
  delivering: Delivering,
  before: ResolvedTerms,
  { sent, post }: FilledPost,
): Promise<ResolvedTerms | null> {
  const { ledger, warnings } = delivering
  const dropped = (['categories', 'tags'] as const).flatMap((taxonomy) =>
    (sent[taxonomy] ?? []).filter((id) => !post[taxonomy].includes(id)),
  )
  if (!dropped.some((id) => before.remembered.has(id))) return null
  delivering.progress.step = 'terms'
  await ledger.assertHeld()
  const { categories, tags } = await resolveRequestedTerms(
    { ...delivering, lacks: post.lacks },
    (client, request) => resolveTerms(client, { ...request, anew: true }),
  )
  const now = resolvedTerms(categories, tags, before.members)
  if (sameIds(now.categories, before.categories) && sameIds(now.tags, before.tags)) return null
  warnings.push(...categories.warnings, ...tags.warnings)
  ledger.defer(
    'terms',
    'resolved',
    'again: a category, tag or user that Galley remembered no longer exists on the site',
  )
  return now
}

interface TermRequest extends Pick<Delivering, 'wanted' | 'site' | 'postType' | 'language'> {
  lacks: readonly string[]
}

/** @param resolve how names become ids; the preview's makes no term */
export async function resolveRequestedTerms(
  wanting: TermRequest,
  resolve: typeof resolveTerms = resolveTerms,
): Promise<{ categories: TermResult; tags: TermResult }> {
  const { wanted, site, lacks, language } = wanting
  const policy = site.settings.term_policy
  const [categories, tags] = await resolveBoth(
    lacks.includes('categories')
      ? unsupportedTaxonomy(wanting, 'categories')
      : resolveCategories(wanting, resolve),
    lacks.includes('tags')
      ? unsupportedTaxonomy(wanting, 'tags')
      : resolve(site.client, {
          taxonomy: 'tags',
          names: [...wanted.tags, ...(site.settings.always_add.tags ?? [])],
          policy,
          language,
        }),
  )
  return { categories, tags }
}

/** Both at once; where one fails, nothing of the other is left under way. */
async function resolveBoth(...results: [TermResult | Promise<TermResult>, TermResult | Promise<TermResult>]) {
  await Promise.allSettled(results)
  return Promise.all(results)
}

/** A type of post without this taxonomy: a term would be made for nothing. */
function unsupportedTaxonomy({ wanted, site, postType }: TermRequest, taxonomy: Taxonomy): TermResult {
  const names = wanted[taxonomy]
  const unavailable: Warning = {
    code: `${taxonomy}_unavailable`,
    message: `Posts of the type ${postType} on ${site.name} have no ${taxonomy}, so ${names.map((name) => `“${name}”`).join(', ')} was neither made nor set. Register the taxonomy for that type in WordPress, or choose another post_type in the site's settings.`,
  }
  return { ids: [], warnings: names.length === 0 ? [] : [unavailable] }
}

/** The categories asked for, or the site's own for a document without any, or its fallback. */
async function resolveCategories({ wanted, site, language }: TermRequest, resolve: typeof resolveTerms) {
  const { default_categories, fallback_category, term_policy, category_aliases, always_add } = site.settings
  const own = wanted.categories.length > 0
  const names = [...(own ? wanted.categories : default_categories), ...(always_add.categories ?? [])]
  const asked = {
    taxonomy: 'categories',
    names,
    policy: term_policy,
    aliases: category_aliases,
    language,
    ...(!own && { setting: 'default_categories' as const }),
  } as const
  const resolved = await resolve(site.client, asked)
  if (resolved.ids.length > 0 || names.length === 0 || fallback_category === null) return resolved

  const fallback = await resolve(site.client, {
    taxonomy: 'categories',
    names: [fallback_category],
    policy: 'existing_only',
    language,
    setting: 'fallback_category',
  })
  const taken: Warning = {
    code: 'term_fallback',
    message: `The post got the site's fallback category instead, “${fallback_category}”.`,
  }
  return {
    ids: fallback.ids,
    warnings: [...resolved.warnings, ...fallback.warnings, ...(fallback.ids.length > 0 ? [taken] : [])],
  }
}
