import { read, type WordPressClient } from '../client/index.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { POST_QUERY, POST_QUERY_WITH_ACTIONS } from './query.ts'
import { type PostRoute, route } from './requests.ts'
import { refusesStatus } from './statuses.ts'

export interface Reservation extends PostRoute {
  title: string
  /** Becomes the slug: `galley-<document id>`. Null leaves the slug to WordPress. */
  marker: string | null
  /** WordPress user; plugins that show bylines of their own take them from whoever creates a post. */
  author?: number
  /** Code of the post's language, on a site with several: it is given when a post is made, and then stays. */
  language?: string | undefined
  /** Whether it is asked too what the user may do with the post. */
  withActions?: boolean
}

/**
 * Creates a draft that holds a title and the marker as its slug, and nothing else. WordPress makes slugs
 * unique: an answer with another slug than the marker means that a post with this marker was there first.
 * A site without drafts, as editorial plugins make it, is left to choose where its posts begin.
 */
export async function reservePost(client: WordPressClient, reservation: Reservation): Promise<PostRecord> {
  try {
    return await create(client, reservation, { status: 'draft' })
  } catch (error) {
    if (!refusesStatus(error)) throw error
    return create(client, reservation, {})
  }
}

async function create(
  client: WordPressClient,
  { title, marker, author, language, withActions = false, ...where }: Reservation,
  status: { status?: 'draft' },
): Promise<PostRecord> {
  const { value } = await read(client, postSchema, {
    method: 'POST',
    path: route(where),
    query: { ...(withActions ? POST_QUERY_WITH_ACTIONS : POST_QUERY), lang: language },
    data: {
      title,
      ...(marker !== null && { slug: marker }),
      ...status,
      ...(author !== undefined && { author }),
    },
    doing: 'reserving the post',
    subject: 'post',
  })
  return value
}
