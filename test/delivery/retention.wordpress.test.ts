import { afterAll, beforeAll, expect, test } from 'vitest'
import { purge } from '../../src/delivery/maintenance/retention.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

test('what has ended long ago loses its body and its timeline, and still keeps one post one', async () => {
  const { siteId } = await stage.lane()
  const old = stage.documents.make(siteId)
  const delivery = await stage.deliver(old)
  await stage.pool.query(`UPDATE event SET received_at = now() - interval '91 days'`)
  await stage.pool.query(`UPDATE delivery_step SET at = now() - interval '91 days'`)
  const waiting = stage.documents.make('00000000-0000-4000-8000-000000000000')
  await stage.deliver(waiting)
  await stage.pool.query(`UPDATE event SET received_at = now() - interval '91 days' WHERE document_id = $1`, [
    waiting.id,
  ])
  const recent = stage.documents.make(siteId)
  await stage.deliver(recent)

  const { events, steps } = await purge(stage.pool, 90)
  expect(events).toBe(1)
  expect(steps).toBe(delivery.timeline.length)
  const { rows } = await stage.pool.query('SELECT document_id FROM event WHERE body IS NULL')
  expect(rows).toEqual([{ document_id: old.id }])

  // The same webhook is still known, and the delivery still names its post.
  await expect(stage.send(old)).rejects.toThrow('answered 200')
  const retried = await stage.galley.call<{ error: { code: string } }>(
    'POST',
    `/v1/deliveries/${delivery.id}/retry`,
  )
  expect(retried).toMatchObject({ status: 409, body: { error: { code: 'DOCUMENT_THINNED' } } })
  const { body } = await stage.galley.call<{ data: { post: { id: number } } }>(
    'GET',
    `/v1/deliveries/${delivery.id}`,
  )
  expect(body.data.post.id).toBe(delivery.post?.id)
})
