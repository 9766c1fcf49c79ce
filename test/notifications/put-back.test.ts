import { afterAll, beforeAll, expect, test } from 'vitest'
import { inTransaction } from '../../src/database/transaction.ts'
import { DatabaseClock } from '../../src/notifications/put-back.ts'
import { type NotificationStage, type Receiver, startNotifications, startReceiver } from './stage.ts'
import { storeNotification } from './store.ts'

// The clock of the database is put back by an hour while a process sends: what it planned before is of a time to come.

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
  await pool.query(
    `DO $$ BEGIN EXECUTE format('ALTER DATABASE %I SET search_path = clock, public, pg_catalog', current_database()); END $$`,
  )
  await pool.query(
    `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()`,
  )
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

test('a clock that goes on, or is put forward, was not put back', () => {
  const clock = new DatabaseClock()
  const asked = performance.now()
  expect(clock.wasPutBack(1_000_000, asked)).toBe(undefined)
  expect(clock.wasPutBack(1_000_000, asked)).toBe(false)
  expect(clock.wasPutBack(5_000_000, asked)).toBe(false)
  expect(clock.wasPutBack(4_000_000, asked)).toBe(true)
})
