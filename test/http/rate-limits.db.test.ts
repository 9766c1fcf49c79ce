import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ requestsPerMinute: 10 })
})
afterAll(() => app.stop())

describe('rate limits', () => {
  it('429-one-account, with the time to wait, while another goes on', async () => {
    const answers = await Promise.all(Array.from({ length: 11 }, () => app.ask('GET', '/v1/keys')))
    const refused = answers.filter(({ status }) => status === 429)
    expect(refused).toHaveLength(1)
    expect(refused[0]?.body).toMatchObject({ success: false, error: { code: 'TOO_MANY_REQUESTS' } })
    expect(Number(refused[0]?.headers.get('retry-after'))).toBeGreaterThan(0)
    expect(await app.ask('GET', '/v1/keys', { key: app.stranger.key })).toMatchObject({ status: 200 })
  })

  it.each([
    ['nobody is trusted to speak for others', [], 1],
    ['the proxy is trusted', ['127.0.0.1'], 0],
  ])('429-guessing under many invented addresses where %s', async (_, trustedProxies, refused) => {
    const proxied = await startApp({ trustedProxies })
    const guesses = Array.from({ length: 61 }, (_, n) =>
      proxied.ask('GET', '/v1/keys', { key: 'guess', headers: { 'x-forwarded-for': `198.51.100.${n}` } }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(refused)
    await proxied.stop()
  })

  it('429-guessing, while a valid key and a valid webhook address from the same place still work', async () => {
    const { key } = app.stranger
    const { body } = await app.ask('POST', '/v1/sources', { key, body: { name: 'Upstream' } })
    const guesses = Array.from({ length: 61 }, (_, n) =>
      n % 2 === 0
        ? app.ask('GET', '/v1/keys', { key: 'guess' })
        : app.ask('POST', `/v1/webhooks/guess-${n}`, { key: undefined, body: {} }),
    )
    const statuses = (await Promise.all(guesses)).map(({ status }) => status)
    expect(statuses.filter((status) => status === 429)).toHaveLength(1)
    expect(statuses.filter((status) => status === 401)).not.toHaveLength(0)

    expect(await app.ask('GET', '/v1/keys', { key })).toMatchObject({ status: 200 })
    const sent = await app.ask('POST', new URL(body.data.url).pathname, { key: undefined, body: completed() })
    expect(sent).toMatchObject({ status: 202 })
  })
})
