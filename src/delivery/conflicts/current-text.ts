import type { WordPressClient } from '../../wordpress/client/index.ts'
import { getPost } from '../../wordpress/posts/index.ts'
import type { PostStatus } from '../../wordpress/types.ts'
import type { PostText } from './fingerprint.ts'

/** The text of a post as it stands on its site now; null where it was deleted. */
export async function currentText(
  client: WordPressClient,
  { postType, postId }: { postType: string; postId: number },
): Promise<(PostText & { status: PostStatus }) | null> {
  const post = await getPost(client, { postType, id: postId })
  if (post === null) return null
  const { title, content, excerpt, status } = post
  return { title, content, excerpt, status }
}
