import type { Pool } from 'pg'
import { type ByteBudget, type ByteLease, DOCUMENT_MEMORY_FACTOR } from '../../bytes/index.ts'
import { isWireObject } from '../../contract/normalise/fields.ts'
import { parseJsonBody } from '../../contract/payload.ts'
import { toWarnings } from '../../contract/unknown-members.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import { type BudgetedDocument, fetchWithinBudget, type UpstreamClient } from '../../upstream/ask.ts'
import { parseWebhook } from '../../webhook/parse.ts'
import type { WordPressClient } from '../../wordpress/client/index.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'
import { getPost } from '../../wordpress/posts/index.ts'
import { heldForDeletion, heldForRemoval, heldForTrash } from '../holds.ts'
import type { Progress } from '../ledger/failure.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import { storeConfirmed, type WantedEvent, wantedEvent } from '../ledger/wanted-event.ts'
import { findDeletedMedia, mergeWarnings } from './attachments.ts'
import { type Delivering, type ObservedPost, stale } from './context.ts'
import { desiredFields, limitedBySource } from './fields.ts'
import { fill } from './fill.ts'
import { deliverMedia, type PlacedMedia } from './media.ts'
import { adoptForgottenPost } from './own-post.ts'
import { reserve } from './reserve.ts'
import { type ResolvedTerms, recheckTerms, resolveDeliveryTerms } from './terms.ts'
import { type FilledPost, verifyStored } from './verify.ts'

/**
 * Carries one claimed delivery from wherever the ledger says it stands to its post: reserve → terms → media →
 * fill → verify. Every step may be repeated; what an earlier attempt did is found and used.
 *
 * @throws whatever stopped it; `settle.ts` decides what follows
 */
export async function deliver(delivering: Delivering): Promise<void> {
  const seen = await reserve(delivering)
  let { post } = seen
  try {
    const ids = await resolveDeliveryTerms(delivering, post)
    let written = await write(delivering, seen, ids)
    const earlier = written.filled && (await adoptForgottenPost(delivering, written.filled))
    if (earlier !== null) {
      post = earlier
      written = await write(delivering, stale(post), ids)
    }
    const lost = await findDeletedMedia(delivering.site.client, unverifiedMedia(written))
    const anew = written.filled && (await recheckTerms(delivering, ids, written.filled))
    if (lost.size > 0 || anew !== null)
      await writeAgain({ ...delivering, lostMedia: lost }, stale(post), anew ?? ids)
    delivering.progress.finish()
  } catch (error) {
    if (error instanceof GalleyError && MAYBE_DELETED.has(error.code))
      await throwIfDeleted(delivering, { ...seen, post })
    throw error
  }
}

/** What a delivery has written to its post. */
interface WriteResult {
  files: PlacedMedia
  /** Null where the post said all of it already. */
  filled: FilledPost | null
}

/** Brings the files into the library, or finds them there, fills the post with what shows them, and verifies it. */
async function write(delivering: Delivering, seen: ObservedPost, ids: ResolvedTerms): Promise<WriteResult> {
  const files = await deliverMedia(delivering, seen.post.id)
  // As the next attempt would, had it ended this one.
  const now = files.failedOnce ? await reserve(delivering) : seen
  const filled = await fill(delivering, now, desiredFields(delivering, ids, files))
  if (filled !== null) await verifyStored(delivering, filled)
  return { files, filled }
}

/**
 * Of the files of a post just filled, those that somebody may have deleted: all but what this attempt has brought
 * there a moment ago, unless WordPress did not set the featured image, which says that one is gone.
 */
function unverifiedMedia({ files: { records, untouched }, filled }: WriteResult): number[] {
  const ids = [...records.values()].map(({ id }) => id)
  const { featuredMedia } = filled?.sent ?? {}
  if (featuredMedia !== undefined && filled?.post.featuredMedia !== featuredMedia) return ids
  return ids.filter((id) => monotonicNow() >= (untouched.get(id) ?? 0))
}

/** A post must not end with a picture that somebody deleted between its upload and the fill, or without a term that there is. */
async function writeAgain(delivering: Delivering, seen: ObservedPost, ids: ResolvedTerms): Promise<void> {
  const { warnings } = delivering
  const first = warnings.splice(0)
  await write(delivering, seen, ids)
  warnings.push(...mergeWarnings(first, warnings.splice(0)))
}

/** What WordPress says to a write about a post that somebody has just deleted: it has no such post to give rights on. */
const MAYBE_DELETED: ReadonlySet<string> = new Set<FailureCode>([
  'post_gone',
  'rights_missing',
  'cannot_upload',
  'field_refused',
  'request_refused',
])

async function throwIfDeleted(
  { site, postType }: Delivering,
  { post: { id }, until }: ObservedPost,
): Promise<void> {
  const post = await getPost(site.client, { postType, id })
  if (post === null && monotonicNow() < until) throw heldForRemoval(site.name, id, post)
  if (post === null) throw heldForDeletion(site.name, id)
  if (post.status === 'trash') throw heldForTrash(site.name, id)
}

interface PrepareContext {
  pool: Pool
  outbound: Outbound
  findStored: FindStoredFile
  /** For sources that have their documents confirmed. */
  upstreams: UpstreamClient
  budget: ByteBudget
  timing: Timing
  /** The failure of the site since this delivery was claimed, because of which nothing is sent; null for none. */
  justFailed: () => GalleyError | null
  progress: Progress
  /** Where what is noticed on the way is gathered. */
  warnings: Warning[]
}

/**
 * Reads the wanted event back, confirmed where its source wants that, and makes it ready for {@link deliver}. Whoever
 * asked for it releases its room.
 */
export async function prepare(
  context: PrepareContext,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
): Promise<Delivering> {
  const room = await reserveDocumentMemory(context, row)
  try {
    const event = await wantedEvent(context.pool, row)
    const { body } = event ?? {}
    if (!event || !body) throw unreadableEvent('its document was removed by the retention setting')
    if (!event.unconfirmed) return { ...readEvent(context, row, ledger, site, { ...event, body }), room }
    room.release()
    const confirmed = await confirmWithSource(context, { row, ledger }, { ...event, body })
    return prepareWithMemory(confirmed.room, () =>
      readEvent(context, row, ledger, site, { ...event, body: confirmed.body }),
    )
  } catch (error) {
    room.release()
    throw error
  }
}

function prepareWithMemory(room: ByteLease, read: () => Omit<Delivering, 'room'>): Delivering {
  try {
    return { ...read(), room }
  } catch (error) {
    room.release()
    throw error
  }
}

function readEvent(
  { outbound, findStored, timing, justFailed, progress, warnings }: PrepareContext,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
  { body, source }: WantedEvent & { body: Buffer },
): Omit<Delivering, 'room'> {
  const json: unknown = parseJsonBody(body)
  const parsed = parseWebhook(json)
  if (!parsed.ok)
    throw unreadableEvent(parsed.issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
  const { event, normalised } = parsed
  if (event.event !== 'document.completed' || event.delivery === undefined || normalised === undefined)
    throw unreadableEvent('its event does not name a delivery')
  const { document, warnings: odd } = normalised
  const { wanted, limited } = limitedBySource(source, event.delivery, json)
  warnings.push(...toWarnings(parsed.ignored), ...odd, ...limited)
  return {
    row,
    ledger,
    site,
    writer: fencedClient(site.client, ledger, timing, justFailed),
    outbound,
    findStored,
    postType: postTypeForEvent(row, site),
    document,
    wanted,
    source,
    warnings,
    lostMedia: new Set(),
    untouchedMs: timing.untouchedMs,
    fillWithinMs: timing.fillWithinMs,
    progress,
  }
}

/** That of the post which may stand already; or the one that the site's settings name now. */
const postTypeForEvent = (
  { post_id, reserve_intent_at, post_type }: DeliveryRow,
  { settings }: DeliverySite,
): string => (post_id === null && reserve_intent_at === null ? null : post_type) ?? settings.post_type

const unreadableEvent = (why: string): GalleyError =>
  new GalleyError({
    code: 'document_unreadable',
    message: `This delivery cannot go on: ${why}. Send the document again.`,
    fault: 'delivery',
    action: 'permanent',
  })

/**
 * Waits until there is memory for a document and all that is made of it, before it is read. Each delivery by itself: one
 * that waits keeps nobody who was claimed with it.
 *
 * @throws GalleyError `memory_busy`
 */
const reserveDocumentMemory = (
  { budget }: { budget: ByteBudget },
  { document_bytes }: Pick<DeliveryRow, 'document_bytes'>,
): Promise<ByteLease> => budget.documents.take(document_bytes * DOCUMENT_MEMORY_FACTOR)

/**
 * A client whose requests leave only while the claim is fresh. The fence keeps a worker that slept from writing to the
 * ledger; this keeps it from writing to the site: what it had ready when it fell asleep stays unsent. Nor do they leave for
 * a site that has just failed for good.
 *
 * @param justFailed that failure, or null; always null for who is to find out whether the site works again
 */
function fencedClient(
  client: WordPressClient,
  ledger: Ledger,
  { deadAfterS }: Timing,
  justFailed: () => GalleyError | null,
): WordPressClient {
  const beforeSend = () => {
    // The others wait longer than this before they take over.
    if (ledger.silence > (deadAfterS * 1000 * 2) / 3) throw leaseSilent()
    const failure = justFailed()
    if (failure !== null) throw failure
  }
  return client.with({ beforeSend })
}

const leaseSilent = (): GalleyError =>
  new GalleyError({
    code: 'process_stalled',
    message:
      'Galley was held up before it could write to the site, so it first checks whether another process has taken over. It tries again by itself.',
    fault: 'galley',
    action: 'retry',
  })

interface ConfirmContext {
  pool: Pool
  budget: ByteBudget
  upstreams: UpstreamClient
  progress: Progress
}

/**
 * Asks the upstream of the event's source for the document that a webhook announced, and stores what it answers: that is
 * delivered, in this attempt and in every later one. Of the webhook nothing is believed but which document it is about,
 * and where that goes; the site has not been asked anything yet.
 *
 * @throws GalleyError what the upstream says instead (src/upstream/failures.ts); `memory_busy`
 */
async function confirmWithSource(
  context: ConfirmContext,
  { row, ledger }: { row: DeliveryRow; ledger: Ledger },
  { source, body: announced }: WantedEvent & { body: Buffer },
): Promise<BudgetedDocument> {
  context.progress.confirm()
  const question = {
    source: { accountId: row.account_id, id: source.id },
    documentId: row.document_id,
    delivery: announcedDelivery(announced),
  }
  const confirmed = await fetchWithinBudget(context, question, row.document_bytes)
  try {
    await ledger.record('confirm', 'confirmed', `the upstream of ${source.name} has this document`)
    await storeConfirmed(context.pool, row, confirmed)
    return confirmed
  } catch (error) {
    confirmed.room.release()
    throw error
  }
}

/** As it was sent. The event was understood when it came, so that it is JSON, and no deeper than it may be. */
function announcedDelivery(announced: Buffer): object | null {
  const json: unknown = parseJsonBody(announced)
  return isWireObject(json) && isWireObject(json.delivery) ? json.delivery : null
}
