import type { PostSchema } from './post-schema.ts'

export interface SeoField {
  plugin: string
  /** Key under `meta`. */
  key: string
}

/**
 * Where SEO plugins keep a post's description. SEOPress and Yoast SEO (28) register it for the REST API, others do not, so
 * what the site's own schema lists decides; the order is by how many sites have the plugin. All in One SEO and SureRank
 * are not among them: they keep descriptions elsewhere and do not read a key of `meta`.
 */
export const seoFields: readonly SeoField[] = [
  { plugin: 'Yoast SEO', key: '_yoast_wpseo_metadesc' },
  { plugin: 'Rank Math', key: 'rank_math_description' },
  { plugin: 'SEOPress', key: '_seopress_titles_desc' },
  { plugin: 'The SEO Framework', key: '_genesis_description' },
]

/** The field that takes the SEO description on this site; `null` where the site offers none. */
export const seoFieldOf = ({ metaFields }: PostSchema): SeoField | null =>
  seoFields.find(({ key }) => metaFields.includes(key)) ?? null
