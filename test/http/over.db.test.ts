import { once } from 'node:events'
import { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { gzipSync } from 'node:zlib'
import type { Request, Response } from 'express'
import { afterAll, beforeAll, expect, it, onTestFinished } from 'vitest'
import { ByteSemaphore } from '../../src/bytes/budget.ts'
import { parseBody } from '../../src/http/request-body.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

async function open(port: number) {
  const socket = connect(port, '127.0.0.1')
  socket.on('error', () => undefined)
  onTestFinished(() => void socket.destroy())
  await once(socket, 'connect')
  return socket
}

const MEBIBYTE = 1024 * 1024

it('gives back the room of a body whose sender left while it was unpacked', async () => {
  const lane = new ByteSemaphore(64 * MEBIBYTE, 1_000)
  const read = parseBody(lane, 32 * MEBIBYTE, (bytes) => bytes.length)
  const server = createServer()
  const outcome = new Promise((resolve) => {
    server.once('request', (request, response) => {
      request.once('end', () => request.socket.destroy())
      const reading = read(request as Request, response as Response, () => undefined)
      resolve(Promise.resolve(reading).catch(({ type }) => type))
    })
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  const packed = gzipSync(Buffer.alloc(32 * MEBIBYTE))
  const socket = await open((server.address() as AddressInfo).port)
  const head = ['POST / HTTP/1.1', 'Host: galley', 'Content-Type: application/json', 'Content-Encoding: gzip']
  socket.write([...head, `Content-Length: ${packed.length}`, '', ''].join('\r\n'))
  socket.write(packed)
  expect(await outcome).toBe('request.aborted')
  expect(lane.held).toBe(0)
})

it('gives back the room of a request whose answer waits behind another, when their connection closes', async () => {
  const socket = await open(Number(new URL(app.url).port))
  const head = (...lines: string[]) =>
    [...lines, 'Host: galley', `X-API-Key: ${app.owner.key}`, '', ''].join('\r\n')
  const body = JSON.stringify({ name: 'Key' })
  socket.write(head('GET /v1/stream HTTP/1.1'))
  await once(socket, 'data')
  const asked = ['POST /v1/keys HTTP/1.1', 'Content-Type: application/json', `Content-Length: ${body.length}`]
  socket.write(head(...asked) + body)
  await expect.poll(async () => (await app.ask('GET', '/v1/keys')).body.data.length).toBe(2)
  expect(app.budget.webhooks.held).toBeGreaterThan(0)
  socket.destroy()
  await expect.poll(() => app.budget.webhooks.held).toBe(0)
})
