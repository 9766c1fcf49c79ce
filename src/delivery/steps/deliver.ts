import type { Pool } from 'pg'
import type { ByteBudget, Share } from '../../bytes/index.ts'
import { parseJson } from '../../contract/json.ts'
import { ignoredWarnings } from '../../contract/unknown-members.ts'
import { parseWebhook } from '../../contract/webhook.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/timing.ts'
import type { Outbound } from '../../outbound/index.ts'
import type { DeliverySite } from '../../sites/connected-site.ts'
import { steadyNow } from '../../steady-clock.ts'
import type { Upstreams } from '../../upstream/ask.ts'
import type { FailureCode } from '../../wordpress/failures/index.ts'
import type { FindStoredFile } from '../../wordpress/media/index.ts'
import { getPost } from '../../wordpress/posts/index.ts'
import { heldForDeletion, heldForRemoval, heldForTrash } from '../conflicts/holds.ts'
import { lostMedia, settleWarnings } from '../conflicts/lost-media.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Progress } from '../ledger/phase.ts'
import type { DeliveryRow } from '../ledger/row.ts'
import { type WantedEvent, wantedEvent } from '../ledger/wanted-event.ts'
import { confirm } from './confirm.ts'
import type { Delivering } from './context.ts'
import { adoptEarlier } from './earlier-post.ts'
import { fencedClient } from './fenced-client.ts'
import { fields } from './fields.ts'
import { fill } from './fill.ts'
import { media, type PlacedMedia } from './media.ts'
import { roomForDocument } from './memory.ts'
import { reserve } from './reserve.ts'
import { longAgo, type Sighting } from './sighting.ts'
import { type ResolvedTerms, terms, termsAnew } from './terms.ts'
import { type FilledPost, verify } from './verify.ts'
import { wantedWithin } from './wanted.ts'

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
    const ids = await terms(delivering, post)
    let written = await write(delivering, seen, ids)
    const earlier = written.filled && (await adoptEarlier(delivering, written.filled))
    if (earlier !== null) {
      post = earlier
      written = await write(delivering, longAgo(post), ids)
    }
    const lost = await lostMedia(delivering.site.client, doubtful(written))
    const anew = written.filled && (await termsAnew(delivering, ids, written.filled))
    if (lost.size > 0 || anew !== null)
      await writeAgain({ ...delivering, lostMedia: lost }, longAgo(post), anew ?? ids)
    delivering.progress.finish()
  } catch (error) {
    if (error instanceof GalleyError && GONE_LOOKS_LIKE.has(error.code))
      await throwIfGone(delivering, { ...seen, post })
    throw error
  }
}

/** What a delivery has written to its post. */
interface Written {
  files: PlacedMedia
  /** Null where the post said all of it already. */
  filled: FilledPost | null
}

/** Brings the files into the library, or finds them there, fills the post with what shows them, and verifies it. */
async function write(delivering: Delivering, seen: Sighting, ids: ResolvedTerms): Promise<Written> {
  const files = await media(delivering, seen.post.id)
  // As the next attempt would, had it ended this one.
  const now = files.failedOnce ? await reserve(delivering) : seen
  const filled = await fill(delivering, now, fields(delivering, ids, files))
  if (filled !== null) await verify(delivering, filled)
  return { files, filled }
}

/**
 * Of the files of a post just filled, those that somebody may have deleted: all but what this attempt has brought
 * there a moment ago, unless WordPress did not set the featured image, which says that one is gone.
 */
function doubtful({ files: { records, untouched }, filled }: Written): number[] {
  const ids = [...records.values()].map(({ id }) => id)
  const { featuredMedia } = filled?.sent ?? {}
  if (featuredMedia !== undefined && filled?.post.featuredMedia !== featuredMedia) return ids
  return ids.filter((id) => steadyNow() >= (untouched.get(id) ?? 0))
}

/** A post must not end with a picture that somebody deleted between its upload and the fill, or without a term that there is. */
async function writeAgain(delivering: Delivering, seen: Sighting, ids: ResolvedTerms): Promise<void> {
  const { warnings } = delivering
  const first = warnings.splice(0)
  await write(delivering, seen, ids)
  warnings.push(...settleWarnings(first, warnings.splice(0)))
}

/** What WordPress says to a write about a post that somebody has just deleted: it has no such post to give rights on. */
const GONE_LOOKS_LIKE: ReadonlySet<string> = new Set<FailureCode>([
  'post_gone',
  'rights_missing',
  'cannot_upload',
  'field_refused',
  'request_refused',
])

async function throwIfGone({ site, postType }: Delivering, { post: { id }, until }: Sighting): Promise<void> {
  const post = await getPost(site.client, { postType, id })
  if (post === null && steadyNow() < until) throw heldForRemoval(site.name, id, post)
  if (post === null) throw heldForDeletion(site.name, id)
  if (post.status === 'trash') throw heldForTrash(site.name, id)
}

interface Preparing {
  pool: Pool
  outbound: Outbound
  findStored: FindStoredFile
  /** For sources that have their documents confirmed. */
  upstreams: Upstreams
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
  context: Preparing,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
): Promise<Delivering> {
  const room = await roomForDocument(context, row)
  try {
    const event = await wantedEvent(context.pool, row)
    const { body } = event ?? {}
    if (!event || !body) throw unreadable('its document was removed by the retention setting')
    if (!event.unconfirmed) return { ...readEvent(context, row, ledger, site, { ...event, body }), room }
    room.release()
    const confirmed = await confirm(context, { row, ledger }, { ...event, body })
    return preparedIn(confirmed.room, () =>
      readEvent(context, row, ledger, site, { ...event, body: confirmed.body }),
    )
  } catch (error) {
    room.release()
    throw error
  }
}

function preparedIn(room: Share, read: () => Omit<Delivering, 'room'>): Delivering {
  try {
    return { ...read(), room }
  } catch (error) {
    room.release()
    throw error
  }
}

function readEvent(
  { outbound, findStored, timing, justFailed, progress, warnings }: Preparing,
  row: DeliveryRow,
  ledger: Ledger,
  site: DeliverySite,
  { body, source }: WantedEvent & { body: Buffer },
): Omit<Delivering, 'room'> {
  const json: unknown = parseJson(body)
  const parsed = parseWebhook(json)
  if (!parsed.ok) throw unreadable(parsed.issues.map(({ path, message }) => `${path}: ${message}`).join(' '))
  const { event, normalised } = parsed
  if (event.event !== 'document.completed' || event.delivery === undefined || normalised === undefined)
    throw unreadable('its event does not name a delivery')
  const { document, warnings: odd } = normalised
  const { wanted, limited } = wantedWithin(source, event.delivery, json)
  warnings.push(...ignoredWarnings(parsed.ignored), ...odd, ...limited)
  return {
    row,
    ledger,
    site,
    writer: fencedClient(site.client, ledger, timing, justFailed),
    outbound,
    findStored,
    postType: postTypeOf(row, site),
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
const postTypeOf = (
  { post_id, reserve_intent_at, post_type }: DeliveryRow,
  { settings }: DeliverySite,
): string => (post_id === null && reserve_intent_at === null ? null : post_type) ?? settings.post_type

const unreadable = (why: string): GalleyError =>
  new GalleyError({
    code: 'document_unreadable',
    message: `This delivery cannot go on: ${why}. Send the document again.`,
    fault: 'delivery',
    action: 'permanent',
  })
