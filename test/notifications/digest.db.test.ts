import { afterEach, beforeEach, expect, test } from 'vitest'
import { createDueDigests } from '../../src/notifications/mail/digest.ts'
import { notifyReceivers } from '../../src/notifications/notify.ts'
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

test('a mail about a missed schedule says so, however much else is missing', async () => {
  const { pool } = stage.database
  await pool.query(
    `INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
     VALUES (gen_random_uuid(), $1, 'Ann', 'email', 'mailto:ann@example.org', '{post.schedule_missed}', 5)`,
    [stage.accountId],
  )
  const lost = [1, 2, 3].map((n) => ({
    code: 'picture_left_out',
    severity: 'loss',
    message: `Picture ${n}.`,
  }))
  const missed = { code: 'schedule_missed', severity: 'change', message: 'It was due at noon.' }
  const told = {
    ...{ relation: 'given', event: `'post.schedule_missed'`, subject: 'told.id', site: 'NULL::uuid' },
    data: 'told.data',
  }
  await pool.query(
    `WITH given AS (SELECT $1::uuid AS account_id, gen_random_uuid() AS id, $2::json AS data), ${notifyReceivers(told)}
     SELECT FROM given`,
    [stage.accountId, JSON.stringify({ warnings: [...lost, missed] })],
  )
  const { rows } = await pool.query(`SELECT data -> 'losses' AS losses FROM digest_item`)
  expect(rows).toEqual([{ losses: ['It was due at noon.'] }])
})
