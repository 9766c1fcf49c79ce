import { databaseFailure, saidByDatabase } from '../../database/sqlstates.ts'
import { GalleyError } from '../../errors.ts'
import { FencedOff } from './ledger.ts'
import type { Phase } from './phase.ts'
import type { DeliveryRow } from './row.ts'

/** Every error has a code and a sentence, those of our own making too. */
export function asGalleyError(thrown: unknown): GalleyError {
  if (thrown instanceof GalleyError) return thrown
  if (databaseFailure(thrown) === 'refused') return refusedByDatabase(thrown)
  return new GalleyError({
    code: 'internal_error',
    message: 'Galley itself failed here. It will try again; if this continues, its log has the reason.',
    fault: 'galley',
    action: 'retry',
    cause: thrown,
  })
}

/** What the database does not take now it will not take later either, so a person has to look. */
export const refusedByDatabase = (thrown: unknown): GalleyError =>
  new GalleyError({
    code: 'not_storable',
    message: `Galley's database rejected what was to be stored about this delivery: ${saidByDatabase(thrown)}. The post may be on the site anyway. Something unusual is in the document or in what the site answers: look for it there, take it out, and retry this delivery.`,
    fault: 'delivery',
    action: 'owner',
    cause: thrown,
  })

/** Nothing to settle: whoever holds the delivery now does. */
export const isFencedOff = (thrown: unknown): boolean => thrown instanceof FencedOff

/**
 * Trouble that stops every delivery of a site until its owner acts. Missing rights on a post that stands
 * already concern that post alone: another user may have made it.
 */
export const isSiteWide = ({ fault, code }: GalleyError, { post_id }: DeliveryRow): boolean =>
  fault === 'owner' && (code !== 'rights_missing' || post_id === null)

/** A site that refuses one document's request has answered it: it is not down. */
export const answeredBySite = ({ fault }: GalleyError, phase: Phase): boolean =>
  fault === 'delivery' && phase.name !== 'before'
