import { Pool } from 'pg'
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest'
import { type Sites, startSites } from '../../bench/support/simulator.ts'
import { addSites } from '../../bench/support/sites.ts'
import { MODEL, type ScriptedProvider, startScriptedProvider } from '../../demo/scripted-model.ts'
import { loadConfig } from '../../src/config/config.ts'
import { generateSecretKey } from '../../src/secrets/keyring.ts'
import { quickTiming } from '../faults/stage/timing.ts'
import { type MailServer, startMailServer } from '../notifications/mail-server.ts'
import { type Receiver, startReceiver } from '../notifications/stage.ts'
import { settled, startTestGalley, type TestGalley } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'
import { type Collector, startCollector, type ToldSpan } from './stage.ts'

let sites: Sites
let model: ScriptedProvider
let receiver: Receiver
let mails: MailServer
let collector: Collector
const documents = [completed(), completed(), completed()].map(({ id }) => id)
let jobId: string
let post: string

beforeAll(async () => {
  sites = await startSites(1, () => undefined)
  model = await startScriptedProvider()
  receiver = await startReceiver((response) => response.writeHead(500).end())
  mails = await startMailServer()
  collector = await startCollector()
  const secretKeys = generateSecretKey()
  const { providers } = loadConfig({ GALLEY_AI_URL: model.url, GALLEY_AI_MODEL: MODEL, GALLEY_AI_KEY: 'key' })
  const { port } = mails
  const from = { name: 'Galley', address: 'galley@example.net' }
  const mail = { host: '127.0.0.1', port, tls: 'off', credentials: undefined, from } as const
  const galley = await startTestGalley(
    { secretKeys, providers, mail, tracesUrl: collector.url },
    undefined,
    quickTiming,
  )
  await everything(galley, secretKeys)
  await galley.stop()
})

afterAll(async () => {
  sites.close()
  await model.stop()
  await receiver.close()
  await mails.close()
  await collector.close()
})

/** Three documents that wait for one site, a job whose document goes there too and is told to a receiver, and a mail. */
async function everything({ call, connectionString }: TestGalley, secretKeys: string): Promise<void> {
  const pool = new Pool({ connectionString, max: 1 })
  const [siteId] = await addSites(pool, secretKeys, [{ url: sites.urls[0] as string, concurrency: 1 }])
  await pool.end()
  const { body: source } = await call<{ data: { url: string } }>('POST', '/v1/sources', { name: 'Upstream' })
  const webhook = new URL(source.data.url).pathname
  await call('POST', `/v1/sites/${siteId}/pause`, { reason: 'so that they go together' })
  for (const id of documents) await call('POST', webhook, completed({ id, siteId: siteId as string }))
  await call('POST', `/v1/sites/${siteId}/resume`)
  for (const id of documents)
    expect(await settled({ call } as TestGalley, id)).toMatchObject({ status: 'delivered' })

  const job = await call<{ id: string }>('POST', '/v1/document/create', {
    prompt: 'How tides come about',
    webhook_url: `${receiver.url}/?key=known-to-nobody`,
    site_id: siteId,
    text: { length: 100 },
    image: { enabled: false },
  })
  jobId = job.body.id
  post = (await settled({ call } as TestGalley, jobId, 60)).id
  const told = () => receiver.told.map(({ body }) => JSON.parse(body.toString()).event)
  await vi.waitFor(() => expect(told()).toContain('document.completed'), { timeout: 60_000 })

  const requested = { name: 'Ann', url: 'mailto:ann@example.org', events: ['delivery.held'] }
  const { body: ann } = await call<{ id: string }>('POST', '/v1/receivers', requested)
  await call('POST', `/v1/receivers/${ann.id}/test`)
  await vi.waitFor(() => expect(mails.taken.length).toBe(1), { timeout: 60_000 })
}

const facts = ({ attributes }: ToldSpan) =>
  Object.fromEntries(attributes.map(({ key, value }) => [key, Object.values(value)[0]]))
const named = (name: string) => collector.spans().filter((span) => span.name === name)
const below = (parent: ToldSpan) =>
  collector.spans().filter(({ parentSpanId }) => parentSpanId === parent.spanId)
const linked = (one: ToldSpan, other: ToldSpan) =>
  (one.links ?? []).some(({ traceId, spanId }) => traceId === other.traceId && spanId === other.spanId)

describe('a batch', () => {
  it('is a trace of its own, linked with a request of each attempt in it, both ways', () => {
    const batches = named('POST /batch/v1')
    const attempts = named('attempt').filter((span) =>
      documents.includes(String(facts(span)['galley.document'])),
    )
    expect(attempts.length).toBe(3)
    for (const batch of batches) {
      const inIt = attempts.filter((attempt) =>
        below(attempt).some((request) => linked(batch, request) && linked(request, batch)),
      )
      expect(inIt.length).toBeGreaterThan(1)
      expect(batch.parentSpanId ?? '').toBe('')
      expect(facts(batch)).toMatchObject({
        'galley.batch.size': inIt.length,
        'http.response.status_code': 207,
      })
      expect(attempts.map(({ traceId }) => traceId)).not.toContain(batch.traceId)
    }
    expect(batches.length).toBeGreaterThan(0)
  })
})

describe('a job', () => {
  it('has each call to a provider below it, and the attempt that delivers what it made', () => {
    const [job] = named('job') as [ToldSpan]
    expect(facts(job)).toMatchObject({ 'galley.job': jobId, 'galley.outcome': 'completed' })
    const calls = below(job).filter(({ name }) => name.startsWith('ask '))
    expect(calls.map((call) => facts(call)['galley.part'])).toContain('outline')
    const attempt = below(job).find(({ name }) => name === 'attempt') as ToldSpan
    expect(facts(attempt)).toMatchObject({ 'galley.delivery': post, 'galley.outcome': 'delivered' })
  })
})

describe('a notification', () => {
  it('is a span with what it tells of, the host and the answer, and nothing else of the address', () => {
    const ofJob = named('notification').map(facts)
    expect(ofJob).toContainEqual(
      expect.objectContaining({
        'galley.notification.subject': jobId,
        'galley.notification.event': 'document.completed',
        'server.address': '127.0.0.1',
        'http.response.status_code': 500,
        'error.type': 'not_acknowledged',
      }),
    )
    expect(collector.written()).not.toContain('known-to-nobody')
  })

  it('is one too as a mail, which names nobody', () => {
    expect(named('mail').map(facts)).toEqual([
      expect.objectContaining({ 'galley.notification.event': 'delivery.held' }),
    ])
    expect(collector.written()).not.toContain('ann@')
  })
})
