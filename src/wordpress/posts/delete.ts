import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'
import { type PostRoute, route } from './route.ts'

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
    })
  } catch (error) {
    if (error instanceof GalleyError && error.code === 'post_gone') return
    throw error
  }
}
