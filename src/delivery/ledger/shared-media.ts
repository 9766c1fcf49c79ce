import type { Pool } from 'pg'
import { named } from '../../database/named.ts'
import type { MediaRecord } from '../../wordpress/types.ts'
import { IS_SAME_SITE, readAt } from './same-site.ts'

type Found = Pick<MediaRecord, 'id' | 'link'>

const SITES = `
  JOIN delivery d ON d.id = :deliveryId
  JOIN site mine ON mine.id = d.site_id AND mine.account_id = d.account_id
  JOIN site theirs ON theirs.id = other.site_id AND theirs.account_id = other.account_id`

/** Whether another delivery to the same WordPress, or another file of this one, has this attachment. */
export async function isMediaOfAnother(
  pool: Pool,
  deliveryId: string,
  { id: mediaId, link }: Found,
  marker: string,
): Promise<boolean> {
  const { rows } = await pool.query(
    named(
      `SELECT 1 FROM delivery_media m JOIN delivery other ON other.id = m.delivery_id ${SITES}
       WHERE m.media_id = :mediaId AND NOT (m.delivery_id = d.id AND m.marker = :marker) AND ${IS_SAME_SITE}
       LIMIT 1`,
      { deliveryId, mediaId, marker, ...readAt(link) },
    ),
  )
  return rows.length > 0
}

/**
 * Whether another delivery of the same document to the same WordPress, which is under way, may have uploaded this file and not
 * heard of its number yet, or be looking for it.
 */
export async function mayBeMediaOfRival(
  pool: Pool,
  deliveryId: string,
  { link }: Found,
  marker: string,
): Promise<boolean> {
  const { rows } = await pool.query(
    named(
      `SELECT 1 FROM delivery other JOIN delivery_media m ON m.delivery_id = other.id ${SITES}
       WHERE other.status = 'delivering' AND other.id <> d.id AND m.marker = :marker
         AND m.media_id IS NULL AND m.intent_at IS NOT NULL AND ${IS_SAME_SITE}
       LIMIT 1`,
      { deliveryId, marker, ...readAt(link) },
    ),
  )
  return rows.length > 0
}
