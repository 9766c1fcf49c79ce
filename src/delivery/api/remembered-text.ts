import { queryRows } from '../../database/statement.ts'
import type { Queryable } from '../../database/transaction.ts'
import { conflict } from '../../errors.ts'
import type { PostText } from '../ledger/state.ts'
import { mergePost } from '../merge.ts'
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
  pool: Queryable,
  { accountId, siteIds, id }: DeliveryRef,
): Promise<RememberedPost> {
  const [row] = await queryRows<{ [Name in keyof RememberedPost]: RememberedPost[Name] | null }>(
    pool,
    `SELECT d.site_id AS "siteId", d.post_id AS "postId", d.post_type AS "postType",
       octet_length(d.answered::text) AS bytes FROM delivery d WHERE ${VISIBLE_DELIVERY}`,
    { accountId, siteIds, id },
  )
  if (row === undefined) throw deliveryNotFound(id)
  const { siteId, postId, postType, bytes } = row
  if (siteId === null || postId === null || postType === null || bytes === null)
    throw conflict(
      'DELIVERY_HAS_NO_POST',
      'Galley has written no text for this delivery yet, so that nobody can have changed it.',
    )
  return { siteId, postId, postType, bytes }
}

/** What Galley left of the post, and what the version says that waits. @throws GalleyError `DELIVERY_NOT_FOUND` */
export async function readRememberedTexts(
  pool: Queryable,
  { accountId, siteIds, id }: DeliveryRef,
): Promise<{ galley: PostText; next: PostText | null }> {
  const [row] = await queryRows<{ galley: PostText; next: PostText | null }>(
    pool,
    `SELECT coalesce(d.answered -> 'base', d.answered) AS galley, d.answered -> 'next' AS next
     FROM delivery d WHERE ${VISIBLE_DELIVERY} AND d.answered IS NOT NULL`,
    { accountId, siteIds, id },
  )
  if (row === undefined) throw deliveryNotFound(id)
  return row
}

/** With the merge of the three. @param site null where the post was deleted */
export const compareTexts = <Site extends PostText & { status: string }>(
  { galley, next }: { galley: PostText; next: PostText | null },
  site: Site | null,
) => ({
  galley: shownText(galley),
  site: site && { ...shownText(site), status: site.status },
  next: next && shownText(next),
  merge: site && next && mergePost({ galley, site, next }),
})

const shownText = ({ title, content, excerpt }: PostText) => ({ title, content, excerpt })

const VISIBLE_DELIVERY =
  'd.id = :id AND d.account_id = :accountId AND (:siteIds::uuid[] IS NULL OR d.site_id = ANY (:siteIds))'
