import type { Pool } from 'pg'
import { GalleyError } from '../errors.ts'
import { siteQueue } from '../jobs/site-queue.ts'
import type { Logger } from '../log.ts'
import type { SiteId } from '../sites/registry.ts'
import { deleteMedia, findMediaVariants } from '../wordpress/media/index.ts'
import { deletePost, findPostVariants } from '../wordpress/posts/index.ts'
import type { MediaRecord, PostRecord } from '../wordpress/types.ts'
import { type DeliverySite, postMarker } from './delivering.ts'
import type { Timing } from './timing.ts'

export interface TidyContext {
  pool: Pool
  log: Logger
  timing: Timing
  /** The site that waits to be tidied; null where it is not connected. */
  siteOf(site: SiteId): Promise<DeliverySite | null>
}

interface Suspect {
  id: string
  account_id: string
  site_id: string
  document_id: string
  post_id: number
  post_type: string
  ambiguous_at: Date
  media: { marker: string; media_id: number | null }[]
}

/**
 * Looks for what a site finished after everybody had stopped listening. A create that timed out, and was not to be
 * found when it was looked for, may still become a post; WordPress then numbers its slug, since the marker is taken by
 * ours, or gives it the marker that ours has left behind. Such a post holds a title and nothing else, and goes. One
 * that a person has written in stays.
 */
export async function tidy(context: TidyContext, deliveryId: string): Promise<void> {
  const suspect = await read(context.pool, deliveryId)
  // Without a post of its own it is not done yet; its next settlement plans another look.
  if (suspect === null) return
  const site = await context.siteOf({ accountId: suspect.account_id, id: suspect.site_id })
  if (site === null) return
  try {
    const removed = [...(await removePosts(site, suspect)), ...(await removeMedia(site, suspect))]
    await close(context.pool, suspect, removed)
  } catch (error) {
    if (!(error instanceof GalleyError)) throw error
    context.log.warn({ delivery: deliveryId, code: error.code }, 'tidying a site waits: it does not answer')
    await again(context, suspect)
  }
}

async function removePosts(
  { client }: DeliverySite,
  { document_id, post_id: ours, post_type: postType }: Suspect,
): Promise<string[]> {
  const found = await findPostVariants(client, { postType, marker: postMarker(document_id) })
  const orphans = found.filter((post) => post.id !== ours && isBareReserve(post))
  for (const { id } of orphans) await deletePost(client, { postType, id })
  return orphans.map(({ id }) => `post ${id}`)
}

/** A reserve as Galley makes it: nobody has put anything into it. */
const isBareReserve = ({ status, content, excerpt, tags, featuredMedia }: PostRecord): boolean =>
  status === 'draft' && content === '' && excerpt === '' && tags.length === 0 && featuredMedia === 0

async function removeMedia({ client }: DeliverySite, { media, post_id }: Suspect): Promise<string[]> {
  const removed: string[] = []
  for (const { marker, media_id: ours } of media) {
    const found = await findMediaVariants(client, marker)
    const kept = found.find(({ id }) => id === ours)
    const orphans = found.filter((file) => file.id !== ours && isUntouched(file, post_id, kept))
    for (const { id } of orphans) await deleteMedia(client, { id })
    removed.push(...orphans.map(({ id }) => `attachment ${id}`))
  }
  return removed
}

/** Attached where Galley attached it, and described as Galley described it. */
const isUntouched = (file: MediaRecord, postId: number, kept: MediaRecord | undefined): boolean =>
  file.status !== 'trash' && file.post === postId && (kept === undefined || file.altText === kept.altText)

async function read(pool: Pool, deliveryId: string): Promise<Suspect | null> {
  const { rows } = await pool.query<Suspect>(
    `SELECT d.id, d.account_id, d.site_id, d.document_id, d.post_id, d.post_type, d.ambiguous_at, coalesce(
       (SELECT json_agg(json_build_object('marker', m.marker, 'media_id', m.media_id))
        FROM delivery_media m WHERE m.delivery_id = d.id AND m.intent_at IS NOT NULL), '[]') AS media
     FROM delivery d
     WHERE d.id = $1 AND d.ambiguous_at IS NOT NULL AND d.post_id IS NOT NULL AND d.status IN ('delivered', 'held', 'failed')`,
    [deliveryId],
  )
  return rows[0] ?? null
}

/** Not when something ambiguous has happened since. */
async function close(pool: Pool, { id, ambiguous_at }: Suspect, removed: string[]): Promise<void> {
  await pool.query(
    `WITH closed AS (
       UPDATE delivery SET ambiguous_at = NULL WHERE id = $1 AND ambiguous_at = $2 RETURNING id
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'tidy', 'removed', $3 FROM closed WHERE $3 <> ''`,
    [id, ambiguous_at, removed.join(', ')],
  )
}

async function again({ pool, timing }: TidyContext, { id, account_id, site_id }: Suspect): Promise<void> {
  await pool.query(
    `SELECT graphile_worker.add_job('tidy', json_build_object('deliveryId', $1::uuid),
       queue_name => ${siteQueue('$4::uuid', '$2::uuid')},
       run_at => now() + $3::float8 * interval '1 millisecond', job_key => 'tidy:' || $1)`,
    [id, site_id, timing.tidyAfterMs, account_id],
  )
}
