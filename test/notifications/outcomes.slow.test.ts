import { Webhook } from 'standardwebhooks'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { outcomePayload } from '../../src/notifications/outcomes.ts'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { settled } from '../support/galley.ts'
import { answer, pages, restError } from '../support/proxy/index.ts'
import { type Receiver, startReceiver } from './stage.ts'

let stage: SimulatedStage
let receiver: Receiver
let secret: string
let receiverId: string
beforeAll(async () => {
  stage = await startSimulated({ sites: 2, concurrency: 4 })
})
beforeEach(async () => {
  receiver = await startReceiver()
  const made = await make({ name: 'all', url: receiver.url })
  secret = made.secret
  receiverId = made.id
})
afterEach(async () => {
  // What OpenAPI says of them.
  for (const body of told()) expect(outcomePayload(body.event).safeParse(body).error).toBeUndefined()
  for (const { proxy } of stage.sites) proxy.clear()
  await stage.galley.call('DELETE', `/v1/receivers/${receiverId}`)
  await receiver.close()
})
afterAll(() => stage.close())

async function make(requested: object): Promise<{ id: string; secret: string }> {
  const { body } = await stage.galley.call<{ data: { id: string; secret: string } }>(
    'POST',
    '/v1/receivers',
    requested,
  )
  return body.data
}

// biome-ignore lint/suspicious/noExplicitAny: what came is what the test looks at
const told = (): any[] => receiver.told.map(({ body }) => JSON.parse(String(body)))
const events = (about?: string): string[] =>
  told()
    .filter(({ data }) => about === undefined || [data.id, data.document_id].includes(about))
    .map(({ event }) => event)
const until = (seen: () => unknown) => expect.poll(seen, { interval: 20 })
const site = (index = 0) => stage.sites[index] as SimulatedStage['sites'][number]
/** Nothing of the outbox waits to be told any more. */
const allTold = () =>
  until(async () => {
    const { rows } = await stage.pool.query(
      `SELECT count(*)::int AS n FROM notification WHERE status = 'waiting'`,
    )
    return rows[0].n
  }).toBe(0)

const refused = restError(
  401,
  'incorrect_password',
  'The provided password is an invalid application password.',
)

test('a delivery that is delivered is told once, signed, as the API shows it', async () => {
  const document = await stage.send(site().id)
  const { id } = await settled(stage.galley, document)
  await until(() => events(document)).toEqual(['delivery.delivered'])
  await allTold()
  const [first] = receiver.told
  const body = new Webhook(secret).verify(first?.body ?? '', first?.headers as Record<string, string>)
  const { body: shown } = await stage.galley.call<{ data: { stands: unknown }[] }>(
    'GET',
    `/v1/deliveries?delivery_id=${id}`,
  )
  const [{ stands: _, ...delivery } = { stands: null }] = shown.data
  expect(delivery).toMatchObject({ id, status: 'delivered' })
  expect(body).toMatchObject({ event: 'delivery.delivered', id: first?.headers['webhook-id'] })
  expect((body as { data: object }).data).toMatchObject({
    ...delivery,
    site: { id: site().id, labels: expect.any(Array) },
  })
  expect(receiver.told).toHaveLength(1)
  const { body: list } = await stage.galley.call<{ data: object[] }>(
    'GET',
    `/v1/notifications?receiver_id=${receiverId}&event=delivery.delivered`,
  )
  expect(list.data).toMatchObject([{ subject_id: id, status: 'acknowledged', attempts: 1 }])
})

test('a delivery that is held for a site nobody connected is told with a sentence, and delivered later once more', async () => {
  const nowhere = '0d9f2d57-5f0a-4d3b-9a45-1c2d3e4f5a6b'
  const document = await stage.send(nowhere)
  await until(() => events(document)).toEqual(['delivery.held'])
  expect(told()[0].data).toMatchObject({
    status: 'held',
    site: null,
    error: { code: 'site_unknown', message: expect.stringContaining('Connect it') },
  })
  const { id } = await settled(stage.galley, document)
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { site_id: site().id })
  await until(() => events(document)).toEqual(['delivery.held', 'delivery.delivered'])
})

test('a site that refuses its password is one alert, whatever waits for it, and recovers once', async () => {
  site().proxy.rule({}, answer(refused))
  const documents = await Promise.all(Array.from({ length: 6 }, () => stage.send(site().id)))
  for (const document of documents)
    expect(await settled(stage.galley, document)).toMatchObject({ status: 'held' })
  await until(() => events()).toEqual(['site.outage'])
  expect(told()[0].data).toMatchObject({
    id: site().id,
    state: 'needs_owner',
    trouble: { code: expect.any(String) },
    what_to_do: expect.stringMatching(/\w+/),
  })
  // Somebody tries one of them, and it is as before: nobody is notified of that.
  const { id } = await settled(stage.galley, documents[0] as string)
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
  await settled(stage.galley, documents[0] as string)
  await allTold()
  expect(events()).toEqual(['site.outage'])

  site().proxy.clear()
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`)
  await until(() => events().filter((event) => event === 'delivery.delivered').length).toBe(6)
  await allTold()
  expect(events(site().id)).toEqual(['site.outage', 'site.recovered'])
})

test('a site that is away and comes back is one alert and one recovery, however often it is tried', async () => {
  site().proxy.rule({}, answer(pages.badGateway))
  const documents = await Promise.all(Array.from({ length: 4 }, () => stage.send(site().id)))
  await until(async () => {
    const { rows } = await stage.pool.query('SELECT trouble_count FROM site WHERE id = $1', [site().id])
    return rows[0].trouble_count
  }).toBeGreaterThan(2)
  site().proxy.clear()
  for (const document of documents) await settled(stage.galley, document)
  await until(() => events().filter((event) => event === 'delivery.delivered').length).toBe(4)
  await allTold()
  expect(events(site().id)).toEqual(['site.outage', 'site.recovered'])
  const [outage] = told().filter(({ event }) => event === 'site.outage')
  expect(outage.data).toMatchObject({
    state: 'down',
    since: expect.stringMatching(/Z$/),
    next_try: expect.stringMatching(/Z$/),
  })
})

test('a receiver of some sites, of some events, or one that is disabled is told of nothing else', async () => {
  const [ofSite, ofEvent, disabled] = await Promise.all([startReceiver(), startReceiver(), startReceiver()])
  const made = [
    await make({ name: 'one site', url: ofSite.url, site_ids: [site(1).id] }),
    await make({ name: 'one event', url: ofEvent.url, events: ['delivery.failed'] }),
    await make({ name: 'disabled', url: disabled.url }),
  ]
  await stage.galley.call('PATCH', `/v1/receivers/${made[2]?.id}`, { disabled: true })
  const [first, second] = [await stage.send(site(0).id), await stage.send(site(1).id)]
  await settled(stage.galley, first)
  await settled(stage.galley, second)
  await until(() => events().sort()).toEqual(['delivery.delivered', 'delivery.delivered'])
  await until(() => ofSite.told.length).toBe(1)
  await allTold()
  expect(JSON.parse(String(ofSite.told[0]?.body)).data.document_id).toBe(second)
  expect([ofSite.told.length, ofEvent.told.length, disabled.told.length]).toEqual([1, 0, 0])
  for (const { id } of made) await stage.galley.call('DELETE', `/v1/receivers/${id}`)
  for (const one of [ofSite, ofEvent, disabled]) await one.close()
})

test.each(['slack', 'teams'] as const)(
  'a receiver in %s is told as a message, signed as it is sent',
  async (format) => {
    const chat = await startReceiver()
    const { id, secret } = await make({ name: format, url: chat.url, format })
    const document = await stage.send(site().id)
    await until(() => chat.told.length).toBe(1)
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = chat.told
    const sent = new Webhook(secret).verify(body, headers as Record<string, string>)
    const { id: delivery, post } = await settled(stage.galley, document)
    expect(JSON.stringify(sent)).toContain(`/deliveries/${delivery}`)
    expect(JSON.stringify(sent)).toContain(
      new URL(String(post?.url)).href.replaceAll('&', format === 'slack' ? '&amp;' : '&'),
    )
    expect(Object.keys(sent as object)).toEqual(
      format === 'slack' ? ['text', 'blocks'] : ['type', 'attachments'],
    )
    await stage.galley.call('DELETE', `/v1/receivers/${id}`)
    await chat.close()
  },
)

test('a claim that counts no more tells nobody: its delivery is told of once', async () => {
  let release = () => undefined as unknown
  const reached = new Promise<void>((resolve) => {
    site().proxy.rule(
      { method: 'POST', path: /\/posts$/, nth: 1 },
      {
        name: 'waits',
        async apply({ forward, reply }) {
          resolve()
          await new Promise((go) => {
            release = () => go(undefined)
          })
          reply(await forward())
        },
      },
    )
  })
  const document = await stage.send(site().id)
  await reached
  // As another process would, which took it for dead.
  await stage.pool.query(
    `UPDATE delivery SET status = 'queued', fence = fence + 1, due_at = now(), leased_by = NULL WHERE document_id = $1`,
    [document],
  )
  release()
  expect(await settled(stage.galley, document)).toMatchObject({ status: 'delivered' })
  await until(() => events(document).length).toBeGreaterThan(0)
  await allTold()
  expect(events(document)).toEqual(['delivery.delivered'])
})
