import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { id, listOf, word } from '../fields.ts'
import type { Byline, BylineField } from '../types.ts'
import { type BylinePlugin, bylinePlugins } from './plugins.ts'

const slugsSchema = listOf(z.object({ id, slug: word(600) }))

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
  const { value: users } = await read(client, slugsSchema, {
    path: '/wp/v2/users',
    query: { include: userId, who: 'authors', _fields: 'id,slug' },
    doing: 'looking for the author',
    subject: 'user',
  })
  const user = users.find((each) => each.id === userId)
  if (user === undefined) return null
  const slugs = slugsOf(user.slug)
  const { value: terms } = await read(client, slugsSchema, {
    path: `/wp/v2/${field}`,
    query: { slug: slugs.join(), _fields: 'id,slug' },
    doing: `looking for the author in ${name}`,
    subject: 'term',
  })
  const [term] = slugs.flatMap((slug) => terms.filter((each) => each.slug === slug))
  return term === undefined ? null : { field, ids: [term.id] }
}
