import { GalleyError } from '../errors.ts'
import { type SourceId, type SourceStore, sourceUnknown } from './sources.ts'

/**
 * Removes a source and the events it sent.
 *
 * @throws GalleyError 404; 409 `SOURCE_IN_USE` while a delivery still needs the document of one of its events
 */
export async function deleteSource({ prisma }: Pick<SourceStore, 'prisma'>, source: SourceId): Promise<void> {
  await prisma.$transaction(async (transaction) => {
    // Storing an event locks its source against this lock, so none can arrive between the count and the end.
    const found = await transaction.$queryRaw<object[]>`
      SELECT id FROM source WHERE id = ${source.id}::uuid AND account_id = ${source.accountId}::uuid FOR UPDATE`
    if (found.length === 0) throw sourceUnknown(source)
    const [{ count } = { count: 0 }] = await transaction.$queryRaw<{ count: number }[]>`
      SELECT count(*)::int AS count FROM delivery JOIN event ON event.id = delivery.wanted_event_id
      WHERE event.source_id = ${source.id}::uuid AND delivery.status <> 'delivered'`
    if (count > 0) throw sourceInUse(count)
    await transaction.source.delete({ where: { id: source.id } })
  })
}

const sourceInUse = (count: number) =>
  new GalleyError({
    code: 'SOURCE_IN_USE',
    httpStatus: 409,
    message: `${count} deliveries that are not done need documents this source sent. Disable it instead ({"disabled": true}), and delete it once they are done.`,
  })
