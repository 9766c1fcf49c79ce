import { decodeHTML } from 'entities'
import { GalleyError, type Warning } from '../errors.ts'
import { stripTags } from '../lib/text.ts'
import type { SiteSettings } from '../sites/settings.ts'
import type { PostFields, PostRecord } from '../wordpress/types.ts'
import type { Ledger } from './ledger/ledger.ts'
import { documentMarker } from './ledger/ownership.ts'
import type { DeliveryRow, PostText } from './ledger/state.ts'
import { mergeEdits } from './merge.ts'
import {
  type ChangedField,
  changedTermsAndImage,
  changedText,
  decisionOf,
  isTextField,
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
    `Post ${postId} on ${site} has neither the title nor the address that Galley left there, and little or nothing of the text, or it belongs to another document: it seems to be another post, as on a site that was restored from a backup or at an address that another WordPress has taken. It is left alone. Take the new version if that post may be written over.`,
  )

/** Whether a post was saved since Galley's write; `at_once`: sooner than a person can; `older`: shown as it was before. */
type SavedAfterFill = 'yes' | 'at_once' | 'no' | 'older'

/** A post as a person knows it. */
export const namedPost = (site: string, { title }: Pick<PostRecord, 'title'>): string =>
  `“${decodeHTML(stripTags(title))}” on ${site}`

export function heldForChange(
  site: string,
  standing: Pick<PostRecord, 'title'>,
  changes: readonly ChangedField[],
  found: SavedAfterFill | 'by_withdrawal' | 'since_compared' = 'yes',
): GalleyError {
  const [post, names] = [namedPost(site, standing), fieldNames(changes)]
  return heldError(
    'post_changed',
    {
      yes: `Somebody edited ${post} after it was delivered (${names}), so the new version waits. Compare the texts, and keep theirs, take the new one, or merge them.`,
      since_compared: `Somebody edited ${post} after you compared the texts (${names}), or a newer version came, so nothing was written. Compare them again.`,
      at_once: `Something changed ${post} within seconds of its delivery (${names}), so the new version waits. Nobody edits that fast: exclude Galley’s posts from the plugin that does. Then compare the texts and choose.`,
      no: `${post} reads otherwise than it was delivered (${names}), though nobody has saved it since, so the new version waits. A plugin changes posts as they are saved, or what the REST API shows of them: exclude Galley’s posts from it. Then compare the texts and choose.`,
      by_withdrawal: `Somebody edited ${post} after it was delivered (${names}), so it was not withdrawn. Withdraw it anyway, with their text in it, or cancel this.`,
      older: `${post} is shown as it was before its last delivery (${names}), so the new version waits. Either a cache answers in WordPress’s place: exclude /wp-json/ from what it keeps, and try again. Or the site was put back to an earlier day: take the new version to have it there.`,
    }[found],
    { changes },
  )
}

const SHOWN_FIELDS: Readonly<Record<string, string>> = { content: 'text' }

export const fieldNames = (changes: readonly ChangedField[]): string =>
  changes.map(({ field }) => SHOWN_FIELDS[field] ?? field).join(', ')

export const heldWithdrawalUndone = (site: string, { id, status }: PostRecord): GalleyError =>
  heldError(
    'withdrawal_undone',
    `Post ${id} on ${site} is “${status}” right after it was withdrawn: a plugin there decides about statuses. Exclude Galley’s posts from it and withdraw it again, or do so in WordPress itself.`,
  )

interface EditableDelivery {
  row: DeliveryRow
  ledger: Pick<Ledger, 'defer'>
  site: { name: string; settings: Pick<SiteSettings, 'on_changed_post'> }
  warnings: Warning[]
  lostMedia: ReadonlySet<number>
}

interface AllowedFields {
  fields: PostFields
  statusOnly: boolean
  /** What of the text is Galley's, where the post is a merge, or stays one. */
  base: PostText | null
  /** A person chose that this takes the place of what somebody edited. */
  replaces: boolean
}

/**
 * What may be written to a post, as it stands before: all of `wanted`, less what a person has decided since Galley last wrote.
 * @throws GalleyError `post_changed` where the site holds changed posts (the default)
 */
export function preserveEdits(
  delivering: EditableDelivery,
  before: PostRecord,
  wanted: PostFields,
): AllowedFields {
  const { row, site, warnings, ledger } = delivering
  const { answered: left } = row
  const fields = preserveDecisions(delivering, before, wanted)
  const all = { fields, statusOnly: false, base: null, replaces: false }
  const decided = decisionOf(row)
  if (left === null) return all
  const edits = editsSinceFill(delivering, before, wanted)
  if (decided === 'overwrite') return { ...all, replaces: edits.length > 0 }
  const { base = null } = left
  if (edits.length === 0 && base === null) return all

  const post = namedPost(site.name, before)
  const merging = typeof decided === 'object' ? decided : null
  const { next, merged } = mergeEdits({ left, before, wanted: fields, edits }, merging)
  if (merged !== null) {
    warnings.push({
      code: 'change_merged',
      message: `Somebody had edited ${post}; that and this version were merged.`,
    })
    return { ...all, fields: merged, base: next, replaces: merging !== null }
  }

  const changes = edits.length > 0 ? edits : changedText({ ...left, ...base }, before)
  const policy = merging ? 'hold' : typeof decided === 'string' ? decided : site.settings.on_changed_post
  if (policy === 'hold') {
    // After a failed attempt to write what was compared, this may be that attempt's own text.
    const forgets = row.replaced !== null && merging === null
    ledger.defer('fill', 'edited', null, { answered: { ...left, next }, ...(forgets && { replaced: null }) })
    const saved = savedAfterFill(before, left, changes)
    throw heldForChange(site.name, before, changes, merging ? 'since_compared' : saved)
  }
  const happened = `Somebody had edited ${post} (${fieldNames(changes)})`
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
  const { status } = fields
  return { ...all, fields: status === undefined ? {} : { status }, statusOnly: true, base }
}

/** Whoever changes the text of a post makes it newer; its terms may change without. */
function savedAfterFill(
  before: PostRecord,
  answered: DeliveryRow['answered'],
  changes: readonly ChangedField[],
): SavedAfterFill {
  const [left, now] = [answered?.modifiedGmt ?? '', before.modifiedGmt]
  if (left === '' || now === '' || answered?.putBack) return 'yes'
  if (now < left) return 'older'
  const ofText = changes.some(({ field }) => isTextField(field))
  const after = Date.parse(`${now}Z`) - Date.parse(`${left}Z`)
  if (!ofText || after > SAVED_WITH_FILL_MS) return 'yes'
  return after === 0 ? 'no' : 'at_once'
}

/** WordPress tells whole seconds; a person has to open the post first, and find something to change. */
const SAVED_WITH_FILL_MS = 2_000

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
  return untouched || slug.startsWith(documentMarker(row.document_id)) || TRASHED_SLUG.test(slug)
}

/** What WordPress leaves on a draft without a slug that was in the trash and is back; published, this is its address. */
const TRASHED_SLUG = /^__trashed(-\d{1,9})?$/
