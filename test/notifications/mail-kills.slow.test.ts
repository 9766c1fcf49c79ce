import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { type MailServer, startMailServer } from './mail-server.ts'
import { type NotificationStage, startNotifications } from './stage.ts'

const RECEIVERS = 6

let stage: NotificationStage
let server: MailServer
beforeEach(async () => {
  stage = await startNotifications()
  server = await startMailServer()
})
afterEach(async () => {
  await stage.stop()
  await server.close()
})

const script = fileURLToPath(new URL('./sends.ts', import.meta.url))
const startSender = (): ChildProcess =>
  spawn(process.execPath, ['--import', 'tsx', script, stage.connectionString, String(server.port)])

test('a process that is killed between a mail and the note of it sends those in flight again, by the same Message-ID', async () => {
  const { pool } = stage.database
  await pool.query(
    `WITH made AS (
       INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
       SELECT gen_random_uuid(), $1, 'R' || n, 'email', 'mailto:r' || n || '@example.org', '{site.outage}', 5
       FROM generate_series(1, $2::int) AS n RETURNING id
     )
     INSERT INTO digest_item (receiver_id, event, subject_id, data, due_at)
     SELECT made.id, 'site.outage', gen_random_uuid(), '{"id": "1", "name": "S"}', now() FROM made, generate_series(1, 3)`,
    [stage.accountId, RECEIVERS],
  )
  // The first three are taken and never answered, so that the process dies in the midst of them.
  let answers = false
  server.onMail = () => (answers ? undefined : new Promise(() => undefined))
  const first = startSender()
  await expect.poll(() => server.taken.length).toBeGreaterThanOrEqual(3)
  first.kill('SIGKILL')
  await once(first, 'exit')
  const inFlight = server.taken.map(({ mail }) => mail.messageId)
  answers = true
  const second = startSender()
  const left = async () =>
    (await pool.query(`SELECT count(*)::int AS n FROM notification WHERE status <> 'acknowledged'`)).rows[0].n
  await expect.poll(left).toBe(0)
  second.kill('SIGKILL')
  await once(second, 'exit')
  const times = new Map<string, number>()
  for (const { mail } of server.taken)
    times.set(mail.messageId as string, (times.get(mail.messageId as string) ?? 0) + 1)
  expect(times.size).toBe(RECEIVERS)
  for (const [id, count] of times) expect(count, id).toBe(inFlight.includes(id) ? 2 : 1)
  expect((await pool.query('SELECT count(*)::int AS n FROM digest_item')).rows[0].n).toBe(0)
})

test('two processes that gather at once tell each receiver once', async () => {
  const { pool } = stage.database
  const { createDueDigests } = await import('../../src/notifications/mail/digest.ts')
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
