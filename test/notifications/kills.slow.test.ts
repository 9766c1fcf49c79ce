import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type NotificationStage, type Receiver, startNotifications, startReceiver } from './stage.ts'

const ROUNDS = 2
const OF_ROUND = 20

let stage: NotificationStage
let receiver: Receiver
beforeAll(async () => {
  stage = await startNotifications()
  // Long enough that kills find attempts under way.
  receiver = await startReceiver((response) => setTimeout(() => response.end(), 300))
})
afterAll(async () => {
  await stage.stop()
  await receiver.close()
})

const script = fileURLToPath(new URL('./sends.ts', import.meta.url))

async function startSender(): Promise<ChildProcess> {
  const child = spawn(process.execPath, ['--import', 'tsx', script, stage.connectionString])
  await once(child.stdout, 'data')
  return child
}

test('processes that are killed while notifications are due send none early and skip none', async () => {
  const { pool } = stage.database
  const ids = await Promise.all(Array.from({ length: ROUNDS * OF_ROUND }, () => stage.tell(receiver.url)))
  await pool.query(`UPDATE notification SET due_at = 'infinity'`)
  await pool.query('CREATE TABLE was_due (id uuid, at timestamptz(3))')
  let sender = await startSender()
  for (let round = 0; round < ROUNDS; round += 1) {
    // The next one is there already, as where several work: what it takes over is what this is about.
    const next = await startSender()
    const told = receiver.told.length
    await pool.query(
      `WITH due AS (
         INSERT INTO was_due SELECT id, now() + n * interval '50 ms'
         FROM unnest($1::uuid[]) WITH ORDINALITY AS round (id, n) RETURNING *
       )
       UPDATE notification n SET due_at = due.at FROM due WHERE due.id = n.id`,
      [ids.slice(round * OF_ROUND, (round + 1) * OF_ROUND)],
    )
    await expect.poll(() => receiver.told.length, { interval: 10 }).toBeGreaterThan(told + 4)
    sender.kill('SIGKILL')
    await once(sender, 'exit')
    sender = next
  }
  const left = async () =>
    (await pool.query(`SELECT count(*)::int AS n FROM notification WHERE status <> 'acknowledged'`)).rows[0].n
  await expect.poll(left).toBe(0)
  sender.kill('SIGKILL')

  const told = receiver.told.map(({ headers }) => headers['webhook-id'])
  expect([...new Set(told)].sort()).toEqual([...ids].sort())
  const { rows } = await pool.query(
    `SELECT count(*) FILTER (WHERE a.at < d.at)::int AS early,
       count(*) FILTER (WHERE a.http_status = 200)::int AS acknowledged,
       count(*) FILTER (WHERE a.error ->> 'code' = 'interrupted')::int AS interrupted,
       count(*)::int AS attempts
     FROM notification_attempt a JOIN was_due d ON d.id = a.notification_id`,
  )
  const { early, acknowledged, interrupted, attempts } = rows[0]
  expect({ early, acknowledged }).toEqual({ early: 0, acknowledged: ids.length })
  expect(attempts).toBe(acknowledged + interrupted)
  expect((await pool.query('SELECT max(attempts) AS most FROM notification')).rows[0].most).toBe(1)
  if (process.env.TEST_LOG_LEVEL !== undefined) {
    const late = await pool.query(
      `SELECT max(first - at) AS first, max(last - at) AS last FROM was_due JOIN (
         SELECT notification_id, min(at) AS first, max(at) AS last FROM notification_attempt GROUP BY 1) a
       ON a.notification_id = was_due.id`,
    )
    console.log({ interrupted, attempts, late: late.rows[0] })
  }
})
