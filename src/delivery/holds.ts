import { GalleyError, type Warning } from '../errors.ts'
import type { SiteSettings } from '../sites/settings.ts'
import type { PostFields, PostRecord } from '../wordpress/types.ts'
import { postMarker } from './ledger/ownership.ts'
import type { DeliveryRow } from './ledger/state.ts'
import {
  type ChangedField,
  changedTermsAndImage,
  changedText,
  decisionOf,
  isUnchanged,
  textHash,
} from './post-snapshot.ts'

/** A delivery that waits for a person: why, and what that person can do. */
export const heldError = (code: string, message: string, details?: unknown): GalleyError =>
  new GalleyError({ code, message, fault: 'delivery', action: 'owner', httpStatus: 409, details })

/** A document in a format that is known by its signature and not read: `nodes of Slate`. */
export const unreadableFormat = (format: string): GalleyError =>
  heldError(
    'format_unreadable',
    `The document is ${format}, which Galley does not read, so nothing was published. Send it again as HTML or Markdown, or cancel this delivery.`,
  )

export const heldForTrash = (site: string, postId: number): GalleyError =>
  heldError(
    'post_trashed',
    `Post ${postId} on ${site} was moved to the trash, so Galley leaves it there. Restore it and retry this delivery to go on, or leave it.`,
  )

/** Of a post that Galley has just written: nobody edits that fast. @param now null where it is not even in the trash */
export const heldForRemoval = (site: string, postId: number, now: object | null): GalleyError =>
  now === null
    ? heldError(
        'post_deleted',
        `Post ${postId} on ${site} was gone right after it was saved, so Galley does not create it again. A plugin there that deletes posts, or turns them into posts of another type, is the usual reason: exclude Galley’s posts from it, and send the document under another id if the post is not there as another type.`,
      )
    : heldError(
        'post_trashed',
        `Post ${postId} on ${site} was moved to the trash right as it was saved, so Galley leaves it there. A plugin there that removes posts (as duplicates, or for a word in them) is the usual reason: exclude Galley’s posts from it, restore the post and retry this delivery.`,
      )

export const heldForDeletion = (site: string, postId: number): GalleyError =>
  heldError(
    'post_deleted',
    `Post ${postId} on ${site} was deleted, or turned into one of another type, such as a page, so Galley does not create it again. Nothing more happens to this delivery, unless the post is turned back and the delivery retried.`,
  )

export const heldForReplacement = (site: string, postId: number): GalleyError =>
  heldError(
    'post_replaced',
    `Post ${postId} on ${site} has neither the title nor the address that Galley left there, and little or nothing of the text, or it belongs to another document: it seems to be another post, as on a site that was restored from a backup or at an address that another WordPress has taken. It is left alone, whatever the site's on_changed_post says. Retry this delivery with "overwrite" if the post may be written over.`,
  )

/** Whether a post was saved since Galley's write; `at_once`: sooner than a person can; `older`: shown as it was before. */
type SavedAfterFill = 'yes' | 'at_once' | 'no' | 'older'

export function heldForChange(
  site: string,
  postId: number,
  changes: readonly ChangedField[],
  found: SavedAfterFill | 'by_withdrawal' = 'yes',
): GalleyError {
  const names = changes.map(({ field }) => field).join(', ')
  const [first] = changes
  const seen = first ? ` ${describeChange(first)}` : ''
  const messages = {
    yes: `Somebody changed ${names} of post ${postId} on ${site} since Galley last wrote it, so it is left alone.${seen} Retry this delivery with "overwrite" to replace the change, or set the site's on_changed_post.`,
    at_once: `Something changed ${names} of post ${postId} on ${site} within seconds of Galley saving it, so it is left alone.${seen} Nobody edits that fast, so it was a plugin: exclude Galley’s posts from that plugin, or retry this delivery with "overwrite".`,
    no: `${site} shows another ${names} of post ${postId} than Galley left there, though by its date the post has not been saved since, so it is left alone.${seen} A plugin changes posts right as they are saved, or what the REST API shows of them: exclude Galley’s posts from it, or retry this delivery with "overwrite".`,
    by_withdrawal: `Somebody changed ${names} of post ${postId} on ${site} since Galley last wrote it, so it was not withdrawn.${seen} Withdraw it in WordPress itself, or cancel this.`,
    older: `${site} shows post ${postId} as it was before Galley last wrote it (${names}), so it is left alone.${seen} Either a cache answers in WordPress’s place: exclude /wp-json/ from what it keeps, then retry this delivery. Or the site was put back to an earlier day: retry this delivery with "overwrite" to have the new text there.`,
  }
  return heldError('post_changed', messages[found], { changes })
}

export const heldWithdrawalUndone = (site: string, { id, status }: PostRecord): GalleyError =>
  heldError(
    'withdrawal_undone',
    `Post ${id} on ${site} is “${status}” right after it was withdrawn: a plugin there decides about statuses. Exclude Galley’s posts from it and withdraw it again, or do so in WordPress itself.`,
  )

/** Of terms there are only the ids: what was deleted has no name any more. */
function describeChange({ field, galley, site }: ChangedField): string {
  if (field !== 'categories' && field !== 'tags') return `The ${field} was “${galley}” and is now “${site}”.`
  const ids = (which: string): string => (which === '' ? 'none' : `those with the ids ${which}`)
  return `The ${field} were ${ids(galley)}, and are now ${ids(site)}.`
}

interface EditableDelivery {
  row: DeliveryRow
  site: { name: string; settings: Pick<SiteSettings, 'on_changed_post'> }
  warnings: Warning[]
  lostMedia: ReadonlySet<number>
}

interface AllowedFields {
  fields: PostFields
  /** The text is a person's and stays: only the status is ours to set. */
  statusOnly: boolean
}

/**
 * What may be written to a post without overwriting anybody's work: all of `wanted`, less what a person has decided
 * since Galley last wrote. `before` is the post as it stands.
 * @throws GalleyError `post_changed` where the site holds changed posts (the default)
 */
export function preserveEdits(
  delivering: EditableDelivery,
  before: PostRecord,
  wanted: PostFields,
): AllowedFields {
  const { row, site, warnings } = delivering
  const all = { fields: preserveDecisions(delivering, before, wanted), statusOnly: false }
  const decided = decisionOf(row)
  if (decided === 'overwrite') return all
  const changes = editsSinceFill(delivering, before, wanted)
  if (changes.length === 0) return all

  const policy: SiteSettings['on_changed_post'] = decided ?? site.settings.on_changed_post
  if (policy === 'hold')
    throw heldForChange(site.name, before.id, changes, savedAfterFill(before, row.answered, changes))
  const happened = `Somebody had changed ${changes.map(({ field }) => field).join(', ')} of post ${before.id}`
  if (policy === 'overwrite') {
    warnings.push({
      code: 'change_overwritten',
      message: `${happened}; the site asks to overwrite such changes.`,
    })
    return all
  }
  policy satisfies 'status_only'
  const asked = decided === undefined ? 'as the site asks' : 'as was asked'
  warnings.push({ code: 'change_kept', message: `${happened}; only its status was set, ${asked}.` })
  const { status } = all.fields
  return { fields: status === undefined ? {} : { status }, statusOnly: true }
}

/** Whoever changes the text of a post makes it newer; its terms may change without. */
function savedAfterFill(
  before: PostRecord,
  answered: DeliveryRow['answered'],
  changes: readonly ChangedField[],
): SavedAfterFill {
  const [left, now] = [answered?.modifiedGmt ?? '', before.modifiedGmt]
  if (left === '' || now === '') return 'yes'
  if (now < left) return 'older'
  const ofText = changes.some(({ field }) => TEXT_FIELDS.has(field))
  const after = Date.parse(`${now}Z`) - Date.parse(`${left}Z`)
  if (!ofText || after > SAVED_WITH_FILL_MS) return 'yes'
  return after === 0 ? 'no' : 'at_once'
}

/** WordPress tells whole seconds; a person has to open the post first, and find something to change. */
const SAVED_WITH_FILL_MS = 2_000

const TEXT_FIELDS: ReadonlySet<string> = new Set<keyof PostFields>(['title', 'content', 'excerpt'])

export function editsSinceFill(
  { row: { answered, sent_hash }, lostMedia }: Pick<EditableDelivery, 'row' | 'lostMedia'>,
  before: PostRecord,
  wanted: PostFields,
): ChangedField[] {
  if (answered === null) return []
  const textIsOurs = sent_hash !== null && textHash(before) === sent_hash
  // WordPress takes a deleted featured image off its posts: nobody has changed the post.
  const lost = before.featuredMedia === 0 && lostMedia.has(answered.featuredMedia)
  const known = lost ? { ...answered, featuredMedia: 0 } : answered
  const others = changedTermsAndImage(known, before, wanted)
  return textIsOurs ? others : [...changedText(answered, before), ...others]
}

/** A post's address and status belong to whoever set them last. A status that stands is not sent: it might untrash the post. */
function preserveDecisions({ row }: EditableDelivery, before: PostRecord, wanted: PostFields): PostFields {
  const { slug, status, ...rest } = wanted
  const statusIsOurs = row.answered === null || isUnchanged('status', row.answered.status, before)
  const changesStatus = statusIsOurs && status !== before.status
  return { ...rest, ...(isSlugOurs(row, before) && { slug }), ...(changesStatus && { status }) }
}

/** Whether a post has its slug from Galley or from the trash, and readers never had it. */
export function isSlugOurs(row: DeliveryRow, { slug }: PostRecord): boolean {
  const untouched = row.delivered_event_id === null && slug === row.answered?.slug
  return untouched || slug.startsWith(postMarker(row.document_id)) || TRASHED_SLUG.test(slug)
}

/** What WordPress leaves on a draft without a slug that was in the trash and is back; published, this is its address. */
const TRASHED_SLUG = /^__trashed(-\d{1,9})?$/
