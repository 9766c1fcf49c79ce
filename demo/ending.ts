import type { Delivered } from './deliver.ts'
import type { DemoSite } from './site.ts'

/**
 * The last lines: where the post is, and how to get in. A WordPress that ends with the demo has no login to tell of.
 *
 * @param stays whether everything stays up, to look around
 */
export function ending(
  { user, password }: Pick<DemoSite, 'user' | 'password'>,
  { url, edit_url }: Pick<Delivered['post'], 'url' | 'edit_url'>,
  stays: boolean,
): string {
  const lines = ['', `Post   ${url}`, `Edit   ${edit_url}`]
  if (password !== undefined)
    lines.push(
      stays
        ? `Log in as ${user} with ${password}`
        : 'This WordPress ends now, and its addresses with it; without --once it stays up, with a login to look around.',
    )
  return lines.join('\n')
}
