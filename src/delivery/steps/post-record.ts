import type { PostRecord } from '../../wordpress/types.ts'
import { snapshotOf } from '../conflicts/snapshot.ts'
import type { Delivering } from './context.ts'
import { postAddress } from './post-address.ts'

/** What the ledger keeps of a post that is this delivery's. */
export const record = ({ site, postType }: Delivering, post: PostRecord) => ({
  post_id: post.id,
  post_type: postType,
  post_url: postAddress(site, post),
  post_edit_url: `${site.url}/wp-admin/post.php?post=${post.id}&action=edit`,
  post_status: post.status,
  answered: snapshotOf(post),
})
