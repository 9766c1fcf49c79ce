import { JSDOM } from 'jsdom'
import { type Role, rest } from '../support/wordpress/index.ts'

/** What WordPress keeps of a post's content, and what it shows of it. */
export interface Posted {
  raw: string
  rendered: string
}

interface Post {
  id: number
  link: string
  content: Posted
}

const create = (role: Role, status: 'draft' | 'publish', content: string): Promise<Post> =>
  rest(role, 'POST', '/wp/v2/posts?context=edit', { title: 'Galley render test', status, content })

const remove = (role: Role, { id }: Post): Promise<unknown> =>
  rest(role, 'DELETE', `/wp/v2/posts/${id}?force=true`)

/** Posts content, reads it back and deletes the post for good. An author's markup goes through kses. */
export async function postAs(role: Role, content: string): Promise<Posted> {
  const post = await create(role, 'draft', content)
  await remove(role, post)
  return post.content
}

/** Content as WordPress keeps it, and as the site's theme shows it to a visitor, HTML; the post itself deleted again. */
export async function publishAs(role: Role, content: string): Promise<{ raw: string; shown: string }> {
  const post = await create(role, 'publish', content)
  // Debian's nginx tells PHP the host without its port: WordPress redirects a GET to the same address, for ever
  const page = await fetch(post.link, { method: 'POST' })
  const { document } = new JSDOM(await page.text()).window
  await remove(role, post)
  const shown = document.querySelector('.entry-content')
  if (shown === null) throw new Error(`${post.link} answered ${page.status} and no post: ${document.title}`)
  return { raw: post.content.raw, shown: shown.innerHTML }
}
