import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { Client } from 'pg'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

const READERS = 4

let app: TestApp
beforeAll(async () => {
  app = await startApp({ bytesInFlight: 64 * 1024 })
})
afterAll(() => app.stop())

async function reader(path: string): Promise<Socket> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`GET ${path} HTTP/1.1\r\nHost: galley\r\nAuthorization: Bearer ${app.owner.key}\r\n\r\n`)
  return socket
}

it('webhooks are read one at a time where there is room for one, also when those who asked have gone', async () => {
  const source = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  await app.ask('POST', new URL(source.body.data.url).pathname, {
    body: completed({ blocks: [{ type: 'paragraph', text: 'x'.repeat(5_000) }] }),
  })
  const { body } = await app.ask('GET', '/v1/events')
  const { events } = app.budget
  const all = await events.take(events.size)
  const readers = await Promise.all(
    Array.from({ length: READERS }, () => reader(`/v1/events/${body.data[0].id}`)),
  )
  await expect.poll(() => events.waiting).toBe(READERS)

  const locking = new Client({ connectionString: app.connectionString })
  await locking.connect()
  onTestFinished(() => locking.end())
  await locking.query('BEGIN; LOCK TABLE event')
  const read = async () =>
    (
      await locking.query(
        `SELECT 1 FROM pg_locks JOIN pg_class ON pg_class.oid = relation WHERE relname = 'event' AND NOT granted`,
      )
    ).rowCount
  all.release()
  await expect.poll(read).toBe(1)
  for (const socket of readers) socket.destroy()
  await expect.poll(() => events.waiting).toBe(0)
  expect([await read(), events.held]).toEqual([1, events.size])
  await locking.query('ROLLBACK')
  await expect.poll(() => events.held).toBe(0)
})
