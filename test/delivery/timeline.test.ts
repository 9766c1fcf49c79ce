import { afterAll, beforeAll, expect, test } from 'vitest'
import { answer, restError } from '../support/proxy/index.ts'
import { type DeliveryStage, startStage } from './stage.ts'

let stage: DeliveryStage

beforeAll(async () => {
  stage = await startStage()
})

afterAll(() => stage.close())

const written = ({ timeline }: Awaited<ReturnType<DeliveryStage['deliver']>>) =>
  timeline.map(({ step, outcome }) => `${step} ${outcome}`)

test('what a delivery did stands in its timeline in order, each with its own time', async () => {
  const { siteId } = await stage.lane()
  const delivery = await stage.deliver(stage.documents.make(siteId))
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
  const times = delivery.timeline.map(({ at }) => Date.parse(at))
  expect(times).toEqual([...times].sort((a, b) => a - b))
  const timeOf = (line: string) => times[written(delivery).indexOf(line)] as number
  // Each of these was written with the line behind it, and took place a request earlier.
  expect(timeOf('media uploaded')).toBeLessThan(timeOf('fill intended'))
  expect(timeOf('verify done')).toBeLessThan(timeOf('deliver delivered'))
})

test('a delivery that is stopped keeps what it had done until then', async () => {
  const { siteId, proxy } = await stage.lane()
  // Reserve, category, upload, and the look before the fill.
  proxy.rule(
    { nth: 4 },
    answer(restError(403, 'rest_forbidden_context', 'Sorry, you are not allowed to edit.')),
  )
  const delivery = await stage.deliver(stage.documents.make(siteId))
  expect(delivery.status).not.toBe('delivered')
  expect(written(delivery)).toEqual(expect.arrayContaining(['terms resolved', 'media uploaded']))
})
