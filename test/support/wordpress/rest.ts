import type { Role } from '../../../demo/wordpress/index.ts'
import { wordpress } from './current.ts'

/** A post or an attachment as `context=edit` shows it. */
export interface RestItem {
  id: number
  slug: string
  status: string
  [field: string]: unknown
}

const everyStatus = 'publish,future,draft,pending,private,trash'

/**
 * One REST call past all of Galley's own code, so that tests see the site as it is.
 * @param path Below `/wp-json`, with its query.
 * @throws where the answer is not a success, with what WordPress said.
 */
export async function rest<Answer>(role: Role, method: string, path: string, body?: object): Promise<Answer> {
  const { url, users } = wordpress()
  const { login, applicationPassword } = users[role]
  const response = await fetch(`${url}/wp-json${path}`, {
    method,
    headers: {
      authorization: `Basic ${Buffer.from(`${login}:${applicationPassword}`).toString('base64')}`,
      'content-type': 'application/json',
    },
    body: body && JSON.stringify(body),
  })
  const text = await response.text()
  if (!response.ok) throw new Error(`${method} ${path} as ${role}: ${response.status} ${text.slice(0, 500)}`)
  return JSON.parse(text) as Answer
}

/** Posts in every status, the trash included, that match `query`, e.g. `search=Harbour` or `slug=a,b`. */
export function findPosts(query: string): Promise<RestItem[]> {
  return rest('administrator', 'GET', `/wp/v2/posts?context=edit&per_page=100&status=${everyStatus}&${query}`)
}

/** Attachments that match `query`, e.g. `parent=12`. */
export function findMedia(query: string): Promise<RestItem[]> {
  return rest(
    'administrator',
    'GET',
    `/wp/v2/media?context=edit&per_page=100&status=inherit,private,trash&${query}`,
  )
}

/** Deletes for good, past the trash. */
export async function removePost(id: number): Promise<void> {
  await rest('administrator', 'DELETE', `/wp/v2/posts/${id}?force=true`)
}

/** Deletes the attachment and its files. */
export async function removeMedia(id: number): Promise<void> {
  await rest('administrator', 'DELETE', `/wp/v2/media/${id}?force=true`)
}

/** Deletes a category or a tag. */
export async function removeTerm(taxonomy: 'categories' | 'tags', id: number): Promise<void> {
  await rest('administrator', 'DELETE', `/wp/v2/${taxonomy}/${id}?force=true`)
}
