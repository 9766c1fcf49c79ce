import { named } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { refusal } from '../../errors.ts'
import type { PostText } from '../ledger/state.ts'
import { deliveryNotFound } from './deliveries.ts'
import type { DeliveryScope } from './filter.ts'

/** The post of a delivery, and how long the text is that Galley remembers of it. */
interface RememberedPost {
  siteId: string
  postId: number
  postType: string
  bytes: number
}

type DeliveryRef = DeliveryScope & { id: string }

/** Where the text stands that somebody may have changed. @throws 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_HAS_NO_POST` */
export async function findRememberedPost(
  { pool }: { pool: Queryable },
  { accountId, siteIds, id }: DeliveryRef,
): Promise<RememberedPost> {
  const { rows } = await pool.query<{ [Name in keyof RememberedPost]: RememberedPost[Name] | null }>(
    named(
      `SELECT d.site_id AS "siteId", d.post_id AS "postId", d.post_type AS "postType",
         octet_length(d.answered::text) AS bytes FROM delivery d WHERE ${VISIBLE_DELIVERY}`,
      { accountId, siteIds, id },
    ),
  )
  const [row] = rows
  if (row === undefined) throw deliveryNotFound(id)
  const { siteId, postId, postType, bytes } = row
  if (siteId === null || postId === null || postType === null || bytes === null)
    throw refusal(
      'DELIVERY_HAS_NO_POST',
      'Galley has written no text for this delivery yet, so that nobody can have changed it.',
      409,
    )
  return { siteId, postId, postType, bytes }
}

/** What Galley left of the post, as WordPress answered it. @throws GalleyError 404 `DELIVERY_NOT_FOUND` */
export async function readRememberedText(
  { pool }: { pool: Queryable },
  { accountId, siteIds, id }: DeliveryRef,
): Promise<PostText> {
  const { rows } = await pool.query<PostText>(
    named(
      `SELECT d.answered ->> 'title' AS title, d.answered ->> 'content' AS content, d.answered ->> 'excerpt' AS excerpt
       FROM delivery d WHERE ${VISIBLE_DELIVERY} AND d.answered IS NOT NULL`,
      { accountId, siteIds, id },
    ),
  )
  const [row] = rows
  if (row === undefined) throw deliveryNotFound(id)
  return row
}

const VISIBLE_DELIVERY =
  'd.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))'
