import { GalleyError } from '../../errors.ts'

/**
 * What was found under a marker is what an earlier request of the same document has left, of another user or account, and may
 * go at any moment.
 */
export const beingRemoved = (site: string, marker: string): GalleyError =>
  new GalleyError({
    code: 'marker_taken',
    message: `Galley is just removing from ${site} what an earlier request for this document left behind there, with the slug ${marker}. Nothing has to be done: this delivery goes on in a few minutes.`,
    fault: 'delivery',
    action: 'retry',
  })
