import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { IS_SAME_SITE, readAt } from './same-site.ts'

/** Whether another delivery to the same WordPress has this post, also one of another account. */
export async function isPostOfAnother(
  pool: Pool,
  deliveryId: string,
  { id: postId, link }: Pick<PostRecord, 'id' | 'link'>,
  postType: string,
): Promise<boolean> {
  const { rows } = await pool.query(
    named(
      `SELECT 1 FROM delivery d JOIN site mine ON mine.id = d.site_id AND mine.account_id = d.account_id
       JOIN delivery other ON other.post_id = :postId AND other.post_type = :postType AND other.id <> d.id
       JOIN site theirs ON theirs.id = other.site_id AND theirs.account_id = other.account_id
       WHERE d.id = :deliveryId AND ${IS_SAME_SITE}
       LIMIT 1`,
      { deliveryId, postId, postType, ...readAt(link) },
    ),
  )
  return rows.length > 0
}

/** Another delivery of the same document that stands in the way of one that looks for its post. */
export interface Rival {
  /** It has recorded the post; else it may have made it and not heard of it yet. */
  recorded: boolean
  /** Of two that are in each other's way this is the one that goes on first. */
  first: boolean
}

/**
 * The delivery of the same document to the same WordPress that has this post, or that may have made it: it is under way, has
 * written down that it makes one, and knows no number yet. What is found on a site and was made by it was intended before, so
 * that a look after the find misses nothing; and both are one look, since it records the number in between.
 */
export async function rivalFor(
  pool: Pool,
  deliveryId: string,
  { id: postId, link }: Pick<PostRecord, 'id' | 'link'>,
  postType: string,
): Promise<Rival | null> {
  const { rows } = await pool.query<Rival>(
    named(
      `WITH other AS (
         SELECT id, account_id, site_id, document_id, post_type, post_url, true AS recorded FROM delivery
         WHERE post_id = :postId
         UNION ALL
         SELECT id, account_id, site_id, document_id, post_type, post_url, false FROM delivery
         WHERE status = 'delivering' AND post_id IS NULL AND reserve_intent_at IS NOT NULL
       )
       SELECT other.recorded, other.id < d.id AS first
       FROM delivery d JOIN site mine ON mine.id = d.site_id AND mine.account_id = d.account_id
       JOIN other ON other.document_id = d.document_id AND other.post_type = :postType AND other.id <> d.id
       JOIN site theirs ON theirs.id = other.site_id AND theirs.account_id = other.account_id
       WHERE d.id = :deliveryId AND ${IS_SAME_SITE}
       ORDER BY other.recorded DESC LIMIT 1`,
      { deliveryId, postId, postType, ...readAt(link) },
    ),
  )
  return rows[0] ?? null
}
