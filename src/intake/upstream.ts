import type { Pool } from 'pg'
import type { GalleyError } from '../errors.ts'
import type { Logger } from '../log.ts'
import type { KnownSource, SourceLookup } from '../sources/lookup.ts'
import { IntakeBatcher } from './batcher.ts'
import { withinLimits } from './limits.ts'
import { understand } from './receive.ts'

/** A document that the upstream of a source answered, and nobody sent. */
export interface UpstreamEvent {
  source: Pick<KnownSource, 'id' | 'accountId' | 'siteIds' | 'labels'>
  /** As a webhook would bring it. */
  body: Buffer
}

/** Why it plans no delivery; null where it does. */
export type Unplanned = Pick<GalleyError, 'code' | 'message'> | null

/**
 * Intake's way in for what Galley itself asked an upstream for: an event of the source as any webhook's, within the limits of
 * the source, and confirmed already. A webhook of the same document is another version of it, and so the same delivery.
 */
export function upstreamIntake(pool: Pool, sources: SourceLookup, log: Logger) {
  const batcher = new IntakeBatcher(pool, log)
  return async ({ source, body }: UpstreamEvent): Promise<Unplanned> => {
    const { event: understood, unfit } = understand(source, body)
    const event = await withinLimits(sources, source, understood)
    await batcher.store({ ...event, confirmed: true })
    if (unfit !== null) return unfit
    if (event.status === 'planned') return null
    const [issue] = event.issues ?? []
    return {
      code: `document_${event.status}`,
      message: `${issue?.path ?? 'The document'} ${issue?.message ?? ''}`,
    }
  }
}
