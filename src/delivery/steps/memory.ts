import type { Pool } from 'pg'
import { type ByteBudget, type Share, WEIGHT_OF_DOCUMENT } from '../../bytes/index.ts'
import type { DeliveryRow } from '../ledger/row.ts'

/**
 * Waits until there is memory for a document and all that is made of it, before it is read.
 *
 * @throws GalleyError `memory_busy`
 */
export async function roomForDocument(
  { pool, budget }: { pool: Pool; budget: ByteBudget },
  { wanted_event_id: id }: Pick<DeliveryRow, 'wanted_event_id'>,
): Promise<Share> {
  const { rows } = await pool.query<{ bytes: number | null }>({
    name: 'event-length',
    text: 'SELECT octet_length(body) AS bytes FROM event WHERE id = $1',
    values: [id],
  })
  return budget.documents.take((rows[0]?.bytes ?? 0) * WEIGHT_OF_DOCUMENT)
}
