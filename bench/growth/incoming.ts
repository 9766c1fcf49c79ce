import { createHash, randomUUID } from 'node:crypto'
import type { Incoming } from '../../src/intake/store.ts'
import { articleStencil } from '../support/webhook.ts'

/** An event as intake hands it to the store, without HTTP before it. */
export function incomingFor(sender: { accountId: string; sourceId: string; siteId: string }): Incoming {
  const { accountId, sourceId, siteId } = sender
  const body = articleStencil([siteId])()
  return {
    eventId: randomUUID(),
    accountId,
    sourceId,
    kind: 'document.completed',
    documentId: randomUUID(),
    status: 'planned',
    issues: null,
    digest: createHash('sha256').update(body).digest(),
    body,
    plan: { deliveryId: randomUUID(), siteId },
  }
}
