import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { requireOwnAnswer } from '../own-answer.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { POST_QUERY } from './query.ts'

export interface PostRoute {
  /** The type's REST base: `posts`, `pages`, or a custom type's. */
  postType: string
}

export const route = ({ postType }: PostRoute, id?: number): string =>
  id === undefined ? `/wp/v2/${postType}` : `/wp/v2/${postType}/${id}`

/** A post as it stands now, and what time it is on the server that says so. */
export interface Look {
  post: PostRecord
  /** Milliseconds since 1970; null where the answer has no `Date`. */
  serverTime: number | null
}

/** The post, also when trashed; `null` where WordPress says there is none (`rest_post_invalid_id`). */
export async function lookAtPost(
  client: WordPressClient,
  { postType, id }: PostRoute & { id: number },
): Promise<Look | null> {
  const request = {
    path: route({ postType }, id),
    query: POST_QUERY,
    doing: 'reading the post',
    subject: 'post',
  } as const
  try {
    const { value, answer } = await read(client, postSchema, request)
    requireOwnAnswer(client, request, value.id === id, `post ${value.id} instead of ${id}`)
    const serverTime = Date.parse(answer.headers.date ?? '')
    return { post: value, serverTime: Number.isNaN(serverTime) ? null : serverTime }
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'post_gone') return null
    throw error
  }
}

/** As {@link lookAtPost}, for whoever wants nothing but the post. */
export const getPost = async (
  client: WordPressClient,
  post: PostRoute & { id: number },
): Promise<PostRecord | null> => (await lookAtPost(client, post))?.post ?? null

/** Deletes for good, past the trash. A post that is not there any more counts as deleted. */
export async function deletePost(
  client: WordPressClient,
  { postType, id }: PostRoute & { id: number },
): Promise<void> {
  try {
    await client.request({
      method: 'DELETE',
      path: route({ postType }, id),
      query: { force: true },
      doing: 'deleting the post',
      subject: 'post',
      repeatable: true,
    })
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'post_gone') return
    throw error
  }
}
