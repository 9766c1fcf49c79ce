import { afterAll, beforeAll, expect, test } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { type Receiver, startReceiver } from '../notifications/stage.ts'
import { settled } from '../support/galley.ts'
import { completed } from '../support/webhooks.ts'

// How people hear of losses: a figure, an event, a filter, and what is done about many. What stands on a real WordPress:
// losses.wordpress.test.ts.

let stage: SimulatedStage
let siteId: string
let receiver: Receiver

beforeAll(async () => {
  stage = await startSimulated({ config: { metricsAddress: { host: '127.0.0.1', port: 0 } } })
  siteId = stage.sites[0]?.id as string
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})

const lossy = { blocks: ['Words.', { type: 'image', alt: 'A chart of the tides' }] }

const deliver = async (requested: object) => settled(stage.galley, await stage.send(siteId, requested))

const onLoss = (on_loss: string) =>
  stage.pool.query(`UPDATE site SET settings = settings || jsonb_build_object('on_loss', $1::text)`, [
    on_loss,
  ])

const figure = async (outcome: string): Promise<number> => {
  const text = await (await fetch(`${stage.galley.metricsUrl}/metrics`)).text()
  const line = new RegExp(`^galley_deliveries_with_loss_total\\{outcome="${outcome}"\\} (\\d+)$`, 'm')
  return Number(line.exec(text)?.[1] ?? 0)
}

const makeReceiver = (requested: object) =>
  stage.galley.call('POST', '/v1/receivers', { name: 'Newsroom', url: receiver.url, ...requested })

test('a delivery with a loss is an event of its own for whoever asks for it, and one of all for others', async () => {
  await makeReceiver({})
  await makeReceiver({ events: ['delivery.delivered'] })
  await stage.pool.query(
    `INSERT INTO receiver (id, account_id, name, kind, url, events, digest_minutes)
     SELECT gen_random_uuid(), account_id, 'Ann', 'email', 'mailto:ann@example.org', '{delivery.incomplete}', 60 FROM site`,
  )
  const { id, warnings } = await deliver(lossy)
  expect(warnings[0]).toMatchObject({ severity: 'loss' })
  await deliver({})
  const told = () => receiver.told.map(({ body }) => JSON.parse(String(body)))
  const events = () =>
    told()
      .map(({ event }) => event)
      .sort()
  const delivered = Array(3).fill('delivery.delivered')
  await expect.poll(events).toEqual([...delivered, 'delivery.incomplete'])
  const incomplete = told().find(({ event }) => event === 'delivery.incomplete')
  expect(incomplete.data).toMatchObject({ id, status: 'delivered', warnings })
  const { rows } = await stage.pool.query(`SELECT event, data -> 'losses' AS losses FROM digest_item`)
  expect(rows).toEqual([
    { event: 'delivery.incomplete', losses: [expect.stringContaining('a picture has no address')] },
  ])
})

test('a figure counts the versions that went out, or are held, with a loss', async () => {
  const before = { delivered: await figure('delivered'), held: await figure('held') }
  await deliver({})
  await deliver(lossy)
  await onLoss('hold')
  await deliver(lossy)
  await onLoss('publish')
  expect(await figure('delivered')).toBe(before.delivered + 1)
  expect(await figure('held')).toBe(before.held + 1)
})

test('those that are held are found, and go on together as somebody decides', async () => {
  await onLoss('hold')
  const ids = [await deliver(lossy), await deliver(lossy)].map(({ id }) => id)
  const filter = { status: ['held'], severity: 'loss', delivery_id: ids }
  const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/bulk', {
    action: 'retry',
    filter,
    parameters: { on_loss: 'draft' },
  })
  const job = async () => (await stage.galley.call<{ data: object }>('GET', `/v1/bulk/${body.id}`)).body.data
  await expect.poll(job).toMatchObject({ status: 'done', done: 2 })
  const statuses = async () =>
    Promise.all(
      ids.map(async (id) => {
        const { body } = await stage.galley.call<{ data: { status: string } }>('GET', `/v1/deliveries/${id}`)
        return body.data.status
      }),
    )
  await expect.poll(statuses).toEqual(['delivered', 'delivered'])
})

test('what a generator says is missing is a loss of the delivery, found and held as others', async () => {
  await onLoss('hold')
  const told = { code: 'narration_left_out', message: 'The narration is missing.', severity: 'loss' }
  const note = { code: 'keyword_missing', message: 'No keyword.', severity: 'note' }
  const body = completed({ siteId })
  const document = { ...body, data: { ...(body.data as object), warnings: [told, note] } }
  const { body: made } = await stage.galley.call<{ data: { id: string }[] }>('POST', '/v1/deliveries', {
    ...{ id: document.id, data: document.data, site_ids: [siteId] },
  })
  const id = made.data[0]?.id as string
  const found = async () => {
    const query = `status=held&severity=loss&warning=narration_left_out&document_id=${document.id}`
    const { body } = await stage.galley.call<{ data: object[] }>('GET', `/v1/deliveries?${query}`)
    return body.data
  }
  await expect.poll(found).toMatchObject([{ id, warnings: [told], error: { code: 'content_lost' } }])
  await onLoss('publish')
})
