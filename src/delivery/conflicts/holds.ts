import { GalleyError } from '../../errors.ts'
import type { ChangedField } from './snapshot.ts'

/** A delivery that waits for a person: why, and what that person can do. */
export const held = (code: string, message: string, details?: unknown): GalleyError =>
  new GalleyError({ code, message, fault: 'delivery', action: 'owner', httpStatus: 409, details })

export const heldForTrash = (site: string, postId: number): GalleyError =>
  held(
    'post_trashed',
    `Post ${postId} on ${site} was moved to the trash, so Galley leaves it there. Restore it and retry this delivery to go on, or leave it.`,
  )

/**
 * Of a post that Galley has written a moment ago: nobody edits that fast.
 *
 * @param now null where the post is not even in the trash
 */
export const heldForRemoval = (site: string, postId: number, now: object | null): GalleyError =>
  now === null
    ? held(
        'post_deleted',
        `Post ${postId} on ${site} was gone right after it was saved, so Galley does not create it again. A plugin there that deletes posts, or turns them into posts of another type, is the usual reason: exclude Galley’s posts from it, and send the document under another id if the post is not there as another type.`,
      )
    : held(
        'post_trashed',
        `Post ${postId} on ${site} was moved to the trash right as it was saved, so Galley leaves it there. A plugin there that removes posts (as duplicates, or for a word in them) is the usual reason: exclude Galley’s posts from it, restore the post and retry this delivery.`,
      )

export const heldForDeletion = (site: string, postId: number): GalleyError =>
  held(
    'post_deleted',
    `Post ${postId} on ${site} was deleted, or turned into one of another type, such as a page, so Galley does not create it again. Nothing more happens to this delivery, unless the post is turned back and the delivery retried.`,
  )

export const heldForReplacement = (site: string, postId: number): GalleyError =>
  held(
    'post_replaced',
    `Post ${postId} on ${site} has neither the title nor the address that Galley left there, and little or nothing of the text, or it belongs to another document: it seems to be another post, as on a site that was restored from a backup or at an address that another WordPress has taken. It is left alone, whatever the site's on_changed_post says. Retry this delivery with "overwrite" if the post may be written over.`,
  )

/**
 * Whether a post has been saved since Galley last wrote it; `at_once` where that was sooner than a person can, and `older`
 * where the site shows it as it was before.
 */
export type SavedSince = 'yes' | 'at_once' | 'no' | 'older'

export function heldForChange(
  site: string,
  postId: number,
  changes: readonly ChangedField[],
  saved: SavedSince = 'yes',
): GalleyError {
  const names = changes.map(({ field }) => field).join(', ')
  const [first] = changes
  const seen = first ? ` ${seenOf(first)}` : ''
  const messages = {
    yes: `Somebody changed ${names} of post ${postId} on ${site} since Galley last wrote it, so it is left alone.${seen} Retry this delivery with "overwrite" to replace the change, or set the site's on_changed_post.`,
    at_once: `Something changed ${names} of post ${postId} on ${site} within seconds of Galley saving it, so it is left alone.${seen} Nobody edits that fast, so it was a plugin: exclude Galley’s posts from that plugin, or retry this delivery with "overwrite".`,
    no: `${site} shows another ${names} of post ${postId} than Galley left there, though by its date the post has not been saved since, so it is left alone.${seen} A plugin changes posts right as they are saved, or what the REST API shows of them: exclude Galley’s posts from it, or retry this delivery with "overwrite".`,
    older: `${site} shows post ${postId} as it was before Galley last wrote it (${names}), so it is left alone.${seen} Either a cache answers in WordPress’s place: exclude /wp-json/ from what it keeps, then retry this delivery. Or the site was put back to an earlier day: retry this delivery with "overwrite" to have the new text there.`,
  }
  return held('post_changed', messages[saved], { changes })
}

/** Of terms there are only the ids: what was deleted has no name any more. */
function seenOf({ field, galley, site }: ChangedField): string {
  if (field !== 'categories' && field !== 'tags') return `The ${field} was “${galley}” and is now “${site}”.`
  const ids = (which: string): string => (which === '' ? 'none' : `those with the ids ${which}`)
  return `The ${field} were ${ids(galley)}, and are now ${ids(site)}.`
}
