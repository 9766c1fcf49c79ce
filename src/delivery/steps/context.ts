import { Readable } from 'node:stream'
import type { Pool } from 'pg'
import type { Document, NormalisedDocument } from '../../blocks/document.ts'
import type { ByteBudget, ByteLease, Semaphore } from '../../bytes/budget.ts'
import type { DeliveryRequest, OnLoss } from '../../contract/delivery.ts'
import { decodeDataUrl } from '../../contract/payload.ts'
import { GalleyError, type Warning } from '../../errors.ts'
import type { Timing } from '../../jobs/heartbeat.ts'
import { monotonicNow } from '../../lib/monotonic-clock.ts'
import type { Outbound } from '../../outbound/outbound.ts'
import { escapeAngleBrackets } from '../../render/escape.ts'
import type { DeliverySite } from '../../sites/connection.ts'
import type { AskUpstream } from '../../upstream/ask.ts'
import type { WordPressClient } from '../../wordpress/client/client.ts'
import { isSameHost } from '../../wordpress/discover/address.ts'
import type { FileSources, FindStoredFile } from '../../wordpress/media/download.ts'
import { getPost } from '../../wordpress/posts/find.ts'
import type { PostRecord } from '../../wordpress/types.ts'
import { heldForDeletion, heldForTrash } from '../holds.ts'
import type { Progress } from '../ledger/failure.ts'
import type { Ledger } from '../ledger/ledger.ts'
import { isBeingRemoved, type SiteResource } from '../ledger/ownership.ts'
import type { DeliveryRow } from '../ledger/state.ts'
import type { EventSource } from '../ledger/wanted-event.ts'
import { rememberedMembers, snapshotOf } from '../post-snapshot.ts'

/** What deliveries are made with in this process. */
export interface DeliveryServices {
  pool: Pool
  outbound: Outbound
  /** The files that Galley itself keeps: their addresses may lead to this machine, where no request is let through. */
  findStored: FindStoredFile
  /** For sources that have their documents confirmed. */
  askUpstream: AskUpstream
  budget: ByteBudget
  timing: Timing
}

/** One claimed delivery and all its steps need. */
export interface Delivering {
  /** As claimed, and kept up with what the ledger writes. */
  readonly row: DeliveryRow
  readonly ledger: Ledger
  readonly site: DeliverySite
  /** For what makes or changes the post and its media: sends nothing once the claim may have passed on. */
  readonly writer: WordPressClient
  readonly outbound: Outbound
  readonly findStored: FindStoredFile
  /** REST base of the post's type: as reserved, or as the site says. Reserve settles it. */
  postType: string
  /** REST base of the type that the document or the site names now. */
  wantedType: string
  /** Code of the post's language, on a site with several. */
  language: string | undefined
  readonly document: Document
  slug: string
  /** With its source's defaults, and within its limits. */
  readonly wanted: DeliveryRequest
  readonly source: EventSource
  /** What this delivery will be among the posts of its document that name the first. */
  readonly canonical: DeliveryRow['canonical']
  readonly warnings: Warning[]
  /** What to do where {@link warnings} has a loss: as a person chose, or the document, its source or the site says. */
  readonly onLoss: OnLoss
  /** Attachments that were gone right after the post was filled, and are put back. */
  readonly lostMedia: ReadonlySet<number>
  readonly untouchedMs: Timing['untouchedMs']
  readonly fillWithinMs: Timing['fillWithinMs']
  /** This site did not keep the footnotes in their meta: they stand in the text. */
  readonly footnotesRefused?: true
  /** What the document holds of the budget of bytes. */
  readonly room: ByteLease
  readonly progress: Progress
}

/** The title under which a post is reserved: without markup, as a reader sees it. */
export const reservedTitle = ({ title }: Delivering['document']): string => escapeAngleBrackets(title)

/** Where a post is read: as its site says, or by its number, which WordPress takes for any post. */
export const postUrl = ({ url }: Pick<DeliverySite, 'url'>, { id, link }: PostRecord): string =>
  link ?? `${url}/?p=${id}`

/** A site that says its post is on a host which nobody knows to be its own. */
export function foreignUrlWarning(
  { name, addresses }: Pick<DeliverySite, 'name' | 'addresses'>,
  { link }: PostRecord,
): Warning[] {
  if (link === null || addresses.some((known) => isSameHost(known, link))) return []
  return [
    {
      code: 'post_address_elsewhere',
      message: `${name} says that this post is at ${link}, which is another host. Check that address before you pass it on.`,
    },
  ]
}

/** What the ledger keeps of a post that is this delivery's. */
export const postPatch = ({ site, postType }: Delivering, post: PostRecord) => ({
  post_id: post.id,
  post_type: postType,
  post_url: postUrl(site, post),
  post_edit_url: `${site.installedAt}/wp-admin/post.php?post=${post.id}&action=edit`,
  post_status: post.status,
  answered: snapshotOf(post),
})

export interface ObservedPost {
  post: PostRecord
  /** Until then (`monotonicNow()`) nobody but this delivery is taken to have touched it. */
  until: number
}

/** How it was seen: in the answer that this attempt's own request made it by, or by a look at what stood. */
type ObservationKind = keyof Timing['untouchedMs']

/** @param asked when the request left (`monotonicNow()`): what happens while its answer is on the way is not in it */
export const observedPost = (
  { untouchedMs }: Pick<Delivering, 'untouchedMs'>,
  post: PostRecord,
  { seen, asked }: { seen: ObservationKind; asked: number },
): ObservedPost => ({ post, until: asked + untouchedMs[seen] })

/** Of a post that may have been touched since. */
export const stale = (post: PostRecord): ObservedPost => ({ post, until: 0 })

/** The post as it stands. @throws GalleyError held where it was trashed or deleted */
export async function loadStandingPost(
  { site, postType, row }: Pick<Delivering, 'site' | 'postType' | 'row'>,
  id: number,
): Promise<PostRecord> {
  const members = rememberedMembers(row.answered)
  const post = await getPost(site.client, { postType, id, members })
  if (post === null) throw heldForDeletion(site.name, id)
  if (post.status === 'trash') throw heldForTrash(site.name, id)
  return post
}

/**
 * The post as it stands: as it was seen a moment ago, in which no person can have worked on it, else by a fresh look.
 * @throws GalleyError held where it was trashed or deleted
 */
export const currentPost = async (
  delivering: Pick<Delivering, 'site' | 'postType' | 'row'>,
  { post, until }: ObservedPost,
): Promise<PostRecord> => (monotonicNow() < until ? post : loadStandingPost(delivering, post.id))

/** What was found under a marker may be an earlier request's, and go. @throws `marker_taken` while Galley removes it */
export async function assertNotBeingRemoved(
  { ledger, site }: Pick<Delivering, 'ledger' | 'site'>,
  standing: SiteResource,
  marker: string,
): Promise<void> {
  if (!(await isBeingRemoved(ledger.pool, ledger.id, standing))) return
  throw new GalleyError({
    code: 'marker_taken',
    message: `An earlier request for this document left something behind on ${site.name}, with the slug ${marker}, and Galley is removing it. You need not do anything: this delivery continues by itself within a few minutes.`,
    fault: 'delivery',
    action: 'retry',
  })
}

/** Where files are found, and what those in memory count against. */
export interface BudgetedSources extends FileSources {
  files: Semaphore
}

/** The same sources, which find the files that a document brings inside itself too. */
export const withInlineFiles = (
  { inlineFiles }: Pick<NormalisedDocument, 'inlineFiles'>,
  { outbound, findStored, files }: BudgetedSources,
): FileSources => ({
  outbound,
  async findStored(address) {
    const url = inlineFiles.get(address)
    if (url === undefined) return findStored(address)
    const { type, bytes: body } = decodeDataUrl(url)
    return {
      type,
      bytes: body.length,
      open: async () => Readable.from([body]),
      async hold() {
        const lease = await files.take(body.length)
        return { body, release: () => lease.release() }
      },
    }
  },
})
