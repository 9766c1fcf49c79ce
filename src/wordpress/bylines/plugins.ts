import type { BylineField } from '../types.ts'

export interface BylinePlugin {
  name: string
  /** Of its own routes in the REST API. */
  namespace: string
  /** By what its terms stand for a user with this slug, the likelier first; null where it keeps users themselves. */
  slugsOf: ((userSlug: string) => string[]) | null
}

/**
 * Plugins that show readers a byline of their own instead of a post's author, by the field in which the REST API has
 * it. Written from their sources: Co-Authors Plus 3.7 (`update_author_term`), PublishPress Authors 4.14
 * (`Author::create_from_user`), Authorship 0.3 (`register_rest_api_field`).
 */
export const bylinePlugins = {
  coauthors: {
    name: 'Co-Authors Plus',
    namespace: 'coauthors/v1',
    slugsOf: (slug) => [`cap-${slug}`, slug],
  },
  ppma_author: {
    name: 'PublishPress Authors',
    namespace: 'publishpress-authors/v1',
    slugsOf: (slug) => [slug],
  },
  authorship: { name: 'Authorship', namespace: 'authorship/v1', slugsOf: null },
} satisfies Record<BylineField, BylinePlugin>

export const BYLINE_FIELDS = Object.keys(bylinePlugins) as BylineField[]
