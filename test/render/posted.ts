import { rest } from '../support/wordpress/rest.ts'

/** What WordPress keeps of a post's content, and what it shows of it. */
export interface Posted {
  raw: string
  rendered: string
}

/** Posts content as an author, whose markup goes through kses, reads it back and deletes the post for good. */
export async function postAsAuthor(content: string): Promise<Posted> {
  const post = { title: 'Galley render test', status: 'draft', content }
  const created = await rest<{ id: number; content: Posted }>(
    'author',
    'POST',
    '/wp/v2/posts?context=edit',
    post,
  )
  await rest('author', 'DELETE', `/wp/v2/posts/${created.id}?force=true`)
  return created.content
}
