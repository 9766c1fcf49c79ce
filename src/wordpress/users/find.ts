import { z } from 'zod'
import { read, type WordPressClient } from '../client/index.ts'

export interface SiteUser {
  id: number
  /** As shown to readers. */
  name: string
}

const usersSchema = z.array(z.object({ id: z.number(), name: z.string(), slug: z.string() }))

/**
 * The user with this display name or slug, whatever the letter case; `null` where there is none. WordPress
 * shows users without a published post only to those who may list users.
 */
export async function findUser(
  client: WordPressClient,
  { name }: { name: string },
): Promise<SiteUser | null> {
  const { value } = await read(client, usersSchema, {
    path: '/wp/v2/users',
    query: { search: name, per_page: 100 },
    doing: `looking for the user “${name}”`,
    subject: 'user',
  })
  const wanted = name.trim().toLowerCase()
  const found = value.find((user) => [user.name, user.slug].some((known) => known.toLowerCase() === wanted))
  return found ? { id: found.id, name: found.name } : null
}
