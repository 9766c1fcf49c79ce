import type { Pool } from 'pg'
import { gather } from '../../database/gather.ts'
import type { DeliveryRow } from './row.ts'

/** The body of the event that a delivery was claimed for; null where it was removed. Its room is taken before it is read. */
export const wantedBody = (
  pool: Pool,
  { wanted_event_id }: Pick<DeliveryRow, 'wanted_event_id'>,
): Promise<Buffer | null> => gather(pool, 'event-body', wanted_event_id, (ids) => bodiesOf(pool, ids))

async function bodiesOf(pool: Pool, ids: readonly string[]): Promise<(Buffer | null)[]> {
  const { rows } = await pool.query<{ id: string; body: Buffer | null }>({
    name: 'event-body',
    text: 'SELECT id, body FROM event WHERE id = ANY ($1::uuid[])',
    values: [ids],
  })
  const bodies = new Map(rows.map(({ id, body }) => [id, body]))
  return ids.map((id) => bodies.get(id) ?? null)
}
