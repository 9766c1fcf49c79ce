import type { SiteSettings } from '../sites/settings.ts'
import type { PostFields, PostRecord } from '../wordpress/types.ts'
import { changedFields } from './answered.ts'
import { type Delivering, postMarker } from './delivering.ts'
import { fingerprint } from './fingerprint.ts'
import { heldForChange } from './held.ts'

/**
 * What may be written to a post without overwriting anybody's work: all of `wanted`, less what a person has
 * decided since Galley last wrote. `before` is the post as it stands.
 *
 * @throws GalleyError `post_changed` where the site holds changed posts (the default)
 */
export function respectPeople(delivering: Delivering, before: PostRecord, wanted: PostFields): PostFields {
  const { row, site, warnings } = delivering
  // Without an earlier answer there is nothing to compare with: a retry asked to overwrite.
  if (row.answered === null) return wanted
  const ours = row.sent_hash !== null && fingerprint(before) === row.sent_hash
  const changed = ours ? [] : changedFields(row.answered, before)
  if (changed.length === 0) return keepDecisions(delivering, before, wanted)

  const policy: SiteSettings['on_changed_post'] = site.settings.on_changed_post
  if (policy === 'hold') throw heldForChange(site.name, before.id, changed)
  const happened = `Somebody had changed ${changed.join(', ')} of post ${before.id}`
  if (policy === 'overwrite') {
    warnings.push({
      code: 'change_overwritten',
      message: `${happened}; the site asks to overwrite such changes.`,
    })
    return keepDecisions(delivering, before, wanted)
  }
  policy satisfies 'status_only'
  warnings.push({ code: 'change_kept', message: `${happened}; only its status was set, as the site asks.` })
  return { status: wanted.status }
}

/** The address and the status of a post belong to whoever set them last. */
function keepDecisions({ row }: Delivering, before: PostRecord, wanted: PostFields): PostFields {
  const { slug, status, ...rest } = wanted
  const slugIsOurs = before.slug.startsWith(postMarker(row.document_id))
  const statusIsOurs = row.answered?.status === before.status || before.status === wanted.status
  return { ...rest, ...(slugIsOurs && { slug }), ...(statusIsOurs && { status }) }
}
