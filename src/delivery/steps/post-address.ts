import type { Warning } from '../../errors.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { sameHost } from '../../wordpress/discover/index.ts'
import type { PostRecord } from '../../wordpress/types.ts'

/** Where a post is read: as its site says, or by its number, which WordPress takes for any post. */
export const postAddress = ({ url }: Pick<DeliverySite, 'url'>, { id, link }: PostRecord): string =>
  link ?? `${url}/?p=${id}`

/** A site that says its post is on a host which nobody knows to be its own. */
export function addressElsewhere(
  { name, addresses }: Pick<DeliverySite, 'name' | 'addresses'>,
  { link }: PostRecord,
): Warning[] {
  if (link === null || addresses.some((known) => sameHost(known, link))) return []
  return [
    {
      code: 'post_address_elsewhere',
      message: `${name} says that this post is at ${link}, which is another host. Check that address before you pass it on.`,
    },
  ]
}
