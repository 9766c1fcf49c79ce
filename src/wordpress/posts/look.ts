import { z } from 'zod'
import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { id as idSchema, listOf } from '../fields.ts'
import { requireOwnAnswer } from '../own-answer.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { POST_QUERY } from './query.ts'
import { type PostRoute, route } from './requests.ts'
import { withStatuses } from './statuses.ts'

/** A post as it stands now, and what time it is on the server that says so. */
export interface Look {
  post: PostRecord
  /** Milliseconds since 1970; null where the answer has no `Date`. */
  serverTime: number | null
}

/**
 * The post, also when trashed; `null` where WordPress says there is none (`rest_post_invalid_id`), or where its server says
 * so in WordPress's place and the list of posts lacks it.
 */
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
    if (!(error instanceof GalleyError)) throw error
    const isGone =
      error.code === 'post_gone' ||
      (error.code === 'not_found' && !(await isListed(client, { postType, id })))
    if (isGone) return null
    throw error
  }
}

/** As {@link lookAtPost}, for whoever wants nothing but the post. */
export const getPost = async (
  client: WordPressClient,
  post: PostRoute & { id: number },
): Promise<PostRecord | null> => (await lookAtPost(client, post))?.post ?? null

/** Whether the list of posts has it. Servers that show their own page for HTTP 404 leave nothing of WordPress's answer. */
const isListed = (client: WordPressClient, { postType, id }: PostRoute & { id: number }): Promise<boolean> =>
  withStatuses(client, { postType }, async (statuses) => {
    const { value } = await read(client, listOf(z.object({ id: idSchema })), {
      path: route({ postType }),
      query: { context: 'edit', _fields: 'id', include: id, status: [...statuses, 'trash'].join() },
      doing: 'checking whether the post is there',
      subject: 'post',
    })
    return value.some((post) => post.id === id)
  })
