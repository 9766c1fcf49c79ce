import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { edit } from '../delivery/posts.ts'
import { type DeliveryStage, startStage } from '../delivery/stage.ts'
import { settled } from '../support/galley.ts'
import { answer, restError } from '../support/proxy/index.ts'
import { type Receiver, startReceiver } from './stage.ts'

let stage: DeliveryStage
let receiver: Receiver
beforeAll(async () => {
  stage = await startStage()
})
beforeEach(async () => {
  receiver = await startReceiver()
  await stage.galley.call('POST', '/v1/receivers', { name: 'all', url: receiver.url })
})
afterEach(() => receiver.close())
afterAll(() => stage.close())

// biome-ignore lint/suspicious/noExplicitAny: what came is what the test looks at
const told = (): any[] => receiver.told.map(({ body }) => JSON.parse(String(body)))
const until = (seen: () => unknown) => expect.poll(seen, { interval: 50 })
/** Everything of this receiver was acknowledged, so that nothing of what has happened comes later. */
const allTold = () =>
  until(async () => {
    const { rows } = await stage.pool.query(
      `SELECT count(*)::int AS n FROM notification WHERE status = 'waiting' AND url = $1`,
      [receiver.url],
    )
    return rows[0].n
  }).toBe(0)

test('a post that a person has changed holds the newer version, which is told once and with a sentence', async () => {
  const { siteId } = await stage.lane()
  const first = stage.documents.make(siteId)
  const { post } = await stage.deliver(first)
  await edit(post?.id, { excerpt: 'In my own words.' })
  const second = stage.documents.make(siteId, { version: 'second', of: first })
  const { id } = await stage.deliver(second)
  // The same webhook once more is nothing new.
  expect((await stage.galley.call('GET', `/v1/deliveries/${id}`)).status).toBe(200)
  await until(() => told().map(({ event }) => event)).toEqual(['delivery.delivered', 'delivery.held'])
  await allTold()
  expect(told().map(({ event }) => event)).toEqual(['delivery.delivered', 'delivery.held'])
  expect(told()[1].data).toMatchObject({
    id,
    status: 'held',
    post: { id: post?.id },
    error: { code: 'post_changed', message: expect.stringMatching(/deliver(ed|y) \(excerpt\)/) },
  })
  // Released, it is told as what it is now.
  await stage.galley.call('POST', `/v1/deliveries/${id}/retry`, { overwrite: true })
  expect(await settled(stage.galley, first.id)).toMatchObject({ status: 'delivered' })
  await until(() => told().map(({ event }) => event)).toEqual([
    'delivery.delivered',
    'delivery.held',
    'delivery.delivered',
  ])
})

test('what a check finds worse than the last one is told once, and not what is as bad as before', async () => {
  const { siteId, proxy } = await stage.lane()
  const check = async () => {
    const { status } = await stage.galley.call('POST', `/v1/sites/${siteId}/check`)
    expect(status).toBe(200)
  }
  await check()
  await allTold()
  expect(told()).toEqual([])
  proxy.rule(
    { method: 'POST', path: /\/wp\/v2\/media/ },
    answer(restError(403, 'rest_cannot_create', 'Sorry, you are not allowed to upload media.')),
  )
  await check()
  await until(() => told().map(({ event }) => event)).toEqual(['site.regression'])
  expect(told()[0].data).toMatchObject({
    id: siteId,
    level: 'warning',
    what_to_do: expect.stringMatching(/\w+ \w+/),
    findings: expect.arrayContaining([
      expect.objectContaining({ level: 'warning', seen: expect.any(String), todo: expect.any(String) }),
    ]),
  })
  await check()
  await allTold()
  expect(told().map(({ event }) => event)).toEqual(['site.regression'])
})
