import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { id, listOf } from '../fields.ts'
import type { CurrentUser } from '../types.ts'

/** As plugins and firewalls refuse the route of users, which they close to all but administrators (WP Cerber). */
export const HIDES_USERS: ReadonlySet<string> = new Set([
  'firewall_blocked',
  'rights_missing',
  'rest_route_missing',
  'not_found',
  'rest_api_disabled',
])

/** What an editor may. Where a user may less, WordPress says so when it comes to that. */
const ASSUMED = ['edit_posts', 'publish_posts', 'publish_pages', 'upload_files', 'manage_categories']

/**
 * The user that the credentials stand for, where the site shows no users: whoever is shown posts as they are edited is
 * signed in, and may write some.
 *
 * @returns why not, where that is refused as well
 */
export async function hiddenUser(client: WordPressClient): Promise<CurrentUser | GalleyError> {
  try {
    await read(client, listOf(z.object({ id })), {
      path: '/wp/v2/posts',
      query: { context: 'edit', per_page: 1, _fields: 'id' },
      doing: 'verifying the credentials',
      subject: 'post',
    })
  } catch (error) {
    if (error instanceof GalleyError) return error
    throw error
  }
  return {
    id: 0,
    name: client.site.username,
    roles: [],
    capabilities: Object.fromEntries(ASSUMED.map((right) => [right, true])),
    isHidden: true,
  }
}
