import { request } from 'node:http'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { completed } from '../support/webhooks.ts'
import { startApp, type TestApp } from './app.ts'

let app: TestApp
let token: string
beforeAll(async () => {
  app = await startApp()
  const { body } = await app.ask('POST', '/v1/sources', { body: { name: 'Upstream' } })
  token = new URL(body.data.url).pathname.split('/').at(-1) as string
})
afterAll(() => app.stop())

/** As it is written: `fetch` and `URL` would tidy the address. */
function send(method: string, path: string, headers: Record<string, string> = {}): Promise<number> {
  const { hostname, port } = new URL(app.url)
  return new Promise((resolve, reject) => {
    const body = method === 'GET' ? '' : JSON.stringify(completed())
    const sent = request({
      hostname,
      port,
      method,
      path,
      headers: { 'content-length': body.length, ...headers },
    })
    sent.once('response', (response) => {
      response.resume().once('end', () => resolve(response.statusCode as number))
    })
    sent.once('error', reject)
    sent.end(body)
  })
}

const escaped = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
const spellings: [string, (token: string) => string][] = [
  ['as it is', (secret) => `/v1/webhooks/${secret}`],
  ['with a query', (secret) => `/v1/webhooks/${secret}?x=1`],
  ['in capitals', (secret) => `/V1/WEBHOOKS/${secret.toUpperCase()}`],
  ['in mixed letters', (secret) => `/v1/Webhooks/${secret}`],
  ['with two strokes', (secret) => `//v1//webhooks//${secret}`],
  ['with a stroke behind', (secret) => `/v1/webhooks/${secret}/`],
  ['with an escaped letter', (secret) => `/v1/webhook%73/${secret}`],
  ['with an escaped stroke', (secret) => `/v1/webhooks%2F${secret}`],
  ['escaped whole', (secret) => `/v1/webhooks/${escaped(secret)}`],
  ['escaped twice', (secret) => `/v1/webhooks/${escaped(secret).replaceAll('%', '%25')}`],
  ['with a letter missing', (secret) => `/v1/webhook/${secret}`],
  ['without its version', (secret) => `/webhooks/${secret}`],
  ['with its origin', (secret) => `http://galley.example/v1/webhooks/${secret}`],
  ['with a dot', (secret) => `/v1/./webhooks/./${secret}`],
  ['in a query', (secret) => `/v1/sites?label=${secret}&cursor=${secret}`],
  ['as a page to connect', (secret) => `/CONNECT/${secret}/approved?user_login=hunter2&password=hunter2`],
  ['as a page to connect, escaped', (secret) => `/%63onnect/${secret}?pass%77ord=hunter2`],
  ['as a key', (secret) => `/v1/keys?api_key=gly_sk_${secret}`],
]

describe.each(spellings)('an address with a token in it, %s', (_, spell) => {
  it.each(['GET', 'POST', 'DELETE'])('is logged without it: %s', async (method) => {
    const before = app.logged.length
    const status = await send(method, spell(token), {
      referer: `${app.url}${spell(token)}`,
      cookie: `t=${token}`,
    })
    await expect.poll(() => app.logged.length).toBeGreaterThan(before)
    expect(status).toBeLessThan(500)
    const written = app.logged.join('')
    for (const secret of [
      token,
      token.toUpperCase(),
      escaped(token),
      escaped(token).replaceAll('%', '%25'),
      'hunter2',
    ])
      expect(written).not.toContain(secret)
    // not by a part of it either
    expect(written).not.toContain(token.slice(0, 24))
  })
})

describe('routing', () => {
  // Escaped or with its origin it is the same address.
  const same = ['escaped whole', 'with its origin']
  it.each(spellings.slice(2, 14).filter(([name]) => !same.includes(name)))(
    'knows no token that is spelled otherwise: %s',
    async (_, spell) => {
      expect(await send('POST', spell(token))).toBe(404)
    },
  )
})

it('a failure that nobody foresaw is logged without the secrets that were in the statement', async () => {
  const { pool } = app.database
  await pool.query('ALTER TABLE source RENAME COLUMN name TO label')
  try {
    const upstream = { upstream_base_url: 'https://upstream.example', upstream_api_key: 'hunter2' }
    const body = { name: 'x', signing_secret: 'hunter2 hunter2 hunter2', ...upstream }
    expect(await app.ask('POST', '/v1/sources', { body })).toMatchObject({ status: 500 })
    expect(app.logged.join('')).not.toContain('hunter2')
  } finally {
    await pool.query('ALTER TABLE source RENAME COLUMN label TO name')
  }
})
