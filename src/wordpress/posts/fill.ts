import { read, type WordPressClient } from '../client/index.ts'
import { requireOwnAnswer } from '../own-answer.ts'
import { postSchema } from '../records.ts'
import type { PostFields, PostRecord } from '../types.ts'
import { WRITTEN_POST_QUERY } from './query.ts'
import { type PostRoute, route } from './requests.ts'

/**
 * Sets fields of a post in one call; repeating it changes nothing. It succeeds on a trashed post too, and a
 * status other than `trash` brings that post back: look at the status before filling one that has lain.
 *
 * @throws GalleyError `answer_of_another` where the site answers about another post
 */
export async function fillPost(
  client: WordPressClient,
  { postType, id, fields }: PostRoute & { id: number; fields: PostFields },
): Promise<PostRecord> {
  const request = {
    method: 'POST',
    path: route({ postType }, id),
    query: WRITTEN_POST_QUERY,
    data: bodyOf(fields),
    doing: 'filling the post',
    subject: 'post',
    repeatable: true,
  } as const
  const { value } = await read(client, postSchema, request)
  requireOwnAnswer(client, request, value.id === id, `post ${value.id} instead of ${id}`)
  return value
}

function bodyOf({ featuredMedia, byline, ...fields }: PostFields): Record<string, unknown> {
  return {
    ...fields,
    ...(featuredMedia === undefined ? {} : { featured_media: featuredMedia }),
    ...(byline === undefined ? {} : { [byline.field]: byline.ids }),
  }
}
