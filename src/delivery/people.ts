import type { SiteSettings } from '../sites/settings.ts'
import type { PostFields, PostRecord } from '../wordpress/types.ts'
import { changedFields } from './answered.ts'
import { type Delivering, postMarker } from './delivering.ts'
import { fingerprint } from './fingerprint.ts'
import { heldForChange } from './held.ts'

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
export function respectPeople(delivering: Delivering, before: PostRecord, wanted: PostFields): Permitted {
  const { row, site, warnings } = delivering
  const all = { fields: keepDecisions(delivering, before, wanted), statusOnly: false }
  if (row.answered === null || row.answered.overwrite) return all
  // A fill whose answer was lost has left what was sent, not what was last answered.
  const ours = row.sent_hash !== null && fingerprint(before) === row.sent_hash
  const changes = ours ? [] : changedFields(row.answered, before)
  if (changes.length === 0) return all

  const policy: SiteSettings['on_changed_post'] = site.settings.on_changed_post
  if (policy === 'hold') throw heldForChange(site.name, before.id, changes)
  const happened = `Somebody had changed ${changes.map(({ field }) => field).join(', ')} of post ${before.id}`
  if (policy === 'overwrite') {
    warnings.push({
      code: 'change_overwritten',
      message: `${happened}; the site asks to overwrite such changes.`,
    })
    return all
  }
  policy satisfies 'status_only'
  warnings.push({ code: 'change_kept', message: `${happened}; only its status was set, as the site asks.` })
  const { status } = all.fields
  return { fields: status === undefined ? {} : { status }, statusOnly: true }
}

/**
 * The address and the status of a post belong to whoever set them last. A status that stands already is not sent: it
 * would bring back a post that somebody trashes in this moment.
 */
function keepDecisions({ row }: Delivering, before: PostRecord, wanted: PostFields): PostFields {
  const { slug, status, ...rest } = wanted
  const slugIsOurs = before.slug.startsWith(postMarker(row.document_id))
  const statusIsOurs = row.answered === null || row.answered.status === before.status
  const changesStatus = statusIsOurs && status !== before.status
  return { ...rest, ...(slugIsOurs && { slug }), ...(changesStatus && { status }) }
}
