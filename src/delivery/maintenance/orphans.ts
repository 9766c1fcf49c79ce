import type { Pool } from 'pg'
import { execute } from '../../database/statement.ts'
import { GalleyError } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { enqueue } from '../../jobs/job.ts'
import type { Logger } from '../../log/log.ts'
import type { DeliverySite, SiteId } from '../../sites/connection.ts'
import { deleteMedia, findMediaVariants } from '../../wordpress/media/library.ts'
import { deletePost, findPostVariants } from '../../wordpress/posts/find.ts'
import { isEmptyPost } from '../../wordpress/posts/write.ts'
import type { MediaRecord, PostRecord } from '../../wordpress/types.ts'
import { orphansJob } from '../jobs.ts'
import {
  endRemoval,
  findMediaHolder,
  IS_SETTLED,
  isPostOfOtherDelivery,
  postMarker,
  type SiteResource,
  startRemoval,
} from '../ledger/ownership.ts'
import type { DeliveryRow } from '../ledger/state.ts'

export interface OrphanContext {
  pool: Pool
  log: Logger
  timing: Timing
  /** The site that waits for its orphans to be reconciled; null where it is not connected, which it may be again, `rests` while nothing is to be sent to it. */
  siteOf(site: SiteId): Promise<DeliverySite | 'rests' | null>
}

interface Suspect extends Pick<DeliveryRow, 'id' | 'account_id' | 'site_id' | 'document_id' | 'fence'> {
  post_id: number
  post_type: string
  ambiguous_at: Date
  media: { marker: string; media_id: number | null }[]
}

/**
 * Removes what a site finished after everybody had stopped listening: a post with our marker, or that and a number, which holds a title
 * and nothing else; a file likewise. What a person has written in stays.
 */
export async function reconcileOrphans(
  context: OrphanContext,
  { deliveryId, tries }: { deliveryId: string; tries: number },
): Promise<void> {
  const suspect = await loadSuspect(context.pool, deliveryId)
  // Without a post of its own it is not done yet; its next settlement plans another look.
  if (suspect === null) return
  const site = await context.siteOf({ accountId: suspect.account_id, id: suspect.site_id })
  if (site === null) return retryLater(context, suspect, tries, 'the site is no longer connected')
  if (site === 'rests') return retryLater(context, suspect, tries)
  try {
    const removed: string[] = []
    for await (const orphan of findOrphans(context.pool, site, suspect))
      if (await remove(context.pool, suspect, orphan)) removed.push(`${orphan.kind} ${orphan.id}`)
    await closeSuspect(context.pool, suspect, removed)
  } catch (error) {
    if (error instanceof DeliveryUnderWay) return
    if (error instanceof MaybeOtherDelivery)
      return retryLater(context, suspect, tries, 'another delivery of this document was under way')
    if (!(error instanceof GalleyError)) throw error
    context.log.warn(
      { delivery: deliveryId, code: error.code },
      'cleaning up a site is postponed: it does not answer',
    )
    await retryLater(context, suspect, tries)
  }
}

/** The delivery is being made anew: its next settlement plans another look. */
class DeliveryUnderWay extends Error {}

/** Another delivery of the document may have made what was found, and does not know of it yet. */
class MaybeOtherDelivery extends Error {}

interface Orphan extends SiteResource {
  /** Who has it; `unknown` where another may have made it and not heard of it yet. */
  holder(): Promise<'nobody' | 'another' | 'unknown'>
  send(): Promise<void>
}

/**
 * Removes what nobody has. The removal is written down first: who adopts the thing for another delivery afterwards hears of it.
 * @returns whether it is removed @throws DeliveryUnderWay, MaybeOtherDelivery
 */
async function remove(pool: Pool, suspect: Suspect, orphan: Orphan): Promise<boolean> {
  if (!(await startRemoval(pool, suspect, orphan))) throw new DeliveryUnderWay()
  const held = await orphan.holder()
  // Where its answer is lost, the site may do it later: the intent stands until that is over.
  if (held === 'nobody') await orphan.send()
  await endRemoval(pool, suspect.id, orphan)
  if (held === 'unknown') throw new MaybeOtherDelivery()
  return held === 'nobody'
}

/** One after the other: the next is looked for when the one before is removed, or left. */
async function* findOrphans(pool: Pool, { client }: DeliverySite, suspect: Suspect): AsyncGenerator<Orphan> {
  const { post_id: ours, post_type: postType, media } = suspect
  const posts = await findPostVariants(client, { postType, marker: postMarker(suspect) })
  /** As Galley makes it: nobody has put anything into it. */
  const isBareReserve = (post: PostRecord) => post.id !== ours && post.status === 'draft' && isEmptyPost(post)
  for (const post of posts.filter(isBareReserve))
    yield {
      kind: 'post',
      id: post.id,
      // Taken over by a site that was connected under another id.
      holder: async () =>
        (await isPostOfOtherDelivery(pool, suspect.id, post, postType)) ? 'another' : 'nobody',
      send: () => deletePost(client, { postType, id: post.id }),
    }
  for (const { marker, media_id: kept } of media) {
    const files = await findMediaVariants(client, marker)
    const known = files.find(({ id }) => id === kept)
    for (const file of files.filter((file) => file.id !== kept && isUntouched(file, ours, known)))
      yield {
        kind: 'attachment',
        id: file.id,
        holder: () => findMediaHolder(pool, suspect.id, file, marker),
        send: () => deleteMedia(client, { id: file.id }),
      }
  }
}

/** Attached where Galley attached it, and described as Galley described it. */
const isUntouched = (file: MediaRecord, postId: number, kept: MediaRecord | undefined): boolean =>
  file.post === postId && (kept === undefined || file.altText === kept.altText)

async function loadSuspect(pool: Pool, deliveryId: string): Promise<Suspect | null> {
  const { rows } = await pool.query<Suspect>(
    `SELECT d.id, d.account_id, d.site_id, d.document_id, d.post_id, d.post_type, d.ambiguous_at, d.fence, coalesce(
       (SELECT json_agg(json_build_object('marker', m.marker, 'media_id', m.media_id))
        FROM delivery_media m WHERE m.delivery_id = d.id AND m.intent_at IS NOT NULL), '[]') AS media
     FROM delivery d
     WHERE d.id = $1 AND d.ambiguous_at IS NOT NULL AND d.post_id IS NOT NULL AND ${IS_SETTLED}`,
    [deliveryId],
  )
  return rows[0] ?? null
}

/** Not when something ambiguous has happened since. */
async function closeSuspect(pool: Pool, { id, ambiguous_at }: Suspect, removed: string[]): Promise<void> {
  await execute(
    pool,
    `WITH closed AS (
       UPDATE delivery SET ambiguous_at = NULL WHERE id = :id AND ambiguous_at = :ambiguousAt RETURNING id
     )
     INSERT INTO delivery_step (delivery_id, step, outcome, detail)
     SELECT id, 'orphans', 'removed', :removed FROM closed WHERE :removed <> ''`,
    { id, ambiguousAt: ambiguous_at, removed: removed.join(', ') },
  )
}

/** Times a site is looked at before its late posts are left to people: at twice the distance each time, two days in all. */
const MAX_TRIES = 8

async function retryLater(
  { pool, timing }: OrphanContext,
  suspect: Suspect,
  tries: number,
  why = 'the site could not be looked at',
): Promise<void> {
  if (tries + 1 < MAX_TRIES) {
    const wait = timing.orphansAfterMs * 2 ** (tries + 1)
    return enqueue(pool, orphansJob, { deliveryId: suspect.id, tries: tries + 1 }, wait)
  }
  // A retry of the delivery begins anew.
  const told = `${why}; there may be another draft with the slug ${postMarker(suspect)}, or with that and a number`
  await execute(
    pool,
    `INSERT INTO delivery_step (delivery_id, step, outcome, detail) VALUES (:id, 'orphans', 'given_up', :told)`,
    { id: suspect.id, told },
  )
}
