import { GalleyError } from '../errors.ts'

/** A delivery that waits for a person: why, and what that person can do. */
export const held = (code: string, message: string, details?: unknown): GalleyError =>
  new GalleyError({ code, message, whose: 'delivery', action: 'owner', httpStatus: 409, details })

export const heldForTrash = (site: string, postId: number): GalleyError =>
  held(
    'post_trashed',
    `Post ${postId} on ${site} was moved to the trash, so Galley leaves it there. Restore it and retry this delivery to go on, or leave it.`,
  )

export const heldForDeletion = (site: string, postId: number): GalleyError =>
  held(
    'post_deleted',
    `Post ${postId} on ${site} was deleted, so Galley does not make it again. Nothing more will happen to this delivery.`,
  )

export const heldForChange = (site: string, postId: number, fields: readonly string[]): GalleyError =>
  held(
    'post_changed',
    `Somebody changed ${fields.join(', ')} of post ${postId} on ${site} since Galley last wrote it, so it is left alone. Retry this delivery with "overwrite" to replace the change, or set the site's on_changed_post.`,
    { fields },
  )
