import { read, type WordPressClient } from '../client/index.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { type PostRoute, route } from './route.ts'

export interface Reservation extends PostRoute {
  title: string
  /** Becomes the slug: `galley-<document id>`. */
  marker: string
}

/**
 * Creates a draft that holds a title and the marker as its slug, and nothing else. WordPress makes slugs
 * unique: an answer with another slug than the marker means that a post with this marker was there first.
 */
export async function reservePost(client: WordPressClient, reservation: Reservation): Promise<PostRecord> {
  const { title, marker } = reservation
  const { value } = await read(client, postSchema, {
    method: 'POST',
    path: route(reservation),
    query: { context: 'edit' },
    data: { title, slug: marker, status: 'draft' },
    doing: 'reserving the post',
    subject: 'post',
  })
  return value
}
