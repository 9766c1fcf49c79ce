import type { Pool } from 'pg'
import { z } from 'zod'
import { queryRows } from '../../database/statement.ts'
import { defineJob, enqueueMany, IS_ACCOUNT_ENABLED, laneOf } from '../../jobs/job.ts'
import { lowestUuidAt } from '../../lib/uuid.ts'
import type { SiteId } from '../../sites/connection.ts'

/** Days after its creation for which the post of a delivery is followed. One that is not final is followed for longer. */
export const FOLLOWED_DAYS = 90

/** Most requests that a site gets for this, on average. */
const REQUESTS_PER_MINUTE = 3

/** Requests of one look at most: 3,000 posts. The others follow an hour later. */
const MAX_REQUESTS = 30

/** Sites that are queued at once, twice a minute. */
const MAX_SITES = 500

/** Sites that are looked at side by side; one that hangs delays the others of its lane alone. */
const LANES = 16

const id = z.guid()

/** Looks at what became of a site's posts, with so many requests at most; first at that of the delivery, if one is named. */
export const followJob = defineJob({
  name: 'follow_posts',
  payload: z.object({ accountId: id, siteId: id, requests: z.int().min(1), deliveryId: id.nullable() }),
  queue: ({ siteId }) => `('follow_posts:' || ${laneOf(siteId, LANES)})`,
  key: ({ accountId, siteId }) => `('follow_posts:' || ${accountId} || ':' || ${siteId})`,
  maxAttempts: 1,
})

/** SQL condition: it is looked at what became of the post. Needs `:since`. @param d alias of `delivery` */
export const isFollowed = (d: string): string => `${d}.post_id IS NOT NULL AND ${d}.post_status <> 'deleted'
  AND (${d}.id >= :since::uuid OR ${d}.post_status IN ('draft', 'pending', 'future'))`

/** @param now milliseconds of `Date.now()` */
export const followedSince = (now: number): string => lowestUuidAt(now - FOLLOWED_DAYS * 24 * 60 * 60_000)

/** What is down or paused is left alone. */
const queueSites = (which: string, deliveryId: string): string => `
  WITH due AS (
    SELECT site.account_id, site.id, greatest(${REQUESTS_PER_MINUTE}, least(${MAX_REQUESTS},
      floor(extract(epoch FROM now() - site.followed_at) / 60) * ${REQUESTS_PER_MINUTE}))::int AS requests
    FROM site WHERE site.trouble IS NULL AND site.stopped_at IS NULL AND ${IS_ACCOUNT_ENABLED('site.account_id')} AND ${which}
    FOR UPDATE OF site SKIP LOCKED
  ), looked AS (
    UPDATE site SET followed_at = now() FROM due WHERE site.account_id = due.account_id AND site.id = due.id
  )
  SELECT account_id AS "accountId", id AS "siteId", requests, ${deliveryId} AS "deliveryId" FROM due
  WHERE EXISTS (SELECT FROM delivery d WHERE d.account_id = due.account_id AND d.site_id = due.id AND ${isFollowed('d')})`

const HOURLY = queueSites(
  `site.followed_at < now() - interval '1 hour' ORDER BY site.followed_at LIMIT ${MAX_SITES}`,
  'NULL',
)
const AT_ONCE = queueSites(
  `site.account_id = :accountId AND site.id = :id AND site.followed_at <= now() - make_interval(secs => :restS)`,
  ':deliveryId::uuid',
)

async function queueLooks(pool: Pool, statement: string, values: object): Promise<void> {
  const since = followedSince(Date.now())
  const rows = await queryRows<z.input<typeof followJob.payload>>(pool, statement, { ...values, since })
  await enqueueMany(pool, followJob, rows)
}

/** Queues a look at the posts of each site that was not looked at for an hour. */
export const followHourly = (pool: Pool): Promise<void> => queueLooks(pool, HOURLY, {})

/** Seconds after a look in which a visit starts no other. */
const VISIT_REST_S = 60

interface SiteToFollow extends SiteId {
  deliveryId?: string
}

/** Queues a look at a site's posts because a person looks at the site, or at one of its deliveries. */
export const followVisited = (pool: Pool, site: SiteToFollow): Promise<void> =>
  followAtOnce(pool, site, VISIT_REST_S)

/** The same, however short ago the last one was: something has just become of the delivery's post. */
export const followAtOnce = (pool: Pool, { accountId, id, deliveryId }: SiteToFollow, restS = 0) =>
  queueLooks(pool, AT_ONCE, { accountId, id, deliveryId: deliveryId ?? null, restS })
