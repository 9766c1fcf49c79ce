import { named } from '../../database/named.ts'
import type { Queryable } from '../../database/transaction.ts'
import { GalleyError } from '../../errors.ts'
import type { DeliveryScope } from './filter.ts'
import { deliveryNotFound } from './view.ts'

/** The post of a delivery, and how long the text is that Galley remembers of it. */
export interface LeftPost {
  siteId: string
  postId: number
  postType: string
  bytes: number
}

/** What of a post somebody may have changed. */
export interface LeftText {
  title: string
  content: string
  excerpt: string
}

type Which = DeliveryScope & { id: string }

/**
 * Where the text stands that somebody may have changed.
 *
 * @throws GalleyError 404 `DELIVERY_NOT_FOUND`, 409 `DELIVERY_HAS_NO_POST`
 */
export async function findLeftPost(
  { pool }: { pool: Queryable },
  { accountId, siteIds, id }: Which,
): Promise<LeftPost> {
  const { rows } = await pool.query<{ [Name in keyof LeftPost]: LeftPost[Name] | null }>(
    named(
      `SELECT d.site_id AS "siteId", d.post_id AS "postId", d.post_type AS "postType",
         octet_length(d.answered::text) AS bytes FROM delivery d WHERE ${SEEN}`,
      { accountId, siteIds, id },
    ),
  )
  const [row] = rows
  if (row === undefined) throw deliveryNotFound(id)
  const { siteId, postId, postType, bytes } = row
  if (siteId === null || postId === null || postType === null || bytes === null)
    throw new GalleyError({
      code: 'DELIVERY_HAS_NO_POST',
      httpStatus: 409,
      message: 'Galley has written no text for this delivery yet, so that nobody can have changed it.',
    })
  return { siteId, postId, postType, bytes }
}

/** What Galley left of the post, as WordPress answered it. @throws GalleyError 404 `DELIVERY_NOT_FOUND` */
export async function readLeftText(
  { pool }: { pool: Queryable },
  { accountId, siteIds, id }: Which,
): Promise<LeftText> {
  const { rows } = await pool.query<LeftText>(
    named(
      `SELECT d.answered ->> 'title' AS title, d.answered ->> 'content' AS content, d.answered ->> 'excerpt' AS excerpt
       FROM delivery d WHERE ${SEEN} AND d.answered IS NOT NULL`,
      { accountId, siteIds, id },
    ),
  )
  const [row] = rows
  if (row === undefined) throw deliveryNotFound(id)
  return row
}

const SEEN =
  'd.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))'
