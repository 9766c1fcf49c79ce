import { afterAll, beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest'
import { type SimulatedStage, startSimulated } from '../faults/stage/simulated.ts'
import { type Receiver, startReceiver } from '../notifications/stage.ts'
import { type DeliveryData, settled } from '../support/galley.ts'
import type { Fault } from '../support/proxy/index.ts'
import { completed } from '../support/webhooks.ts'

// What becomes of a withdrawal beside retries, newer versions and other withdrawals. What stands on a real WordPress:
// withdraw.wordpress.test.ts.

let stage: SimulatedStage
let receiver: Receiver
let site: SimulatedStage['sites'][number]

beforeAll(async () => {
  stage = await startSimulated({ config: { metricsAddress: { host: '127.0.0.1', port: 0 } } })
  site = stage.sites[0] as typeof site
  receiver = await startReceiver()
})
afterAll(async () => {
  await receiver.close()
  await stage.close()
})
beforeEach(() => site.proxy.clear())

type Made = { id: string; documentId: string; postId: number | undefined }

async function delivered(): Promise<Made> {
  const documentId = await stage.send(site.id, { post_status: 'publish' })
  const { id, status, post } = await settled(stage.galley, documentId)
  expect(status).toBe('delivered')
  return { id, documentId, postId: post?.id }
}

const ask = (id: string, action: string, body?: object) =>
  stage.galley.call<{ data: DeliveryData }>('POST', `/v1/deliveries/${id}/${action}`, body)

const read = async (id: string): Promise<DeliveryData> =>
  (await stage.galley.call<{ data: DeliveryData }>('GET', `/v1/deliveries/${id}`)).body.data

const newer = (documentId: string) => stage.send(site.id, { id: documentId, title: 'In other words' })

/** Keeps the site from being sent anything while something happens. */
async function whilePaused(act: () => Promise<unknown>): Promise<void> {
  await stage.galley.call('POST', `/v1/sites/${site.id}/pause`, {})
  await act()
  await stage.galley.call('POST', `/v1/sites/${site.id}/resume`)
}

/** Has the next request that withdraws a post wait until `act` is done. */
const whileWithdrawing = ({ id, postId }: Made, act: () => Promise<unknown>): Promise<unknown> =>
  new Promise((resolve, reject) => {
    const held: Fault = {
      name: 'held up',
      async apply({ forward, reply }) {
        await act().then(resolve, reject)
        reply(await forward())
      },
    }
    site.proxy.rule({ method: 'DELETE', path: `/wp/v2/posts/${postId}`, nth: 1 }, held)
    ask(id, 'withdraw', { to: 'trash' }).catch(reject)
  })

test('a withdrawal ends as a status of its own, which is told, counted and found', async () => {
  const made = await stage.galley.call<{ id: string }>('POST', '/v1/receivers', {
    ...{ name: 'Newsroom', url: receiver.url, events: ['delivery.withdrawn'] },
  })
  const { id, documentId, postId } = await delivered()
  expect(await ask(id, 'withdraw', { to: 'trash' })).toMatchObject({ status: 202 })
  expect(await settled(stage.galley, documentId)).toMatchObject({
    ...{ status: 'withdrawn', withdraw_to: 'trash', post: { id: postId, status: 'trash' } },
  })
  await expect
    .poll(() => receiver.told.map(({ body }) => JSON.parse(String(body))))
    .toMatchObject([
      {
        event: 'delivery.withdrawn',
        data: { id, status: 'withdrawn', withdraw_to: 'trash', post: { status: 'trash' } },
      },
    ])
  const { body: found } = await stage.galley.call<{ data: DeliveryData[] }>(
    'GET',
    '/v1/deliveries?status=withdrawn',
  )
  expect(found.data.map((one) => one.id)).toEqual([id])
  const { body: counts } = await stage.galley.call<{ data: object }>('GET', '/v1/deliveries/counts')
  expect(counts.data).toMatchObject({ by_status: { withdrawn: { count: 1 } } })
  const metrics = await (await fetch(`${stage.galley.metricsUrl}/metrics`)).text()
  expect(metrics).toMatch(/^galley_delivery_attempts_total\{outcome="withdrawn"\} 1$/m)
  const { body: audit } = await stage.galley.call<{ data: object[] }>('GET', '/v1/audit?limit=1')
  expect(audit.data).toMatchObject([{ action: 'delivery.withdraw' }])
  await stage.galley.call('DELETE', `/v1/receivers/${made.body.id}`)
})

test('a newer version takes the place of a withdrawal that waits', async () => {
  const { id, documentId, postId } = await delivered()
  await whilePaused(async () => {
    await ask(id, 'withdraw', { to: 'trash' })
    expect(await read(id)).toMatchObject({
      ...{ status: 'waiting', withdraw_to: 'trash', stands: { waits_for: 'resume' } },
    })
    await newer(documentId)
  })
  expect(await settled(stage.galley, documentId)).toMatchObject({
    ...{ status: 'delivered', withdraw_to: null, title: 'In other words', post: { id: postId } },
  })
})

test('a withdrawal takes the place of a newer version that waits, which is delivered when it is sent again', async () => {
  const { id, documentId, postId } = await delivered()
  await whilePaused(async () => {
    await newer(documentId)
    await ask(id, 'withdraw', { to: 'trash' })
  })
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
  await ask(id, 'retry')
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'delivered', post: { id: postId } })
})

test('leave to write over a post ends with the retry that a withdrawal takes the place of', async () => {
  const { id, documentId } = await delivered()
  await whilePaused(async () => {
    await ask(id, 'retry', { overwrite: true })
    await ask(id, 'withdraw', { to: 'draft' })
    const { rows } = await stage.pool.query('SELECT answered ? $2 AS may FROM delivery WHERE id = $1', [
      id,
      'overwrite',
    ])
    expect(rows).toEqual([{ may: false }])
  })
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
})

test.each([
  ['withdrawal', 'withdraw', { to: 'draft' }],
  ['retry', 'retry', undefined],
])(
  'a %s takes the place of an update of the canonical address that waits, and is told',
  async (_, action, body) => {
    const { id, documentId } = await delivered()
    const events = ['delivery.delivered', 'delivery.withdrawn']
    const made = await stage.galley.call<{ id: string }>('POST', '/v1/receivers', {
      ...{ name: 'Newsroom', url: receiver.url, events },
    })
    onTestFinished(async () => void (await stage.galley.call('DELETE', `/v1/receivers/${made.body.id}`)))
    await whilePaused(async () => {
      // As the sweep does once the first public post of the document is known.
      await stage.pool.query(
        `UPDATE delivery SET status = 'queued', due_at = now(), answered = answered || '{"canonicalOnly": true}' WHERE id = $1`,
        [id],
      )
      await ask(id, action, body)
    })
    await settled(stage.galley, documentId)
    const { rows } = await stage.pool.query(
      'SELECT count(*)::int AS told FROM notification WHERE subject_id = $1',
      [id],
    )
    expect(rows).toEqual([{ told: 1 }])
  },
)

test('a newer version that comes while the post is being withdrawn is delivered after that, to the same post', async () => {
  const made = await delivered()
  await whileWithdrawing(made, () => newer(made.documentId))
  expect(await settled(stage.galley, made.documentId)).toMatchObject({
    ...{ status: 'delivered', withdraw_to: null, title: 'In other words' },
    post: { id: made.postId, status: 'draft' },
  })
  const { timeline } = (await read(made.id)) as unknown as { timeline: { step: string; outcome: string }[] }
  const said = timeline.map(({ step, outcome }) => `${step} ${outcome}`)
  expect(said.indexOf('withdraw withdrawn')).toBeLessThan(said.indexOf('reserve restored'))
})

test('while a delivery or a withdrawal is under way, neither is taken', async () => {
  const made = await delivered()
  await whileWithdrawing(made, async () => {
    for (const [action, body] of [
      ['withdraw', { to: 'draft' }],
      ['retry', {}],
      ['cancel', undefined],
    ] as const)
      expect(await ask(made.id, action, body)).toMatchObject({
        status: 409,
        body: { error: { code: 'DELIVERY_UNDER_WAY' } },
      })
  })
  expect(await settled(stage.galley, made.documentId)).toMatchObject({ status: 'withdrawn' })
})

test('a withdrawal that waits can be cancelled, and the post stays', async () => {
  const { id, documentId, postId } = await delivered()
  await whilePaused(async () => {
    await ask(id, 'withdraw', { to: 'trash' })
    await ask(id, 'cancel')
  })
  expect(await read(id)).toMatchObject({
    status: 'cancelled',
    withdraw_to: null,
    post: { id: postId, status: 'publish' },
  })
  expect(await ask(id, 'withdraw', { to: 'draft' })).toMatchObject({ status: 202 })
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
  expect(await ask(id, 'withdraw', { to: 'trash' })).toMatchObject({ status: 202 })
  expect(await settled(stage.galley, documentId)).toMatchObject({
    status: 'withdrawn',
    post: { status: 'trash' },
  })
  expect(await ask(id, 'cancel')).toMatchObject({ status: 409, body: { error: { code: 'DELIVERY_DONE' } } })
})

test('a post whose document is kept no more is withdrawn all the same', async () => {
  const { id, documentId } = await delivered()
  await stage.pool.query('UPDATE event SET body = NULL WHERE document_id = $1', [documentId])
  await ask(id, 'withdraw', { to: 'draft' })
  expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
  expect(await ask(id, 'retry')).toMatchObject({ status: 409, body: { error: { code: 'DOCUMENT_THINNED' } } })
})

test('a delivery without a post has nothing to withdraw', async () => {
  const event = completed({ siteId: crypto.randomUUID() })
  const { body } = await stage.galley.call<{ data: { id: string }[] }>('POST', '/v1/deliveries', {
    ...{ id: event.id, data: event.data, site_ids: [site.id] },
  })
  const id = body.data[0]?.id as string
  await settled(stage.galley, event.id)
  await stage.pool.query('UPDATE delivery SET post_id = NULL WHERE id = $1', [id])
  expect(await ask(id, 'withdraw', { to: 'draft' })).toMatchObject({
    ...{ status: 409, body: { error: { code: 'DELIVERY_HAS_NO_POST' } } },
  })
  expect(await ask(id, 'withdraw', {})).toMatchObject({ status: 422 })
})

test('in bulk, what is delivered is withdrawn, and nothing else unless its status is named', async () => {
  const made = [await delivered(), await delivered(), await delivered()]
  const [first] = made as [Made]
  await stage.pool.query("UPDATE delivery SET status = 'cancelled' WHERE id = $1", [first.id])
  const bulk = async (filter: object) => {
    const { body } = await stage.galley.call<{ id: string }>('POST', '/v1/bulk', {
      ...{ action: 'withdraw', filter, parameters: { to: 'draft' } },
    })
    const job = async () =>
      (await stage.galley.call<{ data: object }>('GET', `/v1/bulk/${body.id}`)).body.data
    await expect.poll(job).toMatchObject({ status: 'done' })
    return job()
  }
  const ids = made.map(({ id }) => id)
  expect(await bulk({ delivery_id: ids })).toMatchObject({ matched: 2, done: 2 })
  for (const { documentId } of made.slice(1))
    expect(await settled(stage.galley, documentId)).toMatchObject({ status: 'withdrawn' })
  expect(await bulk({ delivery_id: ids, status: ['cancelled'] })).toMatchObject({ matched: 1, done: 1 })
  expect(await settled(stage.galley, first.documentId)).toMatchObject({ status: 'withdrawn' })
})
