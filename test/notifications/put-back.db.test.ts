import { randomUUID } from 'node:crypto'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { inTransaction } from '../../src/database/transaction.ts'
import { DatabaseClock } from '../../src/jobs/database-clock.ts'
import { settleAttempt } from '../../src/notifications/claim.ts'
import { digestDueAt } from '../../src/notifications/notify.ts'
import { type NotificationStage, type Receiver, startNotifications, startReceiver } from './stage.ts'
import { storeNotification } from './store.ts'

// The clock of the database is put back by an hour while a process sends: what it planned before is of a time to come.

const MAIL = 'mailto:ann@example.org'

let stage: NotificationStage
let receiver: Receiver
const stops: (() => Promise<void>)[] = []
beforeAll(async () => {
  stage = await startNotifications()
  receiver = await startReceiver()
  // What statements call now() is this one from the next connection on, an hour late.
  const { pool } = stage.database
  await pool.query('CREATE SCHEMA clock')
  await pool.query(`CREATE TABLE clock.back (by interval NOT NULL)`)
  await pool.query(`INSERT INTO clock.back VALUES ('-1 hour')`)
  await pool.query(
    `CREATE FUNCTION clock.now() RETURNS timestamptz LANGUAGE sql STABLE
     AS 'SELECT pg_catalog.now() - (SELECT by FROM clock.back)'`,
  )
  await pool.query('ALTER TABLE notification ALTER created_at SET DEFAULT clock.now()')
  await pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = clock, public, pg_catalog', current_database()); END $$`,
  )
  // Not by the pool: its own connection would stay, with the clock of the system.
  const beside = new Client({ connectionString: stage.connectionString })
  await beside.connect()
  await beside.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
  await beside.end()
  // Until the pool has heard of it, it gives what is dead to whoever asks first.
  await vi.waitUntil(() => pool.totalCount === 0, { timeout: 60_000 })
})
afterAll(async () => {
  await stage.stop()
  await receiver.close()
})

test('what was to be sent at once, or once more, is sent; what is sent again waits for its own time, and is not early', async () => {
  const { pool } = stage.database
  const started = await stage.tell(receiver.url)
  stops.push(stage.send())
  await expect.poll(() => stage.look(started, 'status')).toBe('acknowledged')

  const { accountId } = stage
  const given = { accountId, event: 'image.completed', subjectId: accountId, url: receiver.url, body: '{}' }
  const ids = { fresh: '', again: '', asked: '' }
  // All at once: a moment later they would be sent.
  await inTransaction(pool, async (database) => {
    for (const name of ['fresh', 'again', 'asked'] as const)
      ids[name] = await storeNotification(database, given)
    const plan = (id: string, how: string) =>
      database.query(`UPDATE notification SET ${how} WHERE id = $1`, [id])
    await plan(ids.fresh, 'due_at = now()')
    await plan(ids.again, `attempts = 2, due_at = now() + interval '14 minutes'`)
    await plan(ids.asked, `status = 'failed', attempts = 4, due_at = NULL, repeat_at = now()`)
    await database.query(`UPDATE clock.back SET by = '0'`)
  })
  for (const id of [ids.fresh, ids.asked])
    await expect.poll(() => stage.look(id, 'status')).toBe('acknowledged')
  const waits = `due_at > now() + interval '14 minutes' AND due_at <= now() + interval '15 minutes'`
  expect(await stage.look(ids.again, waits)).toBe(true)
  expect(await stage.attempts(ids.again)).toEqual([])
})

test('a process that is started after it was put back sends what it finds to be of a time to come', async () => {
  const { pool } = stage.database
  for (const stop of stops.splice(0)) await stop()
  const id = await stage.tell(receiver.url)
  await pool.query(`UPDATE clock.back SET by = '2 hours'`)
  stops.push(stage.send())
  await expect.poll(() => stage.look(id, 'status')).toBe('acknowledged')
})

/** A receiver of mail that gathers for so many minutes, with something gathered now, and a mail that left just now. */
async function gathering(event: string, minutes: number): Promise<string> {
  const { pool } = stage.database
  const { accountId } = stage
  const id = randomUUID()
  await pool.query(
    `INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
     VALUES ($1, $2, 'Ann', 'email', 'mailto:ann@example.org', ARRAY[$3], $4)`,
    [id, accountId, event, minutes],
  )
  await pool.query(
    `INSERT INTO digest_item (receiver_id, event, subject_id, data, at, due_at)
     VALUES ($1, $2, $1, '{}', now(), ${digestDueAt('$2', '$3::int')})`,
    [id, event, minutes],
  )
  const left = await storeNotification(pool, { accountId, event, subjectId: id, url: MAIL, body: '{}' })
  // Its id is of a time to come, too.
  await pool.query(
    `UPDATE notification SET receiver_id = $2, status = 'failed', due_at = NULL,
       id = overlay(id::text PLACING 'ffff' FROM 1 FOR 4)::uuid
     WHERE id = $1`,
    [left, id],
  )
  return id
}

const mailsTo = async (receiverId: string) =>
  (await stage.database.pool.query('SELECT FROM notification WHERE receiver_id = $1', [receiverId])).rowCount

test('what is gathered for a mail waits for the minutes of its receiver at most, and no mail for one of a time to come', async () => {
  const { pool } = stage.database
  for (const stop of stops.splice(0)) await stop()
  // Only what is gathered is of a time to come: a process that is started looks at that, too.
  const [atOnce, later] = [await gathering('site.outage', 15), await gathering('delivery.held', 15)]
  await pool.query(`UPDATE notification SET body = NULL`)
  await pool.query(`UPDATE clock.back SET by = by + interval '1 hour'`)
  stops.push(stage.send())
  await expect.poll(() => mailsTo(atOnce)).toBe(2)
  const { rows } = await pool.query(
    `SELECT due_at > now() + interval '14 minutes' AND due_at <= now() + interval '15 minutes' AS waits
     FROM digest_item WHERE receiver_id = $1`,
    [later],
  )
  expect(rows).toEqual([{ waits: true }])
  // The next one keeps its distance from the one that has just left.
  await pool.query(
    `INSERT INTO digest_item (receiver_id, event, subject_id, data, due_at) VALUES ($1, 'site.outage', $1, '{}', now())`,
    [atOnce],
  )
  await pool.query(`UPDATE digest_item SET due_at = now() WHERE receiver_id = $1`, [later])
  await expect.poll(() => mailsTo(later)).toBe(2)
  expect(await mailsTo(atOnce)).toBe(2)
})

test.each([
  ['while it sends', false],
  ['before it is started', true],
])('a clock that was put back %s is not forgotten where the database fails just then', async (_, started) => {
  const { pool } = stage.database
  if (started) for (const stop of stops.splice(0)) await stop()
  // A sequence keeps what a statement that fails has taken from it.
  await pool.query('CREATE SEQUENCE IF NOT EXISTS clock.tries')
  await pool.query(`SELECT setval('clock.tries', 1, false)`)
  await pool.query(
    `CREATE OR REPLACE FUNCTION clock.fail_once() RETURNS trigger LANGUAGE plpgsql AS $$
     BEGIN IF nextval('clock.tries') = 1 THEN RAISE 'not now' USING ERRCODE = '57P01'; END IF; RETURN NEW; END $$`,
  )
  const id = await inTransaction(pool, async (database) => {
    const { accountId } = stage
    const given = { accountId, event: 'image.completed', subjectId: accountId, url: receiver.url, body: '{}' }
    const id = await storeNotification(database, given)
    await database.query(`UPDATE clock.back SET by = by + interval '1 hour'`)
    await database.query(
      'CREATE OR REPLACE TRIGGER fails BEFORE UPDATE OF due_at ON notification FOR EACH ROW EXECUTE FUNCTION clock.fail_once()',
    )
    return id
  })
  if (started) stops.push(stage.send())
  await expect.poll(() => stage.look(id, 'status')).toBe('acknowledged')
  const { rows } = await pool.query('SELECT last_value > 1 AS failed FROM clock.tries')
  expect(rows).toEqual([{ failed: true }])
  await pool.query('DROP TRIGGER fails ON notification')
})

test('what is asked for once more after the clock was put back is not lost with the end of an attempt from before', async () => {
  const { pool } = stage.database
  for (const stop of stops.splice(0)) await stop()
  const id = await stage.tell(receiver.url)
  await pool.query(
    `UPDATE notification SET leased_by = 1, leased_until = now() + interval '1 hour', repeat_at = now() WHERE id = $1`,
    [id],
  )
  const { rows } = await pool.query(
    `INSERT INTO notification_attempt (notification_id, at) VALUES ($1, now() + interval '1 hour') RETURNING id`,
    [id],
  )
  const attempt = { id, fence: 0, attempt: rows[0].id, by_hand: false }
  await settleAttempt(pool, attempt, { tookMs: 1, httpStatus: 200, error: null })
  expect(await stage.look(id, 'repeat_at IS NOT NULL')).toBe(true)
})

test('a clock that goes on, or is put forward, was not put back', () => {
  const clock = new DatabaseClock()
  const asked = performance.now()
  expect(clock.wasPutBack(1_000_000, asked)).toBe(undefined)
  expect(clock.wasPutBack(1_000_000, asked)).toBe(false)
  expect(clock.wasPutBack(5_000_000, asked)).toBe(false)
  expect(clock.wasPutBack(4_000_000, asked)).toBe(true)
})
