import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { PostRecord } from '../../wordpress/types.ts'

/**
 * Whether another delivery to the same WordPress has this post, also one of another account, who may reach it at another
 * address: it is the same where the REST root is, or where the post is read.
 *
 * @param documentId of the only document whose deliveries are looked at; null for all
 */
export async function isPostOfAnother(
  pool: Pool,
  { deliveryId, documentId }: { deliveryId: string; documentId: string | null },
  { id: postId, link }: Pick<PostRecord, 'id' | 'link'>,
  postType: string,
): Promise<boolean> {
  const origin = link === null ? null : `${new URL(link).origin}/`
  const { rows } = await pool.query(
    named(
      `SELECT 1 FROM delivery other
       JOIN site theirs ON theirs.id = other.site_id AND theirs.account_id = other.account_id
       WHERE other.post_id = :postId AND other.post_type = :postType AND other.id <> :deliveryId
         AND (:documentId::uuid IS NULL OR other.document_id = :documentId) AND (
           starts_with(other.post_url, :origin::text) OR theirs.rest_root = (
             SELECT site.rest_root FROM delivery d JOIN site ON site.id = d.site_id AND site.account_id = d.account_id
             WHERE d.id = :deliveryId))
       LIMIT 1`,
      { deliveryId, documentId, postId, postType, origin },
    ),
  )
  return rows.length > 0
}
