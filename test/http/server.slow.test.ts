import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as wait } from 'node:timers/promises'
import { promisify } from 'node:util'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

/** Short enough to wait for. */
const patience = { headersMs: 300, requestMs: 600, checkEveryMs: 50, takeMs: 300 }
const MAX_CONNECTIONS = 8

let app: TestApp
let webhook: string
beforeAll(async () => {
  app = await startApp({ maxConnections: MAX_CONNECTIONS }, undefined, patience)
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  webhook = new URL(body.data.url).pathname
})
afterAll(() => app.stop())

async function open(url = app.url): Promise<Socket> {
  const socket = connect(Number(new URL(url).port), '127.0.0.1')
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

const head = (path: string, ...headers: string[]) =>
  [`POST ${path} HTTP/1.1`, 'Host: galley', ...headers, '', ''].join('\r\n')

/** Whatever comes until the connection ends. */
async function said(socket: Socket, ...sent: string[]): Promise<string> {
  for (const part of sent) socket.write(part)
  return text(socket).catch(() => '')
}

describe('a slow client', () => {
  it('is told to go when the head of its request does not come', async () => {
    expect(await said(await open(), 'POST /v1/keys HTTP/1.1\r\nHost:')).toMatch(
      /^HTTP\/1\.1 408 .*REQUEST_TIMEOUT/s,
    )
  })

  it('is told to go when its body does not, however steadily it drips', async () => {
    const socket = await open()
    const drip = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(drip))
    const answer = await said(socket, head(webhook, 'Content-Length: 1000000'))
    expect(answer).not.toContain('HTTP/1.1 2')
  })

  it('cannot go on for long with a body that nobody reads', async () => {
    const socket = await open()
    const drip = setInterval(() => socket.write('x'), 20)
    socket.once('close', () => clearInterval(drip))
    const began = once(socket, 'data')
    const whole = said(socket, head('/v1/keys', 'Content-Length: 1000000'))
    expect(String((await began)[0])).toContain('401 Unauthorized')
    await whole
  })

  it('cannot keep an answer in memory that it does not take', async () => {
    // What it sends is no matter here, and may take as long as it does.
    const unhurried = { ...patience, headersMs: 60_000, requestMs: 60_000 }
    const { ask, budget, owner, url, stop } = await startApp({}, undefined, unhurried)
    const source = await ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
    const { pathname } = new URL(source.body.data.url)
    await ask('POST', pathname, { key: undefined, body: 'x'.repeat(10_000_000) })
    const { body } = await ask('GET', '/v1/events?status=unusable&limit=1')
    const socket = (await open(url)).pause()
    const asked = [`GET /v1/events/${body.data[0].id} HTTP/1.1`, 'Host: galley', `X-API-Key: ${owner.key}`]
    socket.write(`${asked.join('\r\n')}\r\n\r\n`)
    await vi.waitUntil(() => budget.events.held > 0, { timeout: 60_000 })
    await vi.waitUntil(() => budget.events.held === 0, { timeout: 60_000 })
    const [, taken = ''] = (await said(socket.resume())).split('\r\n\r\n')
    expect(taken.length).toBeLessThan(10_000_000)
    await stop()
  })
})

describe('what is no request that can be read', () => {
  it.each([
    [
      'headers without end',
      `GET / HTTP/1.1\r\nHost: galley\r\nX: ${'x'.repeat(20_000)}`,
      '431',
      'HEADERS_TOO_LARGE',
    ],
    ['TLS', '\x16\x03\x01\x02\x00\x01\x00', '400', 'MALFORMED_REQUEST'],
    ['a header of nothing', 'GET / HTTP/1.1\r\nHost: galley\r\n\0: x\r\n\r\n', '400', 'MALFORMED_REQUEST'],
  ])('%s is refused with words', async (_, sent, status, code) => {
    const [top = '', body = ''] = (await said(await open(), sent)).split('\r\n\r\n')
    expect(top).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `))
    expect(JSON.parse(body)).toEqual({
      success: false,
      error: { code, message: expect.stringMatching(/\.$/) },
    })
  })

  it('ends an answer that is under way, without a second one in it', async () => {
    const socket = await open()
    socket.write(`GET /v1/stream HTTP/1.1\r\nHost: galley\r\nX-API-Key: ${app.owner.key}\r\n\r\n`)
    const [first] = await once(socket, 'data')
    expect(String(first)).toContain('HTTP/1.1 200 OK')
    expect(await said(socket, '\0\0\0')).not.toContain('HTTP/1.1')
  })
})

describe('a client that sends all of its body before it reads', () => {
  const body = Buffer.alloc(10 * 1024 * 1024, 'x')

  it.each(['close', 'keep-alive'])('has the whole refusal, with Connection: %s', async (connection) => {
    const { url, stop } = await startApp()
    for (const path of ['/v1/keys', webhook, '/nowhere']) {
      const socket = (await open(url)).pause()
      socket.write(head(path, `Content-Length: ${body.length}`, `Connection: ${connection}`))
      await promisify<Buffer>(socket.write).call(socket, body)
      const [answer] = await once(socket.resume(), 'data')
      expect(String(answer)).toMatch(/^HTTP\/1\.1 40[14] .*"success":false/s)
      socket.destroy()
    }
    await stop()
  })

  it('can send the next request on the same connection', async () => {
    const { url, stop } = await startApp()
    const socket = await open(url)
    socket.write(head('/v1/keys', `Content-Length: ${body.length}`))
    socket.write(body)
    const next = 'GET /healthz HTTP/1.1\r\nHost: galley\r\nConnection: close\r\n\r\n'
    expect(await said(socket, next)).toMatch(/^HTTP\/1\.1 401 .*HTTP\/1\.1 200 /s)
    await stop()
  })
})

describe('a client that asks before it sends', () => {
  const expecting = (path: string) =>
    head(path, 'Expect: 100-continue', 'Content-Length: 9', 'Connection: close')

  it('is told to go on where its body is wanted', async () => {
    const socket = await open()
    socket.write(expecting(webhook))
    const [first] = await once(socket, 'data')
    expect(String(first)).toBe('HTTP/1.1 100 Continue\r\n\r\n')
    expect(await said(socket, '{"event":')).toContain('400 Bad Request')
  })

  it('is refused at once where it is not', async () => {
    const answer = await said(await open(), expecting('/v1/keys'))
    expect(answer).toMatch(/^HTTP\/1\.1 401 /)
  })

  it('417-another-expectation', async () => {
    const answer = await said(await open(), head(webhook, 'Expect: much', 'Connection: close'))
    expect(answer).toMatch(/^HTTP\/1\.1 417 .*EXPECTATION_FAILED/s)
  })
})

describe('more connections than may be', () => {
  it('are closed at once, and there is room again when others have ended', async () => {
    // fetch keeps connections of its own
    await wait(patience.requestMs)
    const sockets = await Promise.all(Array.from({ length: 2 * MAX_CONNECTIONS }, () => open()))
    await expect
      .poll(() => sockets.filter((socket) => socket.closed || socket.readableEnded).length)
      .toBeGreaterThanOrEqual(MAX_CONNECTIONS)
    for (const socket of sockets) socket.destroy()
    await expect.poll(async () => (await send().catch(() => undefined))?.status).toBe(202)
  })

  const send = () => app.ask('POST', webhook, { key: undefined, body: completed() })
})
