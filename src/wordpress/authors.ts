import { z } from 'zod'
import { recoverWith } from '../errors.ts'
import { slugText } from '../lib/slug.ts'
import { type Query, requestParsed, type WordPressClient } from './client/client.ts'
import { boundedArray, idSchema, keywordSchema, labelSchema, storedName } from './fields.ts'
import type { Byline, BylineField } from './types.ts'

const usersSchema = boundedArray(
  z.object({
    id: idSchema,
    name: labelSchema(),
    // Plugins take it out of answers.
    slug: labelSchema().optional(),
    // In the context `edit`, for who may list users.
    username: labelSchema().optional(),
    email: labelSchema().optional(),
  }),
)

/** Asks for users who may write posts. `who=authors` leaves out roles of plugins; by their right, only who may list users may ask. */
export async function requestAuthors<Schema extends z.ZodType>(
  client: WordPressClient,
  schema: Schema,
  { doing, query }: { doing: string; query: Query },
) {
  const ask = (who: Query) =>
    requestParsed(client, schema, {
      path: '/wp/v2/users',
      query: { ...query, ...who },
      doing,
      subject: 'user',
    })
  const listed = await ask({ capabilities: 'edit_posts' }).catch(
    recoverWith(null, ({ code }) => code === 'rights_missing'),
  )
  return listed ?? ask({ who: 'authors' })
}

/**
 * The user with this slug, login or e-mail address, else with this display name, who may write posts, whatever the letter case.
 * @returns null where there is none, `several` where users share the display name
 */
export async function findUser(
  client: WordPressClient,
  { name, context }: { name: string; context?: 'edit' | undefined },
): Promise<{ id: number; name: string } | 'several' | null> {
  const wanted = name.trim().toLowerCase()
  const users: z.output<typeof usersSchema> = []
  for (let page = 1, pages = 1; page <= pages; page++) {
    const { value, answer } = await requestAuthors(client, usersSchema, {
      query: { search: storedName(name), per_page: 100, page, context },
      doing: `looking for the user “${name}”`,
    })
    users.push(...value)
    pages = Math.min(Number(answer.headers['x-wp-totalpages'] ?? 1), MAX_PAGES)
  }
  const isWanted = (known: string | undefined) => known?.toLowerCase() === wanted
  const only = users.find(({ slug, username, email }) => [slug, username, email].some(isWanted))
  const [named, another] = users.filter((user) => isWanted(user.name))
  if (only === undefined && another !== undefined) return 'several'
  // Of a login, which is not shown to everybody, WordPress makes the slug: of `ada.lovelace` it is `ada-lovelace`.
  const found = only ?? named ?? users.find(({ slug }) => slug === slugText(name))
  return found ? { id: found.id, name: found.name } : null
}

/** Of a hundred users whose name, login or address has the word in it. */
const MAX_PAGES = 10

/** Display names of users who may write posts, by their ids; at most 100 of them. */
export async function fetchUserNames(
  client: WordPressClient,
  ids: readonly number[],
): Promise<Map<number, string>> {
  const { value } = await requestAuthors(client, usersSchema, {
    query: { include: ids.join(), per_page: 100, _fields: 'id,name,slug' },
    doing: 'looking for the names of users',
  })
  return new Map(value.map(({ id, name }) => [id, name]))
}

export interface BylinePlugin {
  name: string
  namespace: string
  /** By what its terms stand for a user with this slug, the likelier first; null where it keeps users themselves. */
  slugsOf: ((userSlug: string) => string[]) | null
}

/** Plugins with bylines of their own, by their field in the REST API; from the sources of 3.7, 4.14 and 0.3. */
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

/** The byline that names a user alone, as this plugin keeps it; null where it does not know the user. */
export async function findByline(
  client: WordPressClient,
  { field, userId }: { field: BylineField; userId: number },
): Promise<Byline | null> {
  const { name, slugsOf }: BylinePlugin = bylinePlugins[field]
  if (slugsOf === null) return { field, ids: [userId] }
  const { value: users } = await requestAuthors(client, slugsSchema, {
    query: { include: userId, _fields: 'id,slug' },
    doing: 'looking for the author',
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
