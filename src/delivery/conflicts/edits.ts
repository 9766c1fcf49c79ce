import type { Warning } from '../../errors.ts'
import type { SiteSettings } from '../../sites/settings.ts'
import type { PostFields, PostRecord } from '../../wordpress/types.ts'
import type { DeliveryRow } from '../ledger/row.ts'
import { postMarker } from '../marker.ts'
import { fingerprint } from './fingerprint.ts'
import { heldForChange, type SavedSince } from './holds.ts'
import { type ChangedField, changedTermsAndImage, changedText, decisionOf, stands } from './snapshot.ts'

/** A delivery to a post that people may have changed, and what was noticed on the way. */
export interface Changeable {
  row: DeliveryRow
  site: { name: string; settings: Pick<SiteSettings, 'on_changed_post'> }
  warnings: Warning[]
  lostMedia: ReadonlySet<number>
}

/** What may be written to a post. */
export interface Permitted {
  fields: PostFields
  /** The text is a person's and stays: only the status is ours to set. */
  statusOnly: boolean
}

/**
 * What may be written to a post without overwriting anybody's work: all of `wanted`, less what a person has decided
 * since Galley last wrote. `before` is the post as it stands.
 *
 * @throws GalleyError `post_changed` where the site holds changed posts (the default)
 */
export function keepEdits(delivering: Changeable, before: PostRecord, wanted: PostFields): Permitted {
  const { row, site, warnings } = delivering
  const all = { fields: keepDecisions(delivering, before, wanted), statusOnly: false }
  const decided = decisionOf(row)
  if (decided === 'overwrite') return all
  const changes = changesSince(delivering, before, wanted)
  if (changes.length === 0) return all

  const policy: SiteSettings['on_changed_post'] = decided ?? site.settings.on_changed_post
  if (policy === 'hold')
    throw heldForChange(site.name, before.id, changes, savedSince(before, row.answered, changes))
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
function savedSince(
  before: PostRecord,
  answered: DeliveryRow['answered'],
  changes: readonly ChangedField[],
): SavedSince {
  const [left, now] = [answered?.modifiedGmt ?? '', before.modifiedGmt]
  if (left === '' || now === '') return 'yes'
  if (now < left) return 'older'
  const ofText = changes.some(({ field }) => OF_THE_TEXT.has(field))
  const after = Date.parse(`${now}Z`) - Date.parse(`${left}Z`)
  if (!ofText || after > AT_ONCE_MS) return 'yes'
  return after === 0 ? 'no' : 'at_once'
}

/** WordPress tells whole seconds; a person has to open the post first, and find something to change. */
const AT_ONCE_MS = 2_000

const OF_THE_TEXT: ReadonlySet<string> = new Set<keyof PostFields>(['title', 'content', 'excerpt'])

/** What a person has changed since Galley last wrote. */
function changesSince(
  { row: { answered, sent_hash }, lostMedia }: Changeable,
  before: PostRecord,
  wanted: PostFields,
): ChangedField[] {
  if (answered === null) return []
  const textIsOurs = sent_hash !== null && fingerprint(before) === sent_hash
  // WordPress takes a deleted featured image off its posts: nobody has changed the post.
  const lost = before.featuredMedia === 0 && lostMedia.has(answered.featuredMedia)
  const known = lost ? { ...answered, featuredMedia: 0 } : answered
  const others = changedTermsAndImage(known, before, wanted)
  return textIsOurs ? others : [...changedText(answered, before), ...others]
}

/**
 * The address and the status of a post belong to whoever set them last. A status that stands already is not sent: it
 * would bring back a post that somebody trashes in this moment.
 */
function keepDecisions({ row }: Changeable, before: PostRecord, wanted: PostFields): PostFields {
  const { slug, status, ...rest } = wanted
  const untouched = row.delivered_event_id === null && before.slug === row.answered?.slug
  const slugIsOurs =
    untouched || before.slug.startsWith(postMarker(row.document_id)) || LEFT_BY_TRASH.test(before.slug)
  const statusIsOurs = row.answered === null || stands('status', row.answered.status, before)
  const changesStatus = statusIsOurs && status !== before.status
  return { ...rest, ...(slugIsOurs && { slug }), ...(changesStatus && { status }) }
}

/** What WordPress leaves on a draft without a slug that was in the trash and is back; published, this is its address. */
const LEFT_BY_TRASH = /^__trashed(-\d{1,9})?$/
