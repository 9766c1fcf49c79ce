import type { Pool } from 'pg'
import type { ByteBudget } from '../../bytes/index.ts'
import { parseJson } from '../../contract/json.ts'
import { isWire } from '../../contract/normalise/fields.ts'
import type { Upstreams } from '../../upstream/ask.ts'
import { type AnswerInRoom, askInRoom } from '../../upstream/room.ts'
import type { Ledger } from '../ledger/ledger.ts'
import type { Progress } from '../ledger/phase.ts'
import type { DeliveryRow } from '../ledger/row.ts'
import { storeConfirmed, type WantedEvent } from '../ledger/wanted-event.ts'

interface Confirming {
  pool: Pool
  budget: ByteBudget
  upstreams: Upstreams
  progress: Progress
}

/**
 * Asks the upstream of the event's source for the document that a webhook announced, and stores what it answers: that is
 * delivered, in this attempt and in every later one. Of the webhook nothing is believed but which document it is about,
 * and where that goes; the site has not been asked anything yet.
 *
 * @throws GalleyError what the upstream says instead (src/upstream/failures.ts); `memory_busy`
 */
export async function confirm(
  context: Confirming,
  { row, ledger }: { row: DeliveryRow; ledger: Ledger },
  { source, body: announced }: WantedEvent & { body: Buffer },
): Promise<AnswerInRoom> {
  context.progress.confirm()
  const question = {
    source: { accountId: row.account_id, id: source.id },
    documentId: row.document_id,
    delivery: deliveryOf(announced),
  }
  const confirmed = await askInRoom(context, question, row.document_bytes)
  try {
    await ledger.record('confirm', 'confirmed', `the upstream of ${source.name} has this document`)
    await storeConfirmed(context.pool, row, confirmed)
    return confirmed
  } catch (error) {
    confirmed.room.release()
    throw error
  }
}

/** As it was sent. The event was understood when it came, so that it is JSON, and no deeper than it may be. */
function deliveryOf(announced: Buffer): object | null {
  const json: unknown = parseJson(announced)
  return isWire(json) && isWire(json.delivery) ? json.delivery : null
}
