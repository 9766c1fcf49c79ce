import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

const MEBIBYTE = 1024 * 1024
/** Of which bodies have a quarter. */
const BYTES_IN_FLIGHT = 16 * MEBIBYTE

let app: TestApp
let path: string
beforeAll(async () => {
  app = await startApp({ bytesInFlight: BYTES_IN_FLIGHT })
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  path = new URL(body.data.url).pathname
})
afterAll(() => app.stop())

/** 200 KB of plain paragraphs. */
const large = () =>
  completed({
    blocks: Array.from({ length: 100 }, () => ({
      type: 'paragraph',
      content: [{ type: 'text', text: 'x'.repeat(2_000) }],
    })),
  })
const send = (to: string, body: unknown, headers = {}) =>
  app.ask('POST', to, { key: undefined, body, headers })
const unknown = () => `/v1/webhooks/${randomBytes(24).toString('hex')}`

/** Sends the head of a request and as much of its body. */
async function begin(to: string, length: number, sent: Buffer = Buffer.alloc(0)): Promise<Socket> {
  const socket = connect(Number(new URL(app.url).port), '127.0.0.1')
  onTestFinished(() => void socket.destroy())
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  socket.write(`POST ${to} HTTP/1.1\r\nHost: galley\r\nContent-Length: ${length}\r\n\r\n`)
  socket.write(sent)
  return socket
}

const answerOf = async (socket: Socket): Promise<string> => String((await once(socket, 'data'))[0])

describe('who sends is known before what is sent is read', () => {
  it('404-unknown-token, with not a byte of the body sent', async () => {
    expect(await answerOf(await begin(unknown(), 10 * MEBIBYTE))).toMatch(/^HTTP\/1.1 404 .*SOURCE_UNKNOWN/s)
  })

  it('404 to twelve at once that send 10 MB each, of which nothing is kept', async () => {
    const body = Buffer.alloc(10 * MEBIBYTE)
    const kept: number[] = []
    const looking = setInterval(() => kept.push(app.budget.webhooks.held), 1)
    const sockets = await Promise.all(Array.from({ length: 12 }, () => begin(unknown(), body.length, body)))
    const answers = await Promise.all(sockets.map(answerOf))
    clearInterval(looking)
    // 429 once there are too many guesses
    for (const answer of answers) expect(answer).toMatch(/^HTTP\/1.1 (404|429) /)
    expect(Math.max(0, ...kept)).toBe(0)
  })

  it('takes good webhooks among them', async () => {
    const tries = Array.from({ length: 100 }, () => send(unknown(), '{}'))
    const good = Array.from({ length: 20 }, () => send(path, completed()))
    expect((await Promise.all(good)).map(({ status }) => status)).toEqual(Array(20).fill(202))
    await Promise.all(tries)
  })
})

describe('bodies share the room there is', () => {
  it('503 to who finds none, and 202 when there is room again', async () => {
    const slow = await Promise.all(
      Array.from({ length: 4 }, () => begin(path, 2 * MEBIBYTE, Buffer.alloc(MEBIBYTE, ' '))),
    )
    await expect.poll(() => app.budget.webhooks.held).toBeGreaterThan(3.9 * MEBIBYTE)
    expect(await send(path, large())).toMatchObject({
      status: 503,
      body: { error: { code: 'MEMORY_BUSY' } },
    })
    const key = await app.ask('POST', '/v1/keys', { body: { name: 'x', filler: 'x'.repeat(200_000) } })
    expect(key).toMatchObject({ status: 503, body: { error: { code: 'MEMORY_BUSY' } } })
    expect(key.headers.get('retry-after')).toBe('5')

    for (const socket of slow) socket.destroy()
    await expect.poll(() => app.budget.webhooks.held).toBe(0)
    expect(await send(path, large())).toMatchObject({ status: 202 })
  })

  it('is not taken by what is merely announced', async () => {
    await Promise.all(Array.from({ length: 40 }, () => begin(path, 10 * MEBIBYTE)))
    expect(await send(path, large())).toMatchObject({ status: 202 })
  })

  it('is given back whatever becomes of the request', async () => {
    for (const body of [completed(), '{', 'x'.repeat(11 * MEBIBYTE), undefined])
      await send(path, body).catch(() => undefined)
    await send(path, 'no gzip', { 'content-encoding': 'gzip' })
    await app.ask('POST', '/v1/keys', { body: '{' })
    await app.ask('POST', '/v1/keys', { body: { name: 'x' } })
    await expect.poll(() => app.budget.webhooks.held).toBe(0)
  })
})

describe('what the database refuses', () => {
  it('422, and is kept with the reason: it would be refused for ever', async () => {
    await app.database.pool.query(`ALTER TABLE event ADD CONSTRAINT odd CHECK (kind <> 'text.failed')`)
    onTestFinished(() =>
      app.database.pool.query('ALTER TABLE event DROP CONSTRAINT odd').then(() => undefined),
    )
    const asked = { event: 'text.failed', id: crypto.randomUUID() }
    const others = Array.from({ length: 5 }, () => send(path, completed()))
    const answer = await send(path, asked)
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'WEBHOOK_UNUSABLE' } } })
    expect(answer.body.error.details).toEqual([{ path: '', message: expect.stringContaining('23514') }])
    expect((await Promise.all(others)).map(({ status }) => status)).toEqual(Array(5).fill(202))
    const { body } = await app.ask('GET', '/v1/events?status=unusable&limit=1')
    expect(body.data[0]).toMatchObject({ event: null, issues: answer.body.error.details })
  })

  it('500 where no webhook could be stored at all, and the log says why', async () => {
    await app.database.pool.query('ALTER TABLE event RENAME COLUMN kind TO sort')
    onTestFinished(() =>
      app.database.pool.query('ALTER TABLE event RENAME COLUMN sort TO kind').then(() => undefined),
    )
    expect(await send(path, completed())).toMatchObject({
      status: 500,
      body: { error: { code: 'INTERNAL' } },
    })
    const failed = app.logged.filter((line) => JSON.parse(line).err?.code === '42703')
    expect(failed).toHaveLength(1)
  })
})
