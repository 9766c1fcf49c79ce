import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { createApiKey } from '../../src/secrets/keyring.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.stop())

describe('authentication', () => {
  it('200-bearer-key', async () => {
    expect(await app.ask('GET', '/v1/keys')).toMatchObject({ status: 200, body: { success: true } })
  })

  it('200-x-api-key', async () => {
    const headers = { 'x-api-key': app.owner.key }
    expect(await app.ask('GET', '/v1/keys', { key: undefined, headers })).toMatchObject({ status: 200 })
  })

  it('401-missing-key', async () => {
    const answer = await app.ask('GET', '/v1/keys', { key: undefined })
    expect(answer).toMatchObject({
      status: 401,
      body: {
        success: false,
        error: { code: 'UNAUTHENTICATED', message: expect.stringContaining('Bearer') },
      },
    })
    expect(answer.headers.get('www-authenticate')).toBe('Bearer')
  })

  it('401-basic-credentials-are-no-key', async () => {
    const headers = { authorization: `Basic ${Buffer.from('a:b').toString('base64')}` }
    expect(await app.ask('GET', '/v1/keys', { key: undefined, headers })).toMatchObject({
      status: 401,
      body: { error: { code: 'UNAUTHENTICATED' } },
    })
  })

  it('401-malformed-key', async () => {
    expect(await app.ask('GET', '/v1/keys', { key: 'secret' })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_API_KEY', message: expect.stringContaining('48 hexadecimal') } },
    })
  })

  it('401-unknown-key', async () => {
    expect(await app.ask('GET', '/v1/keys', { key: createApiKey() })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_API_KEY', message: expect.stringContaining('does not exist') } },
    })
  })

  it('401-revoked-key, at once', async () => {
    const { body } = await app.ask('POST', '/v1/keys', { body: { name: 'Short-lived' } })
    expect(await app.ask('GET', '/v1/keys', { key: body.data.key })).toMatchObject({ status: 200 })
    await app.ask('DELETE', `/v1/keys/${body.id}`)
    expect(await app.ask('GET', '/v1/keys', { key: body.data.key })).toMatchObject({
      status: 401,
      body: { error: { code: 'INVALID_API_KEY' } },
    })
  })

  it('403-disabled-account', async () => {
    const { prisma } = app.database
    await prisma.account.update({ where: { id: app.stranger.id }, data: { disabledAt: new Date() } })
    expect(await app.ask('GET', '/v1/keys', { key: app.stranger.key })).toMatchObject({
      status: 403,
      body: { error: { code: 'ACCOUNT_DISABLED' } },
    })
  })

  it('401 comes before the body is looked at', async () => {
    expect(await app.ask('POST', '/v1/keys', { key: undefined, body: '{' })).toMatchObject({ status: 401 })
  })
})
