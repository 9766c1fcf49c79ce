import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import { type AddressInfo, connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { expect, it, onTestFinished } from 'vitest'
import { Semaphore } from '../../src/bytes/budget.ts'
import { readBody } from '../../src/http/request-body.ts'

const LIMIT = 1024 * 1024
const packed = gzipSync(Buffer.alloc(LIMIT / 2, '{}'))

/** Whole requests. */
const requests: [name: string, headers: string, body: string | Buffer][] = [
  ['plain', 'Content-Length: 2', '{}'],
  ['chunked', 'Transfer-Encoding: chunked', '2\r\n{}\r\n0\r\n\r\n'],
  ['gzip', `Content-Encoding: gzip\r\nContent-Length: ${packed.length}`, packed],
]

/** How a sender leaves. */
const departures: [name: string, leave: (socket: Socket) => unknown][] = [
  ['with FIN', (socket) => socket.end()],
  ['with RST', (socket) => socket.resetAndDestroy()],
]

/** A request, with a client that has sent all of it, once Node has it. */
async function ask(headers: string, body: string | Buffer, { halfOpen = false } = {}) {
  const server = Object.assign(createServer(), { httpAllowHalfOpen: halfOpen })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  client.on('error', () => undefined)
  onTestFinished(() => {
    client.destroy()
    server.close()
  })
  client.write(`POST / HTTP/1.1\r\nHost: galley\r\nConnection: close\r\n${headers}\r\n\r\n`)
  client.write(body)
  const [request, response]: [IncomingMessage, ServerResponse] = await (once(
    server,
    'request',
  ) as Promise<never>)
  await expect.poll(() => request.complete).toBe(true)
  return { client, request, response, lane: new Semaphore(8 * LIMIT, 1_000) }
}

const aborted = expect.objectContaining({ code: 'BODY_INCOMPLETE' })

it.each(
  requests.flatMap(([kind, headers, body]) =>
    departures.map(([how, leave]) => ({ kind, how, headers, body, leave })),
  ),
)('rejects a whole body whose sender left before it was read: $kind, $how', async (given) => {
  const { client, request, lane } = await ask(given.headers, given.body)
  given.leave(client)
  await expect.poll(() => request.closed).toBe(true)
  await expect(readBody(request, LIMIT, lane)).rejects.toEqual(aborted)
  expect(lane.held).toBe(0)
})

it.each(requests)('settles where its sender leaves just as it is read: %s', async (_, headers, body) => {
  const { request, lane } = await ask(headers, body)
  const reading = readBody(request, LIMIT, lane)
  request.destroy()
  await reading.then(
    ({ share }) => share.release(),
    (error) => expect(error).toEqual(aborted),
  )
  expect(lane.held).toBe(0)
})

it.each(requests)(
  'reads the body of who says no more and waits for an answer: %s',
  async (_, headers, body) => {
    const { client, request, response, lane } = await ask(headers, body, { halfOpen: true })
    client.end()
    const { bytes, share } = await readBody(request, LIMIT, lane)
    response.end(bytes.subarray(0, 2))
    share.release()
    expect(await text(client)).toMatch(/^HTTP\/1\.1 200 .*\{\}/s)
    expect(lane.held).toBe(0)
  },
)

it('reads past what follows a compressed body, and hears the next request of its connection', async () => {
  const server = createServer(async (request, response) => {
    const { bytes, share } = await readBody(request, LIMIT, new Semaphore(8 * LIMIT, 1_000))
    share.release()
    response.end(`${bytes.length} bytes`)
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const client = connect((server.address() as AddressInfo).port, '127.0.0.1')
  const rest = Buffer.alloc(LIMIT / 2)
  client.write(`POST / HTTP/1.1\r\nHost: galley\r\nContent-Encoding: gzip\r\n`)
  client.write(`Content-Length: ${packed.length + rest.length}\r\n\r\n`)
  client.write(Buffer.concat([packed, rest]))
  client.write('POST / HTTP/1.1\r\nHost: galley\r\nConnection: close\r\nContent-Length: 2\r\n\r\n{}')
  expect(await text(client)).toMatch(new RegExp(`${LIMIT / 2} bytes.*2 bytes`, 's'))
})
