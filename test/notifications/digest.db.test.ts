import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDueDigests } from '../../src/notifications/mail/digest.ts'
import { type NotificationStage, startNotifications } from './stage.ts'

let stage: NotificationStage
beforeEach(async () => {
  stage = await startNotifications()
})
afterEach(async () => {
  await stage.stop()
})

test('two processes that gather at once tell each receiver once', async () => {
  const { pool } = stage.database
  await pool.query(
    `WITH made AS (
       INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
       SELECT gen_random_uuid(), $1, 'R' || n, 'email', 'mailto:r' || n || '@example.org', '{delivery.held}', 5
       FROM generate_series(1, 15) AS n RETURNING id
     )
     INSERT INTO digest_item (receiver_id, event, subject_id, data, due_at)
     SELECT made.id, 'delivery.held', gen_random_uuid(), '{"id": "1"}', now() FROM made, generate_series(1, 20)`,
    [stage.accountId],
  )
  await Promise.all(Array.from({ length: 6 }, () => createDueDigests(pool)))
  await createDueDigests(pool)
  const { rows } = await pool.query(
    `SELECT count(*)::int AS mails, count(DISTINCT receiver_id)::int AS receivers,
       sum((convert_from(body, 'UTF8')::jsonb #>> '{counts,delivery.held}')::int)::int AS told FROM notification`,
  )
  expect(rows).toEqual([{ mails: 15, receivers: 15, told: 300 }])
})
