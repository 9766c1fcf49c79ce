import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { openStream, type StreamEvent } from '../../src/client/stream.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let between: Server
const sockets = new Set<Socket>()
let url: string
beforeAll(async () => {
  app = await startApp()
  between = createServer((socket) => {
    const onward = connect(Number(new URL(app.url).port), '127.0.0.1')
    for (const one of [socket, onward]) {
      sockets.add(one)
      one.on('error', () => undefined)
      one.once('close', () => sockets.delete(one))
    }
    socket.pipe(onward).pipe(socket)
  })
  between.listen(0, '127.0.0.1')
  await once(between, 'listening')
  url = `http://127.0.0.1:${(between.address() as AddressInfo).port}/`
})
afterAll(async () => {
  between.close()
  await app.stop()
})

const cut = () => {
  for (const socket of sockets) socket.destroy()
}

let ending: AbortController
afterEach(() => ending.abort())

function hear(key = app.owner.key) {
  ending = new AbortController()
  const heard: StreamEvent[] = []
  const over = (async () => {
    for await (const event of openStream({ url, key, signal: ending.signal })) heard.push(event)
  })()
  over.catch(() => undefined)
  const ids = () =>
    heard.flatMap((event) => (event.event === 'changes' ? event.changes.map(({ id }) => id) : []))
  return { heard, ids, over }
}

async function site(): Promise<string> {
  const id = randomUUID()
  await app.database.pool.query(
    `INSERT INTO site (id, account_id, name, url, rest_root, username, application_password, updated_at)
     VALUES ($1, $2, 'S', 'https://s.example', 'https://s.example/wp-json/', 'u', 'unused', now())`,
    [id, app.owner.id],
  )
  return id
}

const until = (seen: () => unknown) => expect.poll(seen, { interval: 20 })

test('the client hears what changes, and goes on where it was when the connection breaks', async () => {
  const { heard, ids } = hear()
  await until(() => heard).toEqual([{ event: 'read' }])
  const first = await site()
  await until(ids).toEqual([first])
  cut()
  const second = await site()
  await until(ids).toEqual([first, second])
  // It was told once what to read: nothing was missed.
  expect(heard.filter(({ event }) => event === 'read')).toHaveLength(1)
})

test('it ends with the reason where its key opens no stream any more', async () => {
  const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'k', role: 'editor' } })
  const { heard, over } = hear(body.data.key)
  await until(() => heard.length).toBe(1)
  await app.ask('DELETE', `/v1/keys/${body.id}`)
  await expect(over).rejects.toMatchObject({ name: 'ApiFailure', status: 401, code: 'INVALID_API_KEY' })
})

test('it ends when nobody listens any more', async () => {
  const { heard, over } = hear()
  await until(() => heard.length).toBe(1)
  ending.abort()
  await over
})
