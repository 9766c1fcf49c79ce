import { GalleyError } from '../../errors.ts'
import type { WordPressClient } from '../client/index.ts'

export interface PostRoute {
  /** The type's REST base: `posts`, `pages`, or a custom type's. */
  postType: string
}

export const route = ({ postType }: PostRoute, id?: number): string =>
  id === undefined ? `/wp/v2/${postType}` : `/wp/v2/${postType}/${id}`

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
