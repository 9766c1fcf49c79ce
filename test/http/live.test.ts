import { once } from 'node:events'
import { type AddressInfo, connect } from 'node:net'
import express from 'express'
import { afterEach, expect, test } from 'vitest'
import { close, createHttpServer } from '../../src/http/server.ts'
import { type EventStreamClient, sendEventStream } from '../../src/http/streaming.ts'

let stop: () => Promise<void>
afterEach(() => stop())

/** A server with one stream, and whoever takes it, who reads nothing unless the test does. */
async function startStream(begin: (client: EventStreamClient) => void) {
  const app = express()
  let client: EventStreamClient | undefined
  let ended = 0
  app.get('/', (_request, response) =>
    sendEventStream(response, {
      status: 200,
      async open(given) {
        client = given
        begin(given)
        return () => {
          ended += 1
        }
      },
    }),
  )
  const server = createHttpServer({ maxConnections: 10 })
  server.on('request', app)
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const socket = connect((server.address() as AddressInfo).port, '127.0.0.1')
  socket.on('error', () => undefined)
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  await expect.poll(() => client).toBeDefined()
  stop = async () => {
    socket.destroy()
    await close(server, AbortSignal.abort())
  }
  return { client: client as EventStreamClient, socket, ended: () => ended }
}

test('who takes nothing is cut off, and what waits for him was no more than a few hundred kilobytes', async () => {
  const { client, ended } = await startStream(({ send }) => send('ready', {}, '1'))
  let sent = 0
  // As much as the system holds for a connection, and then some.
  for (let n = 0; n < 4_000 && ended() === 0; n += 1) {
    client.send('changes', { text: 'x'.repeat(10_000) })
    sent += 10_000
    await new Promise((resolve) => setImmediate(resolve))
  }
  await expect.poll(ended).toBe(1)
  expect(sent).toBeLessThan(40_000_000)
  // Nobody is there any more: that is no failure.
  client.send('changes', {})
})

test('an event is never split or joined, and says its id where it has one', async () => {
  const { client, socket } = await startStream(({ send }) => send('ready', { resumed: false }, 'a'))
  client.send('changes', { text: 'line\nbreak' })
  client.send('changes', {}, 'b')
  client.end()
  socket.resume()
  const parts: Buffer[] = []
  socket.on('data', (part) => parts.push(part))
  await once(socket, 'end')
  const text = Buffer.concat(parts).toString()
  expect(text).toContain('Content-Type: text/event-stream; charset=utf-8\r\n')
  expect(text).toContain('X-Accel-Buffering: no\r\n')
  expect(text).toContain('Cache-Control: no-store, no-transform\r\n')
  const body = text
    .slice(text.indexOf('\r\n\r\n') + 4)
    .replace(/\r?\n?[0-9a-f]+\r\n/g, '')
    .replaceAll('\r\n', '')
  expect(body).toContain(
    'retry: 2000\n\nevent: ready\nid: a\ndata: {"resumed":false}\n\nevent: changes\ndata: {"text":"line\\nbreak"}\n\nevent: changes\nid: b\ndata: {}\n\n',
  )
})
