import { GalleyError } from '../../errors.ts'
import type { Standing } from '../ledger/removals.ts'
import type { Delivering } from './context.ts'

/**
 * What was found under a marker may be what an earlier request of the same document has left, of another user or account, and go
 * at any moment.
 *
 * @throws GalleyError `marker_taken` while Galley removes it
 */
export async function assertStays(
  { ledger, site }: Pick<Delivering, 'ledger' | 'site'>,
  standing: Standing,
  marker: string,
): Promise<void> {
  if (!(await ledger.isBeingRemoved(standing))) return
  throw new GalleyError({
    code: 'marker_taken',
    message: `An earlier request for this document left something behind on ${site.name}, with the slug ${marker}, and Galley is removing it. You need not do anything: this delivery continues by itself within a few minutes.`,
    fault: 'delivery',
    action: 'retry',
  })
}
