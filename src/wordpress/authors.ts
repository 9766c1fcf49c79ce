import { z } from 'zod'
import { requestParsed, type WordPressClient } from './client/index.ts'
import { boundedArray, idSchema, keywordSchema, labelSchema } from './fields.ts'
import type { Byline, BylineField } from './types.ts'

interface SiteUser {
  id: number
  /** As shown to readers. */
  name: string
}

const usersSchema = boundedArray(z.object({ id: idSchema, name: labelSchema(), slug: labelSchema() }))

/**
 * The user with this display name or slug who may write posts, whatever the letter case; `null` where there is none.
 * Asked for authors, WordPress shows those without a published post too, to whoever may edit posts.
 */
export async function findUser(
  client: WordPressClient,
  { name }: { name: string },
): Promise<SiteUser | null> {
  const { value } = await requestParsed(client, usersSchema, {
    path: '/wp/v2/users',
    query: { search: name, who: 'authors', per_page: 100 },
    doing: `looking for the user “${name}”`,
    subject: 'user',
  })
  const wanted = name.trim().toLowerCase()
  const found = value.find((user) => [user.name, user.slug].some((known) => known.toLowerCase() === wanted))
  return found ? { id: found.id, name: found.name } : null
}

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

const slugsSchema = boundedArray(z.object({ id: idSchema, slug: keywordSchema(600) }))

/**
 * The byline that names a user alone, as the plugin with this field keeps it; null where that plugin knows no author
 * for the user.
 */
export async function findByline(
  client: WordPressClient,
  { field, userId }: { field: BylineField; userId: number },
): Promise<Byline | null> {
  const { name, slugsOf }: BylinePlugin = bylinePlugins[field]
  if (slugsOf === null) return { field, ids: [userId] }
  const { value: users } = await requestParsed(client, slugsSchema, {
    path: '/wp/v2/users',
    query: { include: userId, who: 'authors', _fields: 'id,slug' },
    doing: 'looking for the author',
    subject: 'user',
  })
  const user = users.find((each) => each.id === userId)
  if (user === undefined) return null
  const slugs = slugsOf(user.slug)
  const { value: terms } = await requestParsed(client, slugsSchema, {
    path: `/wp/v2/${field}`,
    query: { slug: slugs.join(), _fields: 'id,slug' },
    doing: `looking for the author in ${name}`,
    subject: 'term',
  })
  const [term] = slugs.flatMap((slug) => terms.filter((each) => each.slug === slug))
  return term === undefined ? null : { field, ids: [term.id] }
}
