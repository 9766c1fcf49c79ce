import type { Pool } from 'pg'
import { z } from 'zod'
import { execute, queryRows, storableJson } from '../../database/statement.ts'
import { asFailure, recoverWith, type Warning } from '../../errors.ts'
import { defineJob, enqueueMany, IS_ACCOUNT_ENABLED, laneOf } from '../../jobs/job.ts'
import { groupBy } from '../../lib/group-by.ts'
import { lowestUuidAt } from '../../lib/uuid.ts'
import type { Logger } from '../../log/log.ts'
import { notifyReceivers } from '../../notifications/notify.ts'
import type { NotificationEvent } from '../../notifications/outcomes.ts'
import type { DeliverySite, SiteId } from '../../sites/connection.ts'
import type { FoundSite } from '../../sites/health/load-site.ts'
import { withSeverity } from '../../warnings.ts'
import { fetchUserNames } from '../../wordpress/authors.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import {
  findEditor,
  POSTS_PER_READ,
  readStandingPosts,
  type StandingPost,
  scheduleMissed,
} from '../../wordpress/posts/standing.ts'
import { deliveryNotification, notifiedColumns } from '../ledger/notifications.ts'

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
const isFollowed = (d: string): string => `${d}.post_id IS NOT NULL AND ${d}.post_status <> 'deleted'
  AND (${d}.id >= :since::uuid OR ${d}.post_status IN ('draft', 'pending', 'future'))`

/** @param now milliseconds of `Date.now()` */
const followedSince = (now: number): string => lowestUuidAt(now - FOLLOWED_DAYS * 24 * 60 * 60_000)

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

// What became of posts after they were delivered, and by whom. It is read in bulk, and nothing is written to the site.

interface FollowContext {
  pool: Pool
  log: Logger
  load(site: SiteId): Promise<FoundSite | null>
  now?: () => Date
}

interface Followed {
  id: string
  /** Raised by every claim: what was read of the site before that is not written. */
  fence: number
  post_id: number
  post_type: string
  post_status: string
  post_modified_at: Date | null
  post_modified_by: string | null
  post_publish_at: Date | null
  warnings: Warning[]
  /** `modified_gmt` of the post after Galley's last write. */
  left_at: string | null
}

/** What a queued delivery did to its post before its process ended is not known yet, and is nobody else's change. */
const LOAD_FOLLOWED = `
  SELECT d.id, d.fence, d.post_id, d.post_type, d.post_status, d.post_modified_at, d.post_modified_by,
    d.post_publish_at, d.warnings, d.answered ->> 'modifiedGmt' AS left_at
  FROM delivery d
  WHERE d.account_id = :accountId AND d.site_id = :siteId AND ${isFollowed('d')}
    AND d.status NOT IN ('queued', 'delivering') AND d.error ->> 'code' IS DISTINCT FROM 'process_ended'
  ORDER BY d.id IS DISTINCT FROM :deliveryId::uuid, d.post_seen_at NULLS FIRST, d.id LIMIT :most`

/** Looks at what became of a site's posts, those first that were seen longest ago, with so many requests at most. */
export async function followPosts(
  context: FollowContext,
  { accountId, siteId, requests, deliveryId }: z.output<typeof followJob.payload>,
): Promise<void> {
  const { pool, log, now = () => new Date() } = context
  const found = await context.load({ accountId, id: siteId })
  if (found?.readiness !== 'open') return
  const rows = await queryRows<Followed>(pool, LOAD_FOLLOWED, {
    ...{ accountId, siteId, deliveryId, since: followedSince(now().getTime()) },
    most: requests * POSTS_PER_READ,
  })
  try {
    const look = { pool, site: found.open(), now: now(), left: requests }
    for (const [postType, all] of groupBy(rows, ({ post_type }) => post_type))
      for (let from = 0; from < all.length; from += POSTS_PER_READ)
        await followType(look, postType, all.slice(from, from + POSTS_PER_READ))
  } catch (error) {
    // Its deliveries and its checks tell of the site.
    const { code, message } = asFailure(error)
    log.info({ site: siteId, code }, `what became of posts is unknown: ${message}`)
  }
}

interface Look {
  pool: Pool
  site: DeliverySite
  now: Date
  left: number
}

/** Whether so many more may leave; they are counted then. */
function take(look: Look, requests = 1): boolean {
  if (requests > look.left) return false
  look.left -= requests
  return true
}

/** What there was no request left for stays unseen, and comes first the next time. */
async function followType(look: Look, postType: string, all: readonly Followed[]): Promise<void> {
  // The second one is for names.
  if (!take(look, 2)) return
  const { pool, site, now } = look
  const { client } = site
  const posts = await readStandingPosts(client, { postType, ids: all.map(({ post_id }) => post_id) })
  const seen: { before: Followed; post: StandingPost; editor: number | undefined }[] = []
  for (const before of all) {
    const listed = posts.get(before.post_id)
    if (listed === undefined && !take(look)) continue
    const post = listed ?? (await findUnlisted(site, before))
    const asks = isNewChange(before, post) && post.editor === undefined
    if (asks && !take(look)) continue
    const editor = asks ? await findEditor(client, { ...post, postType }).catch(unlessSiteFails) : post.editor
    seen.push({ before, post, editor })
  }
  const editors = [...new Set(seen.flatMap(({ editor }) => editor ?? []))]
  const names = editors.length === 0 ? new Map<number, string>() : await fetchUserNames(client, editors)
  const nameOf = (editor: number | undefined) => (editor === undefined ? undefined : names.get(editor))
  await store(
    pool,
    seen.map(({ before, post, editor }) => notice(site.name, before, { post, by: nameOf(editor), now })),
  )
}

/** What the site refuses to tell stays unknown. */
const unlessSiteFails = recoverWith(undefined, ({ fault }) => fault !== 'site')

/** A post that the list of posts does not have: deleted, or as before where this user may not see it. */
async function findUnlisted({ client }: DeliverySite, before: Followed): Promise<StandingPost> {
  const { post_id: id, post_type: postType, post_status, post_modified_at, post_publish_at } = before
  const unseen = { id, link: null, publishAt: post_publish_at, editor: undefined }
  const post = await getPost(client, { postType, id }).catch(unlessSiteFails)
  if (post === undefined) return { ...unseen, status: post_status, modifiedAt: post_modified_at ?? NEVER }
  if (post === null) return { ...unseen, status: 'deleted', modifiedAt: NEVER, publishAt: null }
  return { ...unseen, ...post, modifiedAt: new Date(`${post.modifiedGmt}Z`) }
}

const NEVER = new Date(0)

/** When somebody changed the post after Galley's last write; null where it stands as Galley left it. */
const changedAt = ({ left_at }: Followed, { modifiedAt }: StandingPost): Date | null =>
  modifiedAt.getTime() > Date.parse(`${left_at}Z`) ? modifiedAt : null

function isNewChange(before: Followed, post: StandingPost): boolean {
  const at = changedAt(before, post)
  return at !== null && at.getTime() !== before.post_modified_at?.getTime()
}

interface Noticed {
  id: string
  fence: number
  status: string
  /** Null where the address stays as it is known. */
  url: string | null
  modified_at: Date | null
  modified_by: string | null
  publish_at: Date | null
  missed: Warning[]
  event: Extract<NotificationEvent, `post.${string}`> | null
  outcome: string | null
  detail: string | null
}

const IS_GONE: ReadonlySet<string> = new Set(['trash', 'deleted'])

function notice(
  site: string,
  before: Followed,
  { post, by = null, now }: { post: StandingPost; by: string | undefined | null; now: Date },
): Noticed {
  const { status, link, publishAt } = post
  const missed = scheduleMissed(site, post, now)
  const isNew = isNewChange(before, post)
  const modifiedAt = changedAt(before, post)
  const said = { event: null, outcome: null, detail: by && `by ${by}` }
  const noticed = {
    ...{ id: before.id, fence: before.fence, status, url: IS_GONE.has(status) ? null : link },
    modified_at: modifiedAt,
    modified_by: isNew ? by : modifiedAt && before.post_modified_by,
    publish_at: publishAt,
    missed: withSeverity(missed),
  }
  if (missed.length > 0 && before.warnings.every(({ code }) => code !== 'schedule_missed'))
    return { ...noticed, ...said, event: 'post.schedule_missed', outcome: 'schedule_missed', detail: null }
  if (status === before.post_status) return { ...noticed, ...said, outcome: isNew ? 'changed' : null }
  if (status === 'publish') return { ...noticed, ...said, event: 'post.published', outcome: 'published' }
  if (!IS_GONE.has(status))
    return { ...noticed, ...said, outcome: 'found', detail: `post ${post.id} is ${status}` }
  const event = IS_GONE.has(before.post_status) ? null : 'post.trashed'
  return { ...noticed, ...said, event, outcome: status === 'trash' ? 'trashed' : 'deleted' }
}

const STORE = `
  WITH noticed AS (
    SELECT * FROM jsonb_to_recordset(:noticed::jsonb) AS noticed (id uuid, fence int, status text, url text,
      modified_at timestamptz, modified_by text, publish_at timestamptz, missed jsonb, event text, outcome text, detail text)
  ), mine AS (
    SELECT d.id FROM delivery d JOIN noticed USING (id, fence) WHERE d.status <> 'delivering'
    ORDER BY d.account_id, d.site_id, d.document_id FOR UPDATE OF d
  ), seen AS (
    UPDATE delivery d SET post_status = noticed.status, post_url = coalesce(noticed.url, d.post_url),
      post_modified_at = noticed.modified_at, post_modified_by = noticed.modified_by,
      post_publish_at = noticed.publish_at, post_seen_at = now(),
      warnings = jsonb_path_query_array(d.warnings, '$[*] ? (@.code != "schedule_missed")') || noticed.missed,
      public_check_at = CASE WHEN noticed.outcome = 'published' THEN now() ELSE d.public_check_at END,
      public_looks = CASE WHEN noticed.outcome = 'published' THEN 0 ELSE d.public_looks END
    FROM mine JOIN noticed USING (id) WHERE d.id = mine.id
    RETURNING ${notifiedColumns('d')}, noticed.event, noticed.outcome, noticed.detail
  ), ${notifyReceivers(deliveryNotification('seen', 'told.event'))}
  INSERT INTO delivery_step (delivery_id, step, outcome, detail)
  SELECT id, 'follow', outcome, detail FROM seen WHERE outcome IS NOT NULL`

/** Stores what was noticed, but for deliveries that were claimed meanwhile. */
async function store(pool: Pool, noticed: readonly Noticed[]): Promise<void> {
  if (noticed.length > 0) await execute(pool, STORE, { noticed: storableJson(noticed) })
}
