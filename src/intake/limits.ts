import type { KnownSource, SourceLookup } from '../sources/lookup.ts'
import { notStored } from '../webhook/not-stored.ts'
import type { Incoming } from './store.ts'

/**
 * The event as its source may bring it: one for a site that the source may not send to is kept, and plans nothing. Its
 * sender is told so in a warning beside a 2xx, since to send it again would change nothing (docs/contract.md).
 *
 * @throws GalleyError 503 `NOT_STORED` when the database does not say which sites it may send to
 */
export async function withinLimits(
  sources: SourceLookup,
  source: Pick<KnownSource, 'accountId' | 'siteIds' | 'labels'>,
  event: Incoming,
): Promise<Incoming> {
  if (event.plan === null) return event
  let mayReach: boolean
  try {
    mayReach = await sources.mayReach(source, event.plan.siteId)
  } catch (cause) {
    throw notStored(cause)
  }
  if (mayReach) return event
  const issue = { path: 'delivery.id', message: outside(event.plan.siteId) }
  return { ...event, status: 'refused', issues: [issue, ...(event.issues ?? [])], plan: null }
}

const outside = (siteId: string): string =>
  `is the site ${siteId}, to which this source may not send: the document is kept, and delivered nowhere. Add the site to the limits of the source (PATCH /v1/sources), and send it again`
