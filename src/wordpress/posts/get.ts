import { GalleyError } from '../../errors.ts'
import { read, type WordPressClient } from '../client/index.ts'
import { postSchema } from '../records.ts'
import type { PostRecord } from '../types.ts'
import { type PostRoute, route } from './route.ts'

/** The post, also when trashed; `null` where WordPress says there is none (`rest_post_invalid_id`). */
export async function getPost(
  client: WordPressClient,
  { postType, id }: PostRoute & { id: number },
): Promise<PostRecord | null> {
  try {
    const { value } = await read(client, postSchema, {
      path: route({ postType }, id),
      query: { context: 'edit' },
      doing: 'reading the post',
      subject: 'post',
    })
    return value
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'post_gone') return null
    throw error
  }
}
