import { hash } from 'node:crypto'
import type { Pool } from 'pg'
import { execute, queryRows } from '../../database/statement.ts'
import type { MediaRecord, PostRecord } from '../../wordpress/types.ts'
import type { DeliveryRow } from './state.ts'

/** What the slugs begin with that mark posts and files as a document's. */
export const documentMarker = (documentId: string): string => `galley-${documentId}`

/** The slug that marks a post as this delivery's until it is filled (docs/architecture.md, "Invariants"). */
export const postMarker = ({
  account_id,
  site_id,
  document_id,
}: Pick<DeliveryRow, 'account_id' | 'site_id' | 'document_id'>): string =>
  `${documentMarker(document_id)}-${hash('sha256', `${account_id} ${site_id}`).slice(0, 12)}`

/** Whether a slug marks something as a delivery's, or as a document's. */
export const isMarker = (slug: string): boolean =>
  /^galley-[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/.test(slug)

/** SQL of an array: sites, not connected any more, where the document of `d` was begun. One may be back under another id. */
export const ABANDONED_SITES = `ARRAY(
  SELECT other.site_id FROM delivery other
  WHERE other.document_id = d.document_id AND other.account_id = d.account_id
    AND other.delivered_event_id IS NULL AND other.reserve_intent_at IS NOT NULL
    AND NOT EXISTS (SELECT FROM site WHERE site.id = other.site_id AND site.account_id = other.account_id))`

const hostOf = (site: string): string => `split_part(${site}.url, '/', 3)`
const sitePathOf = (site: string): string => `split_part(${site}.url, '://', 2)`

/**
 * A condition: `theirs`, a site, is the same WordPress as `mine`: the REST root is the same, or the site is where `:link` is read, or
 * `other`, a delivery to it, was read at `:origin`. Two folders of one host are two sites, as in a network.
 */
const IS_SAME_SITE = `(theirs.rest_root = mine.rest_root OR (
  (starts_with(other.post_url, :origin::text) OR starts_with(:link::text, theirs.url || '/'))
  AND (${hostOf('theirs')} <> ${hostOf('mine')} OR ${sitePathOf('theirs')} = ${sitePathOf('mine')})))`

/** Joins to `other` this delivery as `d`, and the sites of both. */
const SITES_OF_DELIVERY = `
  JOIN delivery d ON d.id = :deliveryId
  JOIN site mine ON mine.id = d.site_id AND mine.account_id = d.account_id
  JOIN site theirs ON theirs.id = other.site_id AND theirs.account_id = other.account_id`

/** Parameters of {@link IS_SAME_SITE}: where something is read on the site; nothing where it says no address. */
const parseLink = (link: string | null): { link: string | null; origin: string | null } =>
  link ? { link, origin: `${new URL(link).origin}/` } : { link: null, origin: null }

/** Whether another delivery to the same WordPress has this post, also one of another account. */
export async function isPostOfOtherDelivery(
  pool: Pool,
  deliveryId: string,
  { id: postId, link }: Pick<PostRecord, 'id' | 'link'>,
  postType: string,
): Promise<boolean> {
  const rows = await queryRows(
    pool,
    `SELECT 1 FROM delivery other ${SITES_OF_DELIVERY}
     WHERE other.post_id = :postId AND other.post_type = :postType AND other.id <> d.id AND ${IS_SAME_SITE}
     LIMIT 1`,
    { deliveryId, postId, postType, ...parseLink(link) },
  )
  return rows.length > 0
}

/**
 * Whether another delivery of the same document to the same WordPress has this post, or may have made it: it is under way and knows
 * no number yet. One look for both, since it records the number in between.
 */
export async function hasCompetitor(
  pool: Pool,
  deliveryId: string,
  { id: postId, link }: Pick<PostRecord, 'id' | 'link'>,
  postType: string,
): Promise<boolean> {
  const rows = await queryRows(
    pool,
    `WITH other AS (
       SELECT id, account_id, site_id, document_id, post_type, post_url FROM delivery WHERE post_id = :postId
       UNION ALL
       SELECT id, account_id, site_id, document_id, post_type, post_url FROM delivery
       WHERE status = 'delivering' AND post_id IS NULL AND reserve_intent_at IS NOT NULL
     )
     SELECT FROM other ${SITES_OF_DELIVERY}
     WHERE other.document_id = d.document_id AND other.post_type = :postType AND other.id <> d.id AND ${IS_SAME_SITE}
     LIMIT 1`,
    { deliveryId, postId, postType, ...parseLink(link) },
  )
  return rows.length > 0
}

/**
 * Who else has an attachment: another delivery to the same WordPress, or another file of this one. `unknown` where another delivery,
 * under way, may have uploaded this file, or looks for it.
 */
export async function findMediaHolder(
  pool: Pool,
  deliveryId: string,
  { id: mediaId, link }: Pick<MediaRecord, 'id' | 'link'>,
  marker: string,
): Promise<'nobody' | 'another' | 'unknown'> {
  const [found] = await queryRows<{ recorded: boolean }>(
    pool,
    `WITH file AS (
       SELECT delivery_id, marker, true AS recorded FROM delivery_media WHERE media_id = :mediaId
       UNION ALL
       SELECT m.delivery_id, m.marker, false FROM delivery one JOIN delivery_media m ON m.delivery_id = one.id
       WHERE one.status = 'delivering' AND m.marker = :marker AND m.media_id IS NULL AND m.intent_at IS NOT NULL
     )
     SELECT file.recorded FROM file JOIN delivery other ON other.id = file.delivery_id ${SITES_OF_DELIVERY}
     WHERE NOT (other.id = d.id AND file.marker = :marker) AND ${IS_SAME_SITE}
     ORDER BY file.recorded DESC LIMIT 1`,
    { deliveryId, mediaId, marker, ...parseLink(link) },
  )
  if (found === undefined) return 'nobody'
  return found.recorded ? 'another' : 'unknown'
}

/** What stands on a site, and what it is there. */
export interface SiteResource {
  kind: 'post' | 'attachment'
  id: number
}

/** Minutes in which a site has done, or will not do, what it was asked for: PHP gives up long before. */
const REMOVAL_TIMEOUT_MINUTES = 10

/** A condition: nobody works on a delivery, and what is found on its site was not made for it in this moment. */
export const IS_SETTLED = "status NOT IN ('queued', 'delivering')"

/**
 * Written before the last look whether another delivery has what is to be deleted. Whoever adopts something asks {@link isBeingRemoved},
 * so that of the two at least one hears of the other. @returns whether the delivery is at rest still, with this fence
 */
export async function startRemoval(
  pool: Pool,
  { id, fence }: { id: string; fence: number },
  { kind, id: number }: SiteResource,
): Promise<boolean> {
  const rowCount = await execute(
    pool,
    `INSERT INTO orphan_removal (kind, number, delivery_id, until)
     SELECT :kind, :number, id, now() + interval '${REMOVAL_TIMEOUT_MINUTES} minutes' FROM delivery
     WHERE id = :id AND fence = :fence AND ${IS_SETTLED}
     ON CONFLICT (number, kind, delivery_id) DO UPDATE SET until = excluded.until`,
    { id, fence, kind, number },
  )
  return rowCount === 1
}

/** It is deleted, or stays. */
export async function endRemoval(pool: Pool, deliveryId: string, { kind, id: number }: SiteResource) {
  await execute(
    pool,
    'DELETE FROM orphan_removal WHERE number = :number AND kind = :kind AND delivery_id = :deliveryId',
    { deliveryId, kind, number },
  )
}

/** Whether this may be deleted now, while the document has other deliveries. Compares numbers, not sites: too many wait. */
export async function isBeingRemoved(pool: Pool, deliveryId: string, { kind, id: number }: SiteResource) {
  const rowCount = await execute(
    pool,
    `SELECT 1 FROM orphan_removal r JOIN delivery other ON other.id = r.delivery_id
     JOIN delivery d ON d.document_id = other.document_id
     WHERE r.number = :number AND r.kind = :kind AND r.until > now() AND d.id = :deliveryId LIMIT 1`,
    { deliveryId, kind, number },
  )
  return rowCount !== 0
}
