import { z } from 'zod'
import { read, type WordPressClient } from '../../client/index.ts'

const linksSchema = z.object({ _links: z.record(z.string(), z.unknown()) })
const PREFIX = 'wp:action-'

/** What WordPress offers this user to do with a post, from its links in `context=edit`. */
export async function readActions(
  client: WordPressClient,
  { postType, id }: { postType: string; id: number },
): Promise<string[]> {
  const { value } = await read(client, linksSchema, {
    path: `/wp/v2/${postType}/${id}`,
    query: { context: 'edit' },
    doing: 'reading what the user may do',
    subject: 'post',
  })
  return Object.keys(value._links)
    .filter((link) => link.startsWith(PREFIX))
    .map((link) => link.slice(PREFIX.length))
}
