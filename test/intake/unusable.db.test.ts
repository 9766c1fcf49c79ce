import { createHmac } from 'node:crypto'
import { Registry } from 'prom-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { registerProcessMetrics } from '../../src/observe/metrics.ts'
import { type Answered, startApp, type TestApp } from '../http/app.ts'
import { completed } from '../support/webhooks.ts'

const LIMIT = 20_000

let app: TestApp
beforeAll(async () => {
  app = await startApp({ maxWebhookBytes: LIMIT })
})
afterAll(() => app.stop())

interface TestSource {
  id: string
  secret: string | null
  send(body: unknown, headers?: Record<string, string>): Promise<Answered>
  unusable(): Promise<{ reason: string; count: number; message: string; since: string; last_at: string }[]>
}

async function source(settings: object = {}, key = app.owner.key): Promise<TestSource> {
  const { body } = await app.ask('POST', '/v1/sources', { key, body: { name: 'Newsroom', ...settings } })
  expect(body.data.unusable).toEqual([])
  const path = new URL(body.data.url).pathname
  return {
    id: body.id,
    secret: body.data.signing_secret,
    send: (sent, headers = {}) => app.ask('POST', path, { key: undefined, body: sent, headers }),
    unusable: async () => (await app.ask('GET', `/v1/sources/${body.id}`, { key })).body.data.unusable,
  }
}

const signed = (secret: string, body: string) => ({
  'x-signature-256': `sha256=${createHmac('sha256', secret).update(body).digest('hex')}`,
})

const rows = async ({ id }: TestSource) =>
  app.database.prisma.unusableWebhook.count({ where: { sourceId: id } })
const events = async ({ id }: TestSource) => app.database.prisma.event.count({ where: { sourceId: id } })

describe('a webhook that cannot be used is counted at its source, with its reason', () => {
  test.each<[string, number, unknown, RegExp, Record<string, string>?]>([
    ['not_json', 400, '{"event": ', /^The body is not JSON/],
    ['event_unknown', 422, { ...completed(), event: 'document.done' }, /^event: .*got "document.done"/],
    ['body_invalid', 422, { ...completed(), data: { title: 'x' } }, /^data\.content: missing/],
    ['body_invalid', 422, [], /expected a JSON object/],
    ['document_empty', 422, completed({ blocks: [] }), /^data\.content\.content: holds nothing/],
    ['document_too_large', 422, completed({ title: 'x'.repeat(2_001) }), /^data\.title: Titles/],
    ['body_too_large', 413, completed({ title: 'x'.repeat(LIMIT) }), /The most is 20000 bytes/],
    ['body_invalid', 415, '{}', /compressed in a way Galley does not read/, { 'content-encoding': 'zstd' }],
    ['body_invalid', 400, 'no gzip', /not compressed as/, { 'content-encoding': 'gzip' }],
  ])('%s', async (reason, status, body, message, headers) => {
    const { send, unusable } = await source()
    expect(await send(completed())).toMatchObject({ status: 202 })
    expect(await unusable()).toEqual([])
    expect((await send(body, headers)).status).toBe(status)
    await send(body, headers)
    const [one, ...others] = await unusable()
    expect(one).toMatchObject({ reason, count: 2, message: expect.stringMatching(message) })
    expect(others).toEqual([])
  })

  test('a signature that is missing, wrong or old, also after the secret was changed', async () => {
    const made = await source({ signing_secret: true })
    const body = JSON.stringify(completed())
    const { secret } = made as { secret: string }
    expect((await made.send(body, signed(secret, body))).status).toBe(202)
    expect((await made.send(body)).status).toBe(401)
    const old = { 'webhook-id': 'x', 'webhook-timestamp': '1', 'webhook-signature': 'v1,AAAA' }
    expect((await made.send(body, old)).status).toBe(401)
    const change = { signing_secret: true, previous_secret_hours: 0 }
    await app.ask('PATCH', `/v1/sources/${made.id}`, { body: change })
    expect((await made.send(body, signed(secret, body))).status).toBe(401)
    const counted = (await made.unusable()).map(({ reason, count }) => [reason, count])
    expect(Object.fromEntries(counted)).toEqual({
      signature_missing: 1,
      signature_expired: 1,
      signature_invalid: 1,
    })
  })

  test('a site that its source may not send to, though that is acknowledged', async () => {
    const siteId = crypto.randomUUID()
    const { send, unusable } = await source({ limits: { sites: [crypto.randomUUID()] } })
    expect((await send(completed({ siteId }))).status).toBe(202)
    expect(await unusable()).toMatchObject([
      { reason: 'site_not_allowed', count: 1, message: expect.stringContaining(siteId) },
    ])
  })

  test('what is used, kept, sent twice or for a site that is not connected yet is not', async () => {
    const { send, unusable } = await source()
    const document = completed({ siteId: crypto.randomUUID() })
    for (const body of [document, document, { event: 'text.completed' }]) await send(body)
    expect(await unusable()).toEqual([])
  })
})

describe('what is counted', () => {
  test('is one row a reason, however many come at once, and one event a body', async () => {
    const made = await source({ signing_secret: true })
    const flood = Array.from({ length: 100 }, () => made.send(completed()))
    await Promise.all(flood)
    expect(await made.unusable()).toMatchObject([{ reason: 'signature_missing', count: 100 }])
    expect([await rows(made), await events(made)]).toEqual([1, 0])
  })

  test('is stored a thousand times for each reason and no more, and the answer says so', async () => {
    const made = await source()
    const kept = await made.send(completed({ blocks: [] }))
    expect(kept.body.error.message).toMatch(/It is kept under \/v1\/events for a person to look at\.$/)
    await app.database.prisma.unusableWebhook.updateMany({
      where: { sourceId: made.id },
      data: { count: 1_000 },
    })
    const answer = await made.send(completed({ blocks: [] }))
    expect(answer).toMatchObject({ status: 422, body: { error: { code: 'WEBHOOK_UNUSABLE' } } })
    expect(answer.body.error.message).toMatch(/It is not kept: so are the 1000 before it\.$/)
    expect(await events(made)).toBe(1)
    expect(await made.unusable()).toMatchObject([{ count: 1_001 }])
    // Of another reason there are few.
    await made.send('no JSON')
    expect(await events(made)).toBe(2)
  })

  test('is forgotten by a person, or after a week without one', async () => {
    const made = await source()
    const bad = () => made.send('no JSON')
    await bad()
    const { body } = await app.ask('PATCH', `/v1/sources/${made.id}`, { body: { unusable: null } })
    expect(body.data.unusable).toEqual([])
    expect(await made.unusable()).toEqual([])
    await bad()
    await app.database.pool.query(
      `UPDATE unusable_webhook SET count = 7, first_at = now() - interval '9 days', last_at = now() - interval '8 days'
       WHERE source_id = $1`,
      [made.id],
    )
    expect(await made.unusable()).toEqual([])
    await bad()
    const [again] = await made.unusable()
    expect(again?.count).toBe(1)
    expect(Date.parse(again?.since ?? '')).toBeGreaterThan(Date.now() - 60_000)
  })

  test('goes with its source', async () => {
    const made = await source()
    await made.send('no JSON')
    expect((await app.ask('DELETE', `/v1/sources/${made.id}`)).status).toBe(200)
    expect(await rows(made)).toBe(0)
  })

  test('is seen in its account alone, and by a key that sees the source', async () => {
    const siteId = crypto.randomUUID()
    const made = await source({ limits: { sites: [siteId] } })
    await made.send('no JSON')
    await (await source()).send(completed())
    const ids = async (key: string) => {
      const { body } = await app.ask('GET', '/v1/sources?unusable=true&limit=100', { key })
      return body.data.map(({ id }: { id: string }) => id)
    }
    expect(await ids(app.owner.key)).toContain(made.id)
    expect(await ids(app.stranger.key)).toEqual([])
    const all = (await app.ask('GET', '/v1/sources?unusable=true&limit=100')).body.data
    for (const { unusable } of all) expect(unusable).not.toEqual([])
  })

  test('is a metric', async () => {
    const registry = new Registry()
    registerProcessMetrics(registry)
    const value = async () =>
      Number(/galley_webhooks_unusable_total{reason="not_json"} (\d+)/.exec(await registry.metrics())?.[1])
    await (await source()).send('no JSON')
    const before = await value()
    await (await source()).send('no JSON')
    expect(await value()).toBe(before + 1)
  })

  test('is told to the receivers of the account when it begins, and again a day later', async () => {
    const receiver = { name: 'Chat', url: 'https://chat.example/hook', events: ['event.unusable'] }
    expect((await app.ask('POST', '/v1/receivers', { body: receiver })).status).toBe(201)
    const made = await source({ name: 'Agency' })
    const told = async () => {
      const { rows: found } = await app.database.pool.query(
        `SELECT convert_from(body, 'UTF8')::json AS body FROM notification
         WHERE event = 'event.unusable' AND subject_id = $1 ORDER BY id`,
        [made.id],
      )
      return found.map(({ body }) => body)
    }
    for (let times = 0; times < 3; times += 1) await made.send('no JSON')
    const message = expect.stringMatching(/^The body is not JSON/)
    expect(await told()).toMatchObject([
      {
        event: 'event.unusable',
        data: { id: made.id, name: 'Agency', reason: 'not_json', count: 1, message },
      },
    ])
    await app.database.pool.query(`UPDATE unusable_webhook SET told_at = now() - interval '25 hours'`)
    await made.send('no JSON')
    expect((await told()).map(({ data }) => data.count)).toEqual([1, 4])
  })
})
