import { isWireObject } from '../../blocks/wire.ts'
import { DOCUMENT_MEMORY_FACTOR } from '../../bytes/budget.ts'
import { limitStatus, withCanonical } from '../../contract/delivery.ts'
import { parseJsonBody } from '../../contract/payload.ts'
import { nameDocument } from '../../contract/scalars.ts'
import { readWebhook, toWarnings } from '../../contract/webhook.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import type { BudgetedDocument } from '../../upstream/ask.ts'
import { lossesOf } from '../../warnings.ts'
import type { WordPressClient } from '../../wordpress/client/client.ts'
import type { FailureCode } from '../../wordpress/failures/catalogue.ts'
import { hasFootnotes } from '../../wordpress/footnotes.ts'
import { expectedSlug, reachableSlug } from '../../wordpress/posts/slugs.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import { heldForRemoval, isSlugOurs, unreadableFormat } from '../holds.ts'
import { findFirstPublic } from '../ledger/canonical.ts'
import type { Progress } from '../ledger/failure.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import { storeConfirmed, type WantedEvent, wantedEvent } from '../ledger/wanted-event.ts'
import { fillAgain, findDeletedMedia } from './attachments.ts'
import { isCanonicalAlone, setCanonical } from './canonical.ts'
import {
  type Delivering,
  type DeliveryServices,
  loadStandingPost,
  type ObservedPost,
  stale,
  withInlineFiles,
} from './context.ts'
import {
  desiredFields,
  isBeyondReview,
  proposedSlug,
  withOwnFields,
  withSiteDefaults,
  withUnreadEmbargo,
} from './fields.ts'
import { fill } from './fill.ts'
import { draftForLoss, holdForEmbargo, holdForLosses } from './losses.ts'
import { deliverMedia, type PlacedMedia } from './media.ts'
import { adoptForgottenPost } from './own-post.ts'
import { reserve } from './reserve.ts'
import { resolveLanguage, resolvePostType } from './resolve-fields.ts'
import { type ResolvedTerms, recheckTerms, resolveDeliveryTerms } from './terms.ts'
import { type FilledPost, verifyStored } from './verify.ts'

/**
 * Carries one claimed delivery from wherever it stands to its post: reserve → terms → media → fill → verify. Every step may be
 * repeated; what an earlier attempt did is found and used. @throws whatever stopped it; `settle.ts` decides what follows
 */
export async function deliver(delivering: Delivering): Promise<void> {
  if (isCanonicalAlone(delivering.row)) return setCanonical(delivering)
  holdForEmbargo({ ...delivering, decided: delivering.row.on_loss })
  holdForLosses(delivering)
  if (delivering.wanted.fields.language !== undefined) delivering.language = await resolveLanguage(delivering)
  await settlePostType(delivering)
  const expected = slugOfNewPost(delivering)
  const seen = await reserve(delivering).finally(() => expected)
  let { post } = seen
  try {
    const ids = await resolveDeliveryTerms(delivering, post)
    await settleSlug(delivering, post, await expected)
    let written = await write(delivering, seen, ids)
    const earlier = written.filled && (await adoptForgottenPost(delivering, written.filled))
    if (earlier !== null) {
      post = earlier
      written = await writeAgain(delivering, stale(post), ids)
    }
    const lost = await findDeletedMedia(delivering.site.client, unverifiedMedia(written))
    const anew = written.filled && (await recheckTerms(delivering, ids, written.filled))
    if (lost.size > 0 || anew !== null)
      await writeAgain({ ...delivering, lostMedia: lost }, stale(post), anew ?? ids)
  } catch (error) {
    if (error instanceof GalleyError && MAYBE_DELETED.has(error.code))
      await throwIfDeleted(delivering, { ...seen, post })
    throw error
  }
}

/** The type that the document names, unless its post may stand already, which keeps its own. */
async function settlePostType(delivering: Delivering): Promise<void> {
  const { row, site, warnings, wanted } = delivering
  if (wanted.fields.post_type === undefined) return
  delivering.progress.step = 'reserve'
  delivering.wantedType = await resolvePostType(delivering)
  if (!mayHavePost(row)) delivering.postType = delivering.wantedType
  else if (row.post_id !== null && row.post_type !== delivering.wantedType)
    warnings.push({
      code: 'post_type_kept',
      message: `Post ${row.post_id} on ${site.name} keeps the type ${row.post_type}: Galley does not change the type of an existing post.`,
    })
}

/** Looks the slug up while the post is made, which saves a request's time; null where it is yet to be looked up. */
async function slugOfNewPost(delivering: Delivering): ReturnType<typeof expectedSlug> {
  const { row, site, slug } = delivering
  return !mayHavePost(row) && slug !== ''
    ? expectedSlug(site.client, delivering, slug).catch(() => null)
    : null
}

/** Settles the slug before anything is public under it. One that readers know, or a person set, stays as it is. */
async function settleSlug(
  delivering: Delivering,
  post: PostRecord,
  expected: Awaited<ReturnType<typeof expectedSlug>>,
): Promise<void> {
  const { row, site, postType, warnings } = delivering
  if (!isSlugOurs(row, post) || delivering.slug === '') return
  const prefix = post.addressPrefix
  const reachable =
    expected?.prefix === prefix
      ? expected.reachable
      : await reachableSlug(site.client, { postType, prefix }, delivering.slug)
  delivering.slug = reachable.slug
  warnings.push(...reachable.warnings)
}

interface WriteResult {
  files: PlacedMedia
  filled: FilledPost | null
}

/** Brings the files into the library, or finds them there, fills the post with what shows them, and verifies it. */
async function write(delivering: Delivering, seen: ObservedPost, ids: ResolvedTerms): Promise<WriteResult> {
  const files = await deliverMedia(delivering, seen.post.id)
  // As the next attempt would, had it ended this one.
  const now = files.failedOnce ? await reserve(delivering) : seen
  const hasPlace = now.post.footnotes !== null && delivering.footnotesRefused === undefined
  const asked = { ...delivering, now: delivering.ledger.now() }
  const fields = desiredFields(asked, ids, files, hasPlace)
  const filled = await fillAndVerify(delivering, now, fields)
  if (filled?.sent.content !== undefined && !hasFootnotes(fields.footnotes ?? '', filled.post.footnotes))
    return writeAgain({ ...delivering, footnotesRefused: true }, stale(filled.post), ids)
  return { files, filled: (await settleLosses(delivering, filled?.post ?? now.post, fields)) ?? filled }
}

async function fillAndVerify(delivering: Delivering, seen: ObservedPost, fields: PostFields) {
  const filled = await fill(delivering, seen, fields)
  if (filled !== null) await verifyStored(delivering, filled)
  return filled
}

/** Gives a post without losses the status that was withheld. @returns that fill, if any @throws GalleyError held */
async function settleLosses(delivering: Delivering, post: PostRecord, fields: PostFields) {
  const { onLoss, warnings, wanted } = delivering
  if (onLoss === 'publish') return null
  holdForLosses(delivering, post, true)
  if (wanted.postStatus === 'draft' || isBeyondReview(post.status)) return null
  const losses = lossesOf(warnings)
  if (losses.length > 0) {
    warnings.push(draftForLoss(wanted.postStatus, losses))
    return null
  }
  return fillAgain(warnings, () => fillAndVerify({ ...delivering, onLoss: 'publish' }, stale(post), fields))
}

/** Files that somebody may have deleted: all but this attempt's own, unless WordPress did not set the featured image. */
function unverifiedMedia({ files: { records, untouched }, filled }: WriteResult): number[] {
  const ids = [...records.values()].map(({ id }) => id)
  const { featuredMedia } = filled?.sent ?? {}
  if (featuredMedia !== undefined && filled?.post.featuredMedia !== featuredMedia) return ids
  return ids.filter((id) => monotonicNow() >= (untouched.get(id) ?? 0))
}

/** A post must not end with a picture that somebody deleted between its upload and the fill, or without a term that there is. */
const writeAgain = (delivering: Delivering, seen: ObservedPost, ids: ResolvedTerms): Promise<WriteResult> =>
  fillAgain(delivering.warnings, () => write(delivering, seen, ids))

/** What WordPress says to a write about a post that somebody has just deleted: it has no such post to give rights on. */
const MAYBE_DELETED: ReadonlySet<string> = new Set<FailureCode>([
  'post_gone',
  'rights_missing',
  'cannot_upload',
  'field_refused',
  'request_refused',
])

async function throwIfDeleted(delivering: Delivering, { post: { id }, until }: ObservedPost): Promise<void> {
  await loadStandingPost(delivering, id).catch((error: unknown) => {
    const isDeleted = error instanceof GalleyError && error.code === 'post_deleted'
    throw isDeleted && monotonicNow() < until ? heldForRemoval(delivering.site.name, id, null) : error
  })
}

export interface PrepareContext extends DeliveryServices {
  /** The failure of the site since this delivery was claimed, because of which nothing is sent; null for none. */
  justFailed: () => GalleyError | null
  progress: Progress
  warnings: Warning[]
}

/** Reads the wanted event back for {@link deliver}; whoever asked releases its room. @throws GalleyError `memory_busy` */
export async function prepare(
  context: PrepareContext,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
): Promise<Delivering> {
  // For the document and all that is made of it. Each delivery by itself: one that waits keeps nobody who was claimed with it.
  let room = await context.budget.documents.take(row.document_bytes * DOCUMENT_MEMORY_FACTOR)
  try {
    const event = await wantedEvent(context.pool, row)
    let { body = null } = event ?? {}
    if (!event || !body) throw unreadableEvent('its document was removed by the retention setting')
    if (event.unconfirmed) {
      room.release()
      ;({ body, room } = await confirmWithSource(context, { row, ledger }, { ...event, body }))
    }
    return { ...(await readEvent(context, row, ledger, site, { ...event, body })), room }
  } catch (error) {
    room.release()
    throw error
  }
}

async function readEvent(
  { pool, outbound, findStored, budget, timing, justFailed, progress, warnings }: PrepareContext,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
  { body, source }: WantedEvent & { body: Buffer },
): Promise<Omit<Delivering, 'room'>> {
  const json: unknown = parseJsonBody(body)
  const parsed = await readWebhook(json, { defaults: source.defaults, siteId: row.site_id })
  if (!parsed.ok)
    throw unreadableEvent(parsed.issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
  const { event, normalised } = parsed
  if (event.event !== 'document.completed' || event.delivery === undefined || normalised === undefined)
    throw unreadableEvent('its event does not name a delivery')
  if (parsed.unreadable !== undefined) throw unreadableFormat(parsed.unreadable)
  const { warnings: odd } = normalised
  const { status: postStatus, limited } = limitStatus(source, event.delivery.postStatus)
  const first = event.delivery.followsFirst ? await findFirstPublic(pool, row) : null
  const fields = withCanonical(event.delivery.fields, first?.url)
  const wanted = withSiteDefaults({ ...event.delivery, postStatus, fields }, site)
  const document = withOwnFields(normalised.document, wanted.fields)
  warnings.push(...withUnreadEmbargo(odd, json, wanted, ledger.now()))
  warnings.push(...toWarnings(parsed.ignored), ...limited)
  return {
    row,
    ledger,
    site,
    writer: fencedClient(site.client, ledger, timing, justFailed),
    ...withInlineFiles(normalised, { outbound, findStored, files: budget.files }),
    postType: (mayHavePost(row) ? row.post_type : null) ?? site.settings.post_type,
    wantedType: site.settings.post_type,
    language: site.settings.language ?? undefined,
    document,
    slug: proposedSlug(document),
    wanted,
    source,
    canonical: first?.role ?? null,
    warnings,
    onLoss: row.on_loss ?? wanted.onLoss ?? site.settings.on_loss,
    lostMedia: new Set(),
    untouchedMs: timing.untouchedMs,
    fillWithinMs: timing.fillWithinMs,
    progress,
  }
}

const mayHavePost = ({ post_id, reserve_intent_at }: DeliveryRow): boolean =>
  post_id !== null || reserve_intent_at !== null

const unreadableEvent = (why: string): GalleyError =>
  new GalleyError({
    code: 'document_unreadable',
    message: `This delivery cannot go on: ${why}. Send the document again.`,
    fault: 'delivery',
    action: 'permanent',
  })

/**
 * A client that sends only while the claim is fresh, so that a worker that slept writes nothing; nor to a site that has just failed.
 * @param justFailed that failure, or null; always null for who is to find out whether the site works again
 */
export function fencedClient(
  client: WordPressClient,
  ledger: Ledger,
  { deadAfterS }: Timing,
  justFailed: () => GalleyError | null,
): WordPressClient {
  const beforeSend = () => {
    // The others wait longer than this before they take over.
    if (ledger.silence > (deadAfterS * 1000 * 2) / 3)
      throw new GalleyError({
        code: 'process_stalled',
        message:
          'Galley was held up before it could write to the site, so it first checks whether another process has taken over. It tries again by itself.',
        fault: 'galley',
        action: 'retry',
      })
    const failure = justFailed()
    if (failure !== null) throw failure
  }
  return client.with({ beforeSend })
}

/**
 * Asks the upstream of the source for the document that a webhook announced, and stores the answer for every later attempt. Of the
 * webhook nothing is believed but which document it is about, and where that goes.
 * @throws GalleyError what the upstream says instead (src/upstream/failures.ts); `memory_busy`
 */
async function confirmWithSource(
  context: PrepareContext,
  { row, ledger }: { row: DeliveryRow; ledger: Ledger },
  { source, body: announced }: WantedEvent & { body: Buffer },
): Promise<BudgetedDocument> {
  context.progress.step = 'confirm'
  const question = {
    source: { accountId: row.account_id, id: source.id },
    documentId: idAtSender(row),
    delivery: announcedDelivery(announced),
    expected: row.document_bytes,
  }
  const confirmed = await context.askUpstream(question)
  try {
    await ledger.record('confirm', 'confirmed', `the upstream of ${source.name} has this document`)
    await storeConfirmed(context.pool, row, confirmed)
    return confirmed
  } catch (error) {
    confirmed.room.release()
    throw error
  }
}

/** A reference beside a UUID is a name for people only. */
const idAtSender = ({ account_id, reference, document_id }: DeliveryRow): string =>
  reference !== null && nameDocument(account_id, reference).documentId === document_id
    ? reference
    : document_id

/** As it was sent. The event was understood when it came, so that it is JSON, and no deeper than it may be. */
function announcedDelivery(announced: Buffer): object | null {
  const json: unknown = parseJsonBody(announced)
  return isWireObject(json) && isWireObject(json.delivery) ? json.delivery : null
}
