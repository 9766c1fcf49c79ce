import { randomBytes } from 'node:crypto'
import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { MODEL, type ScriptedProvider, startScriptedProvider } from '../../demo/scripted-model.ts'
import { loadConfig } from '../../src/config/config.ts'
import { createApiKey, createToken, generateSecretKey, hashToken } from '../../src/secrets/keyring.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { type Receiver, startReceiver } from '../notifications/stage.ts'
import { type FreshDatabase, freshDatabase } from '../support/database/fresh-database.ts'
import { settled, startTestGalley, type TestGalley } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { type Collector, logInMemory, startCollector, type ToldSpan } from './stage.ts'

const GIVEN = { trace: '0af7651916cd43dd8448eb211c80319c', span: 'b7ad6b7169203331' }

let database: FreshDatabase
let pool: Pool
let sites: Sites
let model: ScriptedProvider
let receiver: Receiver
let collector: Collector
let galley: TestGalley
const { log, logged } = logInMemory()

/** All that must never be written down, by what it is. */
const secrets: Record<string, string> = {
  'an application password': randomBytes(12).toString('base64url'),
  "a source's signing secret": randomBytes(24).toString('base64url'),
  "an upstream's key": randomBytes(18).toString('base64url'),
  "a provider's key": randomBytes(18).toString('base64url'),
  'a key of the API': createApiKey(),
  'the secret keys': generateSecretKey(),
  'what the document says': `It says ${randomBytes(9).toString('base64url')}.`,
}
const secret = (name: string) => secrets[name] as string

/** A document that is delivered, and one that fails, each with a trace of its own. */
let delivered: string
let failed: string

beforeAll(async () => {
  database = await freshDatabase()
  pool = new Pool({ connectionString: database.connectionString, max: 2 })
  sites = await startSites(1, () => undefined)
  receiver = await startReceiver((response) => response.writeHead(500).end())
  collector = await startCollector()
  model = await startScriptedProvider()
  const { providers } = loadConfig({
    GALLEY_AI_URL: model.url,
    GALLEY_AI_MODEL: MODEL,
    GALLEY_AI_KEY: secret("a provider's key"),
  })
  const settings = { secretKeys: secret('the secret keys'), adminKey: secret('a key of the API'), providers }
  galley = await startTestGalley({ ...settings, tracesUrl: collector.url }, database, quickTiming, log)
  await everything()
  await galley.stop()
})

afterAll(async () => {
  sites.close()
  await model.stop()
  await receiver.close()
  await collector.close()
  await pool.end()
  await database.drop()
})

/** A full run: each part that holds a secret, going well and going wrong. */
async function everything(): Promise<void> {
  const { call } = galley
  const [works, broken] = await addSites(pool, secret('the secret keys'), [
    { url: sites.urls[0] as string, applicationPassword: secret('an application password') },
    { url: 'http://127.0.0.1:9', applicationPassword: secret('an application password') },
  ])
  const { body: made } = await call<{ id: string; data: { url: string } }>('POST', '/v1/sources', {
    name: 'Upstream',
    upstream_base_url: 'https://upstream.example',
    upstream_api_key: secret("an upstream's key"),
  })
  const webhook = new URL(made.data.url).pathname
  secrets["a source's token"] = webhook.split('/').at(-1) as string
  const send = (path: string, body: unknown) =>
    fetch(`${galley.url}${path}`, {
      method: 'POST',
      headers: { traceparent: `00-${GIVEN.trace}-${GIVEN.span}-01`, 'x-request-id': 'given.1' },
      body: JSON.stringify(body),
    })
  const blocks = [{ type: 'paragraph', content: [{ type: 'text', text: secret('what the document says') }] }]
  const [good, bad] = [works, broken].map((siteId) => completed({ siteId: siteId as string, blocks }))
  const answer = await send(webhook, good)
  expect(answer.headers.get('x-request-id')).toBe('given.1')
  await send(webhook, bad)
  await send(`${webhook}?x`, { event: 'odd' })
  await send(webhook.toUpperCase(), good)
  delivered = (good as { id: string }).id
  failed = (bad as { id: string }).id
  expect(await settled(galley, delivered)).toMatchObject({ status: 'delivered' })
  const tried = async () =>
    (await pool.query('SELECT site_failures FROM delivery WHERE document_id = $1', [failed])).rows[0]
  await vi.waitFor(async () => expect((await tried())?.site_failures).toBeGreaterThan(0), { timeout: 60_000 })

  const signed = await call<{ data: { url: string } }>('POST', '/v1/sources', {
    name: 'Signed',
    signing_secret: secret("a source's signing secret"),
  })
  await send(new URL(signed.body.data.url).pathname, good)
  const { body: key } = await call<{ data: { key?: string } }>('POST', '/v1/keys', { name: 'another' })
  secrets['another key'] = JSON.stringify(key).match(/gly_sk_\w+/)?.[0] as string
  const { body: told } = await call('POST', '/v1/account/notification-secret')
  secrets['what notifications are signed with'] = JSON.stringify(told).match(
    /whsec_([\w+/=]+)/,
  )?.[1] as string
  const link = createToken()
  secrets['a connect link'] = link
  await pool.query(
    `INSERT INTO connect_link (id, account_id, token_hash, url, rest_root, requested, expires_at)
     SELECT gen_random_uuid(), id, $1, $2, $2 || '/wp-json/', '{"labels": []}', now() + interval '1 hour' FROM account`,
    [hashToken(link), sites.urls[0]],
  )
  await fetch(`${galley.url}/connect/${link}?password=${secret('an application password')}`)
  await call('POST', '/v1/sites', {
    url: 'http://127.0.0.1:9',
    username: 'u',
    application_password: secret('an application password'),
  })
  const { body: job } = await call<{ id: string }>('POST', '/v1/image/create', {
    prompt: 'a quiet harbour',
    webhook_url: `${receiver.url}/?token=${secret("a source's signing secret")}`,
  })
  const status = () => call<{ status: string }>('GET', `/v1/image/status/${job.id}`)
  await vi.waitFor(async () => expect((await status()).body.status).toMatch(/completed|failed/), {
    timeout: 60_000,
  })
  await vi.waitFor(() => expect(receiver.told.length).toBeGreaterThan(0), { timeout: 60_000 })
}

const facts = ({ attributes }: ToldSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))

describe('a trace', () => {
  it('goes from the webhook through the database to each request, below what the sender gave', () => {
    const spans = collector.spans()
    const attempt = spans.find((span) => facts(span)['galley.document'] === delivered) as ToldSpan
    const webhook = spans.find(({ spanId }) => spanId === attempt.parentSpanId)
    expect(webhook).toMatchObject({
      name: 'POST /v1/webhooks/{token}',
      traceId: GIVEN.trace,
      parentSpanId: GIVEN.span,
    })
    expect(facts(attempt)).toMatchObject({ 'galley.outcome': 'delivered', 'galley.attempts': 1 })
    expect(facts(webhook as ToldSpan)['galley.event']).toBe(facts(attempt)['galley.event'])
    const requests = spans.filter(({ parentSpanId }) => parentSpanId === attempt.spanId)
    expect(requests.map(({ name }) => name)).toEqual(
      expect.arrayContaining(['POST /wp/v2/posts', 'POST /wp/v2/posts/{id}']),
    )
    expect(new Set(requests.map(({ traceId }) => traceId))).toEqual(new Set([GIVEN.trace]))
  })

  it('says by its code why an attempt failed', () => {
    const attempt = collector.spans().find((span) => facts(span)['galley.document'] === failed) as ToldSpan
    expect(facts(attempt)).toMatchObject({
      'galley.outcome': 'queued',
      'error.type': expect.stringMatching(/^\w+$/),
    })
  })
})

describe('the log', () => {
  it('leads from the request by the event to the delivery', () => {
    const lines = logged.map((line) => JSON.parse(line))
    const ended = lines.find(({ msg, document }) => msg === 'delivery ended' && document === delivered)
    const taken = lines.find(({ req, event }) => req?.id === 'given.1' && event === ended.event)
    expect(ended).toMatchObject({ delivery: expect.any(String), site: expect.any(String) })
    expect(taken).toMatchObject({ msg: 'request completed', res: { statusCode: 202 } })
    expect(lines.find(({ delivery, code }) => delivery !== undefined && code !== undefined)).toMatchObject({
      event: expect.any(String),
      site: expect.any(String),
    })
  })
})

it('nothing that a full run wrote, in the log or in traces, holds a secret that was in it', () => {
  const written = { log: logged.join(''), traces: collector.written() }
  expect(written.log.length).toBeGreaterThan(5_000)
  expect(written.traces.length).toBeGreaterThan(5_000)
  expect(Object.keys(secrets).length).toBe(11)
  for (const [name, value] of Object.entries(secrets)) {
    expect(value?.length, name).toBeGreaterThan(12)
    for (const form of [
      value,
      encodeURIComponent(value),
      Buffer.from(`benchmark:${value}`).toString('base64'),
    ])
      for (const [where, text] of Object.entries(written))
        expect(text.includes(form), `${name} in the ${where}`).toBe(false)
  }
})

it('a collector that is away costs a line of the log, and no delivery', async () => {
  const { log, logged } = logInMemory()
  const alone = await startTestGalley({ tracesUrl: 'http://127.0.0.1:9' }, undefined, quickTiming, log)
  expect((await alone.call('GET', '/v1/sites')).status).toBe(200)
  const { body } = await alone.call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'x' })
  const path = new URL(body.data.url).pathname
  expect((await alone.call('POST', path, completed())).status).toBe(202)
  await alone.stop()
  expect(logged.filter((line) => line.includes('traces could not be sent')).length).toBe(1)
})
