import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Lane } from '../faults/stage/lane.ts'
import { answer, restError, slow } from '../support/proxy/index.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage
let lane: Lane

beforeAll(async () => {
  stage = await startStage()
  lane = await stage.lane()
})

afterAll(() => stage.close())

const written = ({ timeline }: Awaited<ReturnType<DeliveryStage['deliver']>>) =>
  timeline.map(({ step, outcome }) => `${step} ${outcome}`)

test('what a delivery did stands in its timeline in order, each with its own time', async () => {
  const { siteId, proxy } = lane
  const document = stage.documents.make(siteId)
  const delivery = await stage.deliver(document)
  expect(written(delivery)).toEqual([
    'plan queued',
    'reserve intended',
    'reserve created',
    'terms resolved',
    'media uploaded',
    'fill intended',
    'verify done',
    'deliver delivered',
  ])
  // Written with the line behind it, and a slow look at the picture earlier.
  proxy.rule({ method: 'GET', path: /\/media/ }, slow(100))
  const next = await stage.deliver(stage.documents.make(siteId, { version: 'second', of: document }))
  proxy.clear()
  for (const { timeline } of [delivery, next]) {
    const times = timeline.map(({ at }) => Date.parse(at))
    expect(times).toEqual([...times].sort((a, b) => a - b))
  }
  expect(written(next).slice(-2)).toEqual(['verify done', 'deliver delivered'])
  const [verified = 0, delivered = 0] = next.timeline.slice(-2).map(({ at }) => Date.parse(at))
  expect(verified).toBeLessThan(delivered)
})

test('a delivery that is stopped keeps what it had done until then', async () => {
  const { siteId, proxy } = lane
  // Reserve, upload, and the fill.
  proxy.rule(
    { method: 'POST', nth: 3 },
    answer(restError(403, 'rest_forbidden_context', 'Sorry, you are not allowed to edit.')),
  )
  const delivery = await stage.deliver(stage.documents.make(siteId))
  expect(delivery.status).not.toBe('delivered')
  expect(written(delivery)).toEqual(expect.arrayContaining(['terms resolved', 'media uploaded']))
})
