import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

// A web server that is no WordPress, and says how often it was asked.
let server: Server
let asked = 0
let app: TestApp
beforeAll(async () => {
  app = await startApp()
  server = createServer((_request, response) => {
    asked += 1
    response.end('<title>A shop</title>')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
})
afterAll(async () => {
  server.close()
  await app.stop()
})

const shop = () => `http://127.0.0.1:${(server.address() as AddressInfo).port}`
const credentials = { username: 'galley', application_password: 'abcd EFGH 1234 abcd EFGH 1234' }
const stored = () => app.database.prisma.site.count()

describe('POST /v1/sites', () => {
  it('422-every-mistake-named, before anything is asked', async () => {
    const before = asked
    const body = { url: shop(), username: '', id: 'mine', concurrency: 99, settings: { fromat: 'block' } }
    const answer = await app.ask('POST', '/v1/sites', { body })
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'INVALID_REQUEST' } } })
    expect(answer.body.error.details).toEqual([
      { path: 'body.username', message: expect.any(String) },
      { path: 'body.application_password', message: 'is missing: it must be a string' },
      { path: 'body.id', message: expect.any(String) },
      { path: 'body.settings', message: expect.stringMatching(/fromat.*did you mean "format"/) },
      { path: 'body.concurrency', message: expect.stringContaining('8') },
    ])
    expect(asked).toBe(before)
  })

  it('422-not-a-wordpress, and nothing is stored', async () => {
    const answer = await app.ask('POST', '/v1/sites', { body: { url: shop(), ...credentials } })
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { code: 'NOT_WORDPRESS', message: expect.stringContaining('A shop') } },
    })
    expect(await stored()).toBe(0)
  })

  it('422-unreachable, and nothing is stored', async () => {
    const body = { url: 'http://127.0.0.1:9', ...credentials }
    const answer = await app.ask('POST', '/v1/sites', { body })
    expect(answer.status).toBe(422)
    expect(answer.body.error).toMatchObject({
      code: 'SITE_UNREACHABLE',
      message: expect.stringContaining('127.0.0.1:9'),
    })
    expect(await stored()).toBe(0)
  })
})

describe('POST /v1/sites, where private addresses are not allowed', () => {
  it('422-private-address, and no connection is made', async () => {
    const guarded = await startApp({ allowPrivate: [] })
    const before = asked
    const answer = await guarded.ask('POST', '/v1/sites', { body: { url: shop(), ...credentials } })
    expect(answer).toMatchObject({
      status: 422,
      body: { error: { message: expect.stringContaining('not a public') } },
    })
    expect(asked).toBe(before)
    await guarded.stop()
  })
})
