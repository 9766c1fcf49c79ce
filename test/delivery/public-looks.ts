import { setTimeout as wait } from 'node:timers/promises'
import { queuePublicChecks } from '../../src/delivery/public-check/check-posts.ts'
import type { DeliveryData } from '../support/galley.ts'
import type { DeliveryStage } from './stage.ts'

/** Has the public page of a delivery looked at now, at this address where one is given. @returns how often it was, in the end */
export async function publicLooks({ pool }: DeliveryStage, id: string, url?: string): Promise<number> {
  await pool.query(
    `UPDATE delivery SET public_check_at = now(), public_looks = 0, post_url = coalesce($2, post_url) WHERE id = $1`,
    [id, url],
  )
  for (;;) {
    await queuePublicChecks(pool)
    const { rows } = await pool.query<{ public_looks: number; public_check_at: Date | null }>(
      'SELECT public_looks, public_check_at FROM delivery WHERE id = $1',
      [id],
    )
    if (rows[0]?.public_check_at === null) return rows[0].public_looks
    await wait(200)
  }
}

/** A delivery after the last look at its public page. */
export async function afterLooks(stage: DeliveryStage, id: string, url?: string): Promise<DeliveryData> {
  await publicLooks(stage, id, url)
  return (await stage.galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${id}`)).body.data
}
