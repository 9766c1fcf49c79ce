import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

describe('what a caller is told about a failure', () => {
  it('400-malformed-json', async () => {
    expect(await app.ask('POST', '/v1/keys', { body: '{"name": }' })).toMatchObject({
      status: 400,
      body: { success: false, error: { code: 'MALFORMED_JSON' } },
    })
  })

  it('405-other-method, naming those there are', async () => {
    const answer = await app.ask('PUT', '/v1/sources')
    expect(answer).toMatchObject({ status: 405, body: { error: { code: 'METHOD_NOT_ALLOWED' } } })
    expect(answer.headers.get('allow')).toBe('POST, GET')
  })

  it('413-body-too-large', async () => {
    expect(await app.ask('POST', '/v1/keys', { body: { name: 'x'.repeat(2 ** 20) } })).toMatchObject({
      status: 413,
      body: { error: { code: 'BODY_TOO_LARGE', message: expect.stringContaining('1048576') } },
    })
  })

  it('415-body-that-is-not-json', async () => {
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    expect(await app.ask('POST', '/v1/keys', { body: 'name=x', headers })).toMatchObject({
      status: 415,
      body: {
        error: { code: 'UNSUPPORTED_MEDIA_TYPE', message: expect.stringContaining('x-www-form-urlencoded') },
      },
    })
  })

  it('422-no-body', async () => {
    expect(await app.ask('POST', '/v1/keys')).toMatchObject({
      status: 422,
      body: {
        error: {
          code: 'INVALID_REQUEST',
          details: [{ path: 'body', message: 'is missing: it must be an object' }],
        },
      },
    })
  })

  it('500-unforeseen, telling the log everything and the caller nothing', async () => {
    const { pool } = app.database
    await pool.query('ALTER TABLE api_key RENAME COLUMN name TO label')
    try {
      const answer = await app.ask('GET', '/v1/keys')
      const id = answer.headers.get('x-request-id') as string
      expect(answer).toMatchObject({
        status: 500,
        body: { error: { code: 'INTERNAL', message: expect.stringContaining(id) } },
      })
      expect(JSON.stringify(answer.body)).not.toMatch(/prisma|api_key|column|node_modules/i)
      const line = app.logged.find((text) => text.includes(id) && text.includes('"level":50')) ?? ''
      expect(JSON.parse(line).err.message).toContain('name')
    } finally {
      await pool.query('ALTER TABLE api_key RENAME COLUMN label TO name')
    }
  })
})

describe('every answer', () => {
  it('carries an id of its own, or the one the caller gave', async () => {
    const made = await app.ask('GET', '/healthz')
    expect(made.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
    const given = await app.ask('GET', '/healthz', { headers: { 'x-request-id': 'my-request.1' } })
    expect(given.headers.get('x-request-id')).toBe('my-request.1')
    const absurd = await app.ask('GET', '/healthz', { headers: { 'x-request-id': '"; drop' } })
    expect(absurd.headers.get('x-request-id')).toMatch(/^[0-9a-f-]{36}$/)
  })

  it('keeps browsers from guessing and framing', async () => {
    const { headers } = await app.ask('GET', '/healthz')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'self'")
    expect(headers.get('x-powered-by')).toBeNull()
  })

  it('is one log line, without a key in it', async () => {
    const id = 'find-me-in-the-log'
    await app.ask('GET', '/v1/keys', { headers: { 'x-request-id': id } })
    const lines = app.logged.filter((line) => line.includes(id))
    expect(lines).toHaveLength(1)
    expect(JSON.parse(lines[0] as string)).toMatchObject({
      req: { id, method: 'GET', url: '/v1/keys' },
      res: { statusCode: 200 },
      responseTime: expect.any(Number),
    })
    expect(app.logged.join('')).not.toContain(app.owner.key)
  })
})
