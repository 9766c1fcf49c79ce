import { type ByteBudget, type Share, WEIGHT_OF_DOCUMENT } from '../../bytes/index.ts'
import type { DeliveryRow } from '../ledger/row.ts'

/**
 * Waits until there is memory for a document and all that is made of it, before it is read. Each delivery by itself: one
 * that waits keeps nobody who was claimed with it.
 *
 * @throws GalleyError `memory_busy`
 */
export const roomForDocument = (
  { budget }: { budget: ByteBudget },
  { document_bytes }: Pick<DeliveryRow, 'document_bytes'>,
): Promise<Share> => budget.documents.take(document_bytes * WEIGHT_OF_DOCUMENT)
