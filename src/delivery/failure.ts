import { GalleyError } from '../errors.ts'
import { FencedOff } from './ledger.ts'
import type { DeliveryRow } from './row.ts'

/** Every error has a code and a sentence, those of our own making too. */
export function asGalleyError(thrown: unknown): GalleyError {
  if (thrown instanceof GalleyError) return thrown
  return new GalleyError({
    code: 'internal_error',
    message: 'Galley itself failed here. It tries again; if this stays, its log has the reason.',
    whose: 'galley',
    action: 'retry',
    cause: thrown,
  })
}

/** Nothing to settle: whoever holds the delivery now does. */
export const isFencedOff = (thrown: unknown): boolean => thrown instanceof FencedOff

/**
 * Trouble that stops every delivery of a site until its owner acts. Missing rights on a post that stands
 * already concern that post alone: another user may have made it.
 */
export const isSiteWide = ({ whose, code }: GalleyError, { post_id }: DeliveryRow): boolean =>
  whose === 'owner' && (code !== 'rights_missing' || post_id === null)

/** A site that refuses one document's request has answered it: it is not down. */
export const answeredBySite = ({ whose }: GalleyError, step: string): boolean =>
  whose === 'delivery' && step !== 'prepare'
