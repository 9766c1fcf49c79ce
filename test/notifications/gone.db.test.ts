import { v7 as uuid } from 'uuid'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { resendNotification } from '../../src/notifications/notifications.ts'
import { removeReceiver, updateReceiver } from '../../src/notifications/receivers/receivers.ts'
import { type NotificationStage, type Receiver, startNotifications, startReceiver } from './stage.ts'

let stage: NotificationStage
let receiver: Receiver
let named: { accountId: string; siteIds: null; id: string }
beforeEach(async () => {
  stage = await startNotifications()
  receiver = await startReceiver((response) => response.writeHead(500).end())
  named = { accountId: stage.accountId, siteIds: null, id: uuid() }
  await stage.database.pool.query(
    `INSERT INTO receiver (id, account_id, name, kind, url, events) VALUES ($1, $2, 'R', 'webhook', $3, '{delivery.held}')`,
    [named.id, stage.accountId, receiver.url],
  )
})
afterEach(async () => {
  await stage.stop()
  await receiver.close()
})

const until = (seen: () => unknown) => expect.poll(seen, { interval: 20 })

/** Something that the receiver is to be told. */
async function tell(): Promise<string> {
  const id = await stage.tell(receiver.url)
  await stage.database.pool.query('UPDATE notification SET receiver_id = $1 WHERE id = $2', [named.id, id])
  return id
}

const ENDED = `status = 'failed' AND due_at IS NULL AND repeat_at IS NULL AND leased_by IS NULL`

const ends = {
  removed: () => removeReceiver(stage.database.pool, named),
  disabled: () => updateReceiver(stage.database.pool, named, { disabled: true }),
}

test.each(Object.entries(ends))(
  'an attempt that is under way while its receiver is %s is the last one',
  async (_, end) => {
    let answer = () => undefined as unknown
    receiver.answer = (response) => {
      answer = () => response.writeHead(500).end()
    }
    const id = await tell()
    stage.send()
    await until(() => receiver.told.length).toBe(1)
    await end()
    answer()
    await until(() => stage.look(id, 'leased_by IS NULL')).toBe(true)
    expect(await stage.look(id, ENDED)).toBe(true)
  },
)

test.each(Object.entries(ends))('what waits while its receiver is %s is not sent', async (_, end) => {
  const id = await tell()
  await end()
  expect(await stage.look(id, ENDED)).toBe(true)
})

test('one that was asked for once more, and not begun when its receiver was removed, is not sent', async () => {
  const id = await tell()
  await stage.database.pool.query(
    `UPDATE notification SET status = 'acknowledged', due_at = NULL WHERE id = $1`,
    [id],
  )
  await resendNotification(stage.database.pool, { accountId: stage.accountId, id })
  await removeReceiver(stage.database.pool, named)
  expect(await stage.look(id, `status = 'acknowledged' AND due_at IS NULL AND repeat_at IS NULL`)).toBe(true)
})

test('an attempt that is acknowledged after its receiver was removed is on record as that', async () => {
  let answer = () => undefined as unknown
  receiver.answer = (response) => {
    answer = () => response.end()
  }
  const id = await tell()
  stage.send()
  await until(() => receiver.told.length).toBe(1)
  await ends.removed()
  answer()
  await until(() => stage.look(id, 'status')).toBe('acknowledged')
})

test('what was put into the outbox in the moment in which its receiver was removed is not sent', async () => {
  await ends.removed()
  const id = await tell()
  stage.send()
  await until(() => stage.look(id, 'attempts')).toBe(1)
  expect(receiver.told).toEqual([])
  expect(await stage.attempts(id)).toMatchObject([{ error: { code: 'receiver_removed' } }])
})
