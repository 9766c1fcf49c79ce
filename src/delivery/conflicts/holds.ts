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

export const heldForDeletion = (site: string, postId: number): GalleyError =>
  held(
    'post_deleted',
    `Post ${postId} on ${site} was deleted, so Galley does not create it again. Nothing more will happen to this delivery.`,
  )

export const heldForReplacement = (site: string, postId: number): GalleyError =>
  held(
    'post_replaced',
    `Post ${postId} on ${site} has neither the title nor the address that Galley left there, and little or nothing of the text, or it belongs to another document: it seems to be another post, as on a site that was restored from a backup or at an address that another WordPress has taken. It is left alone, whatever the site's on_changed_post says. Retry this delivery with "overwrite" if the post may be written over.`,
  )

export function heldForChange(site: string, postId: number, changes: readonly ChangedField[]): GalleyError {
  const names = changes.map(({ field }) => field).join(', ')
  const [first] = changes
  const seen = first ? ` The ${first.field} was “${first.galley}” and is now “${first.site}”.` : ''
  return held(
    'post_changed',
    `Somebody changed ${names} of post ${postId} on ${site} since Galley last wrote it, so it is left alone.${seen} Retry this delivery with "overwrite" to replace the change, or set the site's on_changed_post.`,
    { changes },
  )
}
