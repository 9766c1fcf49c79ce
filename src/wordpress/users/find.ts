import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'
import { id, label, listOf } from '../fields.ts'

export interface SiteUser {
  id: number
  /** As shown to readers. */
  name: string
}

const usersSchema = listOf(z.object({ id, name: label(), slug: label() }))

/**
 * The user with this display name or slug who may write posts, whatever the letter case; `null` where there is none.
 * Asked for authors, WordPress shows those without a published post too, to whoever may edit posts.
 */
export async function findUser(
  client: WordPressClient,
  { name }: { name: string },
): Promise<SiteUser | null> {
  const { value } = await read(client, usersSchema, {
    path: '/wp/v2/users',
    query: { search: name, who: 'authors', per_page: 100 },
    doing: `looking for the user “${name}”`,
    subject: 'user',
  })
  const wanted = name.trim().toLowerCase()
  const found = value.find((user) => [user.name, user.slug].some((known) => known.toLowerCase() === wanted))
  return found ? { id: found.id, name: found.name } : null
}
