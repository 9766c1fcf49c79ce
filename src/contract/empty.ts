import { GalleyError } from '../errors.ts'
import { hasSubstance } from './normalise/substance.ts'
import type { Document } from './tree.ts'

export const EMPTY =
  'holds nothing that a reader would see: no text, no picture, no recording. Galley does not create empty posts'

/** Whether nothing would stand in the post: no blocks, or none with anything in it, and no narration. */
export const isEmpty = ({ blocks, audio }: Document): boolean =>
  audio === undefined && !blocks.some(hasSubstance)

/** The refusal of an empty document where it is not a webhook: 422. */
export const emptyDocument = (): GalleyError =>
  new GalleyError({
    code: 'document_empty',
    fault: 'delivery',
    httpStatus: 422,
    message: `The document (data.content.content) ${EMPTY}.`,
  })
